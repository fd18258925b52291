"""What a night needs, put together on one clock: GitHub, the gate of tickets, the agents' API, the gateway."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from app.agent_api.api import AgentApi
from app.agent_api.call import Parts
from app.agent_api.places import Places
from app.config import AppSettings
from app.gate.gate import Gate
from app.gate.presets import read_presets
from app.gate.reconcile import Reconciler
from app.github.budgets import WriteLimits
from app.github.client import Settings as ClientSettings
from app.github.clients import GitHubApp
from app.github.identity import AppIdentity
from app.intake.webhook import PATH, Intake
from app.keys import parse_key
from app.proxy.incoming import Incoming, Message, Scope
from app.secret import SecretStr
from app.store import work
from app.store.database import Database
from app.store.deliveries import DeliveryWriter
from app.store.work import Lease
from app.store.worker import Done, Outcome, Worker
from app.tickets.parts import TicketParts
from app.tickets.reconcile import reconcile
from tests.agent.bureau import POOL, enrolled
from tests.fleet.clock import Clock
from tests.fleet.store import night_store, set_clock
from tests.fleet.traffic import Traffic
from tests.fleet.verdicts import Verdicts
from tests.gate.scene import GATE_EVENTS, GATE_PERMISSIONS, PUBLIC, SECRET, SceneMirrors
from tests.github.server import SimulatedGitHub
from tests.github.state import App, Installation, Repository
from tests.proxy.scene import COURIER_PERMISSIONS
from tests.tickets.litellm import LiteLlm

SLOTS = 16  # looks at once
# What would wait for its moment is put off instead, for nobody sleeps here: the look at its key ends, and comes again.
PACED = WriteLimits(patience=0.0)


@dataclass
class Town:
    """`enrolment` is the token with which every agent claims; `traffic` what was asked of the simulated GitHub."""

    clock: Clock
    database: Database
    github: SimulatedGitHub
    gate: Gate
    app: App
    installation: Installation
    shop: Repository
    litellm: LiteLlm
    agents: AgentApi
    parts: Parts
    tickets: TicketParts
    enrolment: str
    traffic: Traffic
    verdicts: Verdicts
    worker: Worker
    looks: dict[str, int] = field(default_factory=dict)  # by kind of key

    async def ask(self, method: str, path: str, token: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """One request of an agent: status and JSON of the answer."""
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {
            b"host": b"night",
            b"authorization": f"Bearer {token}".encode(),
            b"content-type": b"application/json",
        }
        incoming = Incoming(method, path.encode(), b"", headers)
        given, sent = [raw], list[Message]()

        async def receive() -> Message:
            if given:
                return {"type": "http.request", "body": given.pop(), "more_body": False}
            await asyncio.Event().wait()  # the client stays
            raise AssertionError

        async def send(message: Message) -> None:
            sent.append(message)

        self.parts.nothing.clear()  # it is kept for half a second of the loop's clock, which is none of the night's
        await self.agents(incoming, receive, send)
        text = b"".join(one.get("body", b"") for one in sent[1:])
        said: dict[str, Any] = json.loads(text) if text else {}
        return sent[0]["status"], said

    async def at(self, moment: datetime) -> None:
        self.clock.advance(moment)
        await set_clock(self.database, self.clock)

    async def rest(self) -> None:
        """Everything that is due now, on both sides."""
        for _ in range(100):
            await self.github.settle()
            if await self.worker.drain() == 0:
                self.traffic.take()
                return
        raise AssertionError("gate and simulated GitHub do not come to rest")

    async def following(self) -> timedelta | None:
        """How long until the next key is due."""
        seconds = (await work.counts(self.database)).following
        return None if seconds is None else timedelta(seconds=seconds)


class _NightWorker(Worker):
    """News that came while a key was in work waits for a quarter of a second: here it waits for the next step. And as
    no time passes within a step, nothing but the end of an attempt makes a key due: as many as there are slots are
    looked at together, then the next."""

    async def _wait(self, longest: float) -> None:
        while self._running:
            self._wake.clear()
            await self._wake.wait()

    async def _idle(self) -> bool:
        left = await work.counts(self._db)
        return not (left.due or left.leased)


async def _no_slice(_: Scope, __: Any, ___: Any) -> None:
    raise AssertionError("no agent of the night uses the proxy's slice of GitHub's API")


@contextlib.asynccontextmanager
async def town(folder: Path, conninfo: str, begins: datetime, policy: str) -> AsyncIterator[Town]:
    """acme/shop with that policy, ada (admin) and bob (write), at that moment, with nothing in it."""
    clock = Clock(begins)
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(night_store(conninfo, clock))
        github = SimulatedGitHub.create(folder / "github")
        github.world.now = clock.whole  # type: ignore[method-assign]
        app, gate_key = github.register_app(
            "mergegate", GATE_PERMISSIONS, GATE_EVENTS, f"http://gate.invalid{PATH}", SECRET
        )
        porter, porter_key = github.register_app("porter", COURIER_PERMISSIONS, [])
        github.organization("acme")
        installation = github.install(app, "acme")
        github.install(porter, "acme")
        files = {".github/mergegate.yml": policy, "README.md": "# Shop\n"}
        shop = await github.repository("acme/shop", files, collaborators={"ada": "admin", "bob": "write"})

        def speaking(name: str, app_id: int, key: str) -> GitHubApp:
            settings = ClientSettings(writes=PACED, now=clock.seconds, clock=clock.seconds)
            keys = AppSettings(app_id=app_id, private_keys=(SecretStr(key),)).private_keys
            identity = AppIdentity(name, app_id, keys, github.world.base_url)  # type: ignore[arg-type]
            made = GitHubApp(identity, settings=settings, connect=lambda: httpx.ASGITransport(app=github.app))
            stack.push_async_callback(made.aclose)
            return made

        clients, courier = speaking("gate", app.id, gate_key), speaking("courier", porter.id, porter_key)
        mirrors = SceneMirrors(folder / "mirrors", github, app.bot_login)
        gate = Gate(database, clients, mirrors, read_presets(), app.id, clock, PUBLIC)
        litellm = LiteLlm()
        parts = Parts(
            database, Places(database, courier, read_presets(), clock), lambda: _no_slice, None, litellm.gateway()
        )
        tickets = TicketParts(gate, courier, None, litellm.gateway())
        verdicts = Verdicts(clock, database, github, shop, installation.id)
        looks: dict[str, int] = {}

        async def of_ticket(lease: Lease, key: Any) -> Outcome:
            return await reconcile(tickets, lease, key)

        real = Reconciler(gate, timedelta(minutes=10), of_ticket)

        async def look(lease: Lease) -> Outcome:
            key = parse_key(lease.key)
            kind = lease.key.partition(":")[0]
            looks[kind] = looks.get(kind, 0) + 1
            if kind == "pull":
                return await verdicts.look(key)  # type: ignore[arg-type]
            return await real(lease) if kind in ("ticket", "board", "people", "watch") else Done()

        writer = await stack.enter_async_context(DeliveryWriter(database))
        web = FastAPI()
        web.include_router(Intake(writer, (SecretStr(SECRET),), frozenset({app.id})).router())
        github.webhooks.transport = httpx.ASGITransport(app=web)
        stack.push_async_callback(github.stop)
        token, _ = await enrolled(database, shop.id, POOL)
        yield Town(
            *(
                clock,
                database,
                github,
                gate,
                app,
                installation,
                shop,
                litellm,
                AgentApi(parts, clock.seconds),
                parts,
                tickets,
            ),
            *(token, Traffic(github, app.id), verdicts, _NightWorker(database, look, SLOTS), looks),
        )
    assert github.crashes == []
