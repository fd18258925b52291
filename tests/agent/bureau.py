"""A gate, the agents' proxy on a socket, and agents that speak HTTP to it, all beside one simulated GitHub."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from app.agent_api.openapi import document
from app.config import LitellmSettings
from app.github.identity import AppIdentity
from app.proxy.running import proxying
from app.proxy.session_token import ENROLMENT, new_token, token_hash
from app.secret import SecretStr
from app.store import enrolments
from app.store.database import Database
from app.store.enrolments import Enrolling, Enrolment
from tests.agent.contract import check_answer
from tests.gate.scene import scene
from tests.proxy.scene import COURIER_PERMISSIONS, agent_environment, serving
from tests.tickets.desk import TICKETS, Desk, desk

POOL = "night"


@dataclass
class Bureau:
    """`address` is the proxy's; every answer of `call` is compared with the published document."""

    desk: Desk
    database: Database
    address: str
    client: httpx.AsyncClient
    token: str  # of an enrolment for the pool `night` of acme/shop
    enrolment: Enrolment
    courier: AppIdentity

    @property
    def variables(self) -> dict[str, str]:
        """How a process of the server is told of all this."""
        return {
            "MERGEGATE_DATABASE_URL": self.database.conninfo,
            "MERGEGATE_GITHUB_API_URL": self.courier.api_url,
            "MERGEGATE_COURIER_APP_ID": str(self.courier.app_id),
            "MERGEGATE_COURIER_PRIVATE_KEY": self.courier.private_keys[0].get_secret_value(),
        }

    async def git(self, token: str, *arguments: str, cwd: Path) -> tuple[int, str]:
        """Run git with a session's token; how it ended and what it said on both streams."""
        settings = {f"http.{self.address}/.extraHeader": f"Authorization: Bearer {token}"}
        process = await asyncio.create_subprocess_exec(
            *("git", *arguments),
            cwd=cwd,
            env=agent_environment(settings),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        return process.returncode or 0, out.decode(errors="replace")

    async def call(
        self, method: str, path: str, body: object = None, *, token: str | None = None, **headers: str
    ) -> httpx.Response:
        given = self.token if token is None else token
        sent = {"authorization": f"Bearer {given}"} if given else {}
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"content-type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.client.request(method, path, content=content, headers={**kind, **sent, **named})
        check_answer(document(), answer)
        return answer

    async def claim(self, body: object = None, wait: int = 0, *, token: str | None = None) -> dict[str, Any]:
        answer = await self.call("POST", f"/agent/claim?wait={wait}", body, token=token)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def accepted(self) -> int:
        """The number of a ticket that waits for an agent."""
        number = (await self.desk.open()).number
        await self.desk.say(number, "/accept")
        return number

    async def enrol(self, pool: str = POOL, *, repository_id: int | None = None, name: str = "shop") -> str:
        token, _ = await enrolled(self.database, repository_id or self.desk.shop.id, pool, name)
        return token


async def enrolled(database: Database, repository_id: int, pool: str, name: str = "shop") -> tuple[str, Enrolment]:
    token = new_token(ENROLMENT).get_secret_value()
    new = Enrolling(token_hash(token), repository_id, "acme", name, pool, "ada", timedelta(days=1))
    async with database.transaction() as connection:
        return token, await enrolments.add(connection, new)


@contextlib.asynccontextmanager
async def bureau(
    folder: Path,
    database: Database,
    policy: str = TICKETS,
    issuers: tuple[str, ...] = (),
    baseline: str | None = None,
    litellm: LitellmSettings | None = None,
) -> AsyncIterator[Bureau]:
    async with contextlib.AsyncExitStack() as stack:
        stage = await stack.enter_async_context(scene(folder, database))
        at_desk = await stack.enter_async_context(desk(stage, policy))
        await stage.github.start()
        stack.push_async_callback(stage.github.stop)
        app, key = stage.github.register_app("carrier", COURIER_PERMISSIONS, [])
        stage.github.install(app, "acme")
        identity = AppIdentity("courier", app.id, (SecretStr(key),), stage.github.world.base_url)
        running = proxying(database, identity, issuers=issuers, baseline=baseline, litellm=litellm)
        proxy = await stack.enter_async_context(running)
        port = await stack.enter_async_context(serving(proxy))
        address = f"http://127.0.0.1:{port}"
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=address, timeout=20, trust_env=False))
        token, enrolment = await enrolled(database, at_desk.shop.id, POOL)
        yield Bureau(at_desk, database, address, client, token, enrolment, identity)


async def soon(task: asyncio.Task[Any], seconds: float = 0.05) -> None:
    """Let a request that waits be under way."""
    await asyncio.wait({task}, timeout=seconds)
    assert not task.done()
