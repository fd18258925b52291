"""`web`, `work` and `proxy` several times on one database, each a process with a data folder of its own."""

from __future__ import annotations

import random
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app.store.embedded import Embedded
from tests.demo.service import free_port
from tests.many.outage import outage
from tests.many.processes import Known, descendants
from tests.service.process import GateProcess
from tests.standby import SERVICE, standby


@dataclass
class Fleet:
    """`started` are processes that members had started when they were killed or told to stop."""

    members: list[GateProcess]
    started: set[Known] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)
    _turns: list[GateProcess] = field(default_factory=list)

    def addresses(self, part: str) -> list[str]:
        return [one.address for one in self.members if one.part == part]

    async def start(self) -> None:
        for one in self.members:
            await one.start()
        await self.healthy()

    async def healthy(self) -> None:
        """Return when all answer that the database answers. AssertionError when one has ended or takes too long."""
        for one in self.members:
            await one.healthy()

    async def disturb(self, chance: random.Random) -> None:
        """One of them is killed, or told to end, and starts again; all have their turn before one has another."""
        if not self._turns:
            self._turns = _each_part_first(chance.sample(self.members, len(self.members)))
        member = self._turns.pop(0)
        self.started |= descendants(member.pid)
        if chance.random() < 0.6:
            self.ends[f"{member.part} killed"] += 1
            await member.kill()
        else:
            self.ends[f"{member.part} stopped"] += 1
            await member.healthy()  # before that the signal ends it like any process
            code, _ = await member.stop()
            assert code == 0, member.log_end()
        await member.start()

    async def lose_database(self, server: Embedded, how: signal.Signals, seconds: float) -> None:
        """It goes away for so long. All have started by now, and none ends of it."""
        self.ends[f"database by {how.name}"] += 1
        await outage(server, how, seconds)
        await self.healthy()

    async def stop(self) -> list[int]:
        """Their exit codes, once all have started: before that a signal ends them like any process."""
        await self.healthy()
        self.started |= {one for member in self.members for one in descendants(member.pid)}
        return [(await one.stop())[0] for one in self.members]

    async def cleanup(self) -> None:
        for one in self.members:
            await one.cleanup()

    def log_ends(self) -> str:
        return "\n".join(f"== {one.log.name}\n{one.log_end()}" for one in self.members)


def _each_part_first(members: Sequence[GateProcess]) -> list[GateProcess]:
    first = {one.part: one for one in members}.values()
    return [*first, *(one for one in members if all(one is not other for other in first))]


def fleet(folder: Path, settings: Mapping[str, str], parts: Sequence[str]) -> Fleet:
    """Not started yet. `settings` are what all parts share; no proxy is given the gate's key."""
    return Fleet([_member(folder, settings, number, part) for number, part in enumerate(parts)])


def _member(folder: Path, settings: Mapping[str, str], number: int, part: str) -> GateProcess:
    port, private = str(free_port()), str(free_port())
    own = {
        "MERGEGATE_DATA": str(folder / f"data-{number}"),
        # Where `healthy` asks: a worker has but its private listener.
        "MERGEGATE_PORT": private if part == "work" else port,
        "MERGEGATE_PROXY_PORT": port,
        "MERGEGATE_METRICS_PORT": private,
    }
    of_gate = ("MERGEGATE_APP_ID", "MERGEGATE_PRIVATE_KEY", "MERGEGATE_WEBHOOK_SECRET")
    shared = {name: value for name, value in settings.items() if part != "proxy" or not name.startswith(of_gate)}
    log = folder / f"{part}-{number}.log"
    return GateProcess(part, sys.executable, {**shared, **own}, log, standby=standby(*SERVICE))


class Spread(httpx.AsyncBaseTransport):
    """Webhooks go to any of the addresses by chance, as through a balancer that does not know who is down."""

    def __init__(self, chance: random.Random) -> None:
        self.addresses: list[str] = []
        self._chance = chance
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self.addresses:
            raise httpx.ConnectError("nobody listens yet")
        there = httpx.URL(self._chance.choice(self.addresses))
        request.url = request.url.copy_with(host=there.host, port=there.port)
        request.headers["host"] = there.netloc.decode()
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
