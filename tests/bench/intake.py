"""Intake over a real socket: `mergegate web` as its own process, its embedded server with durable commits.

Beside it, in turns, a Probot 14 App that only verifies and answers: nothing of it is durable. It is measured where
MERGEGATE_BENCH_PROBOT names a folder with node_modules/probot (`npm install probot@14`).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.intake.webhook import PATH
from tests.bench import processors
from tests.bench.deliveries import SECRET, SIZE, Sender, requests
from tests.bench.measured import Row, milliseconds, percentile
from tests.demo.service import free_port
from tests.service.process import GateProcess, postmaster

TIMES = 5
SECONDS = 4.0  # of each of them
CONNECTIONS = 256  # twice the deliveries of one commit: while some are committed, others come
RATE = 1500.0  # deliveries a second: half of what the bar asks for
RATED_SECONDS = 10.0
PROBOT_FOLDER = os.environ.get("MERGEGATE_BENCH_PROBOT")
PROBOT_PATH = "/api/github/webhooks"  # Probot's default
# Where the bar was set, on 2 cores; not measured here.
PROBOT_ELSEWHERE = "7,000 to 8,500 deliveries/s where it was measured before"
_OF = f"{SIZE / 1000:.0f} kB each, {CONNECTIONS} connections"


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    gate = _web(folder)
    await gate.start()
    try:
        await gate.healthy()
        sender = Sender(int(gate.environment["MERGEGATE_PORT"]), requests(PATH), 202)
        async with _probot() as other:
            rows = await _most(gate, sender, other, say)
        say(f"taking {RATE:,.0f} deliveries a second in")
        return [*rows, await _at_rate(sender)]
    finally:
        await gate.cleanup()


@dataclass(frozen=True)
class _Round:
    rate: float  # deliveries a second
    web: float  # seconds of processors for each
    database: float


async def _most(gate: GateProcess, sender: Sender, other: Sender | None, say: Callable[[str], None]) -> list[Row]:
    await sender.closed(CONNECTIONS, 1.0)
    rounds, others = list[_Round](), list[float]()
    for number in range(TIMES):
        say(f"taking deliveries in, {number + 1} of {TIMES}")
        rounds.append(await _round(gate, sender))
        if other is not None:
            count, taken = await other.closed(CONNECTIONS, SECONDS)
            others.append(count / taken)
    median = statistics.median(each.rate for each in rounds)
    return [_ours(median, rounds), _theirs(median, others)]


async def _round(gate: GateProcess, sender: Sender) -> _Round:
    database = postmaster(Path(gate.environment["MERGEGATE_DATA"]))
    assert database is not None
    before = processors.seconds(gate.pid), processors.seconds_of_family(database)
    count, taken = await sender.closed(CONNECTIONS, SECONDS)
    after = processors.seconds(gate.pid), processors.seconds_of_family(database)
    return _Round(count / taken, *((late - early) / count for early, late in zip(before, after, strict=True)))


def _ours(median: float, rounds: list[_Round]) -> Row:
    web = statistics.median(each.web for each in rounds)
    database = statistics.median(each.database for each in rounds)
    taken = f"processors for each: web {web * 1e6:,.0f} µs, database {database * 1e6:,.0f} µs"
    return Row("intake, durable", f"{median:,.0f} deliveries/s; {taken}", f"{_OF}, median of {TIMES}")


def _theirs(ours: float, rates: list[float]) -> Row:
    what = "Probot 14, verifies and answers only"
    if not rates:
        return Row(what, "not measured (MERGEGATE_BENCH_PROBOT)", PROBOT_ELSEWHERE)
    rate = statistics.median(rates)
    return Row(what, f"{rate:,.0f} deliveries/s; ours is {ours / rate:.2f} of that", f"{_OF}, in turns with ours")


async def _at_rate(sender: Sender) -> Row:
    begun = time.perf_counter()
    durations = await sender.at_rate(RATE, CONNECTIONS, RATED_SECONDS)
    taken = time.perf_counter() - begun
    spread = ", ".join(f"p{percent} {milliseconds(percentile(durations, percent))}" for percent in (50, 95, 99))
    of = f"{RATE:,.0f} due a second for {RATED_SECONDS:.0f} s, from when each was due"
    kept = "" if taken < RATED_SECONDS + 1 else f"; not kept, it took {taken:.0f} s"
    return Row("intake at a steady rate", f"{spread}{kept}", of)


def _web(folder: Path) -> GateProcess:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    (folder / "app.pem").write_bytes(pem)
    environment = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_APP_ID": "1",
        "MERGEGATE_PRIVATE_KEY_FILE": str(folder / "app.pem"),
        "MERGEGATE_WEBHOOK_SECRET": SECRET,
        "MERGEGATE_PORT": str(free_port()),
    }
    return GateProcess("web", sys.executable, environment, folder / "web.log")


@asynccontextmanager
async def _probot() -> AsyncIterator[Sender | None]:
    if PROBOT_FOLDER is None:
        yield None
        return
    port, script = free_port(), Path(__file__).with_name("probot.mjs")
    environment = {**os.environ, "SECRET": SECRET, "PORT": str(port), "NODE_ENV": "production"}
    process = await asyncio.create_subprocess_exec("node", script, cwd=PROBOT_FOLDER, env=environment)
    try:
        sender = Sender(port, requests(PROBOT_PATH), 200)
        await _answering(sender)
        yield sender
    finally:
        process.kill()
        await process.wait()


async def _answering(sender: Sender) -> None:
    for _ in range(100):
        try:
            await sender.closed(1, 0.5)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            return
    raise AssertionError("Probot did not start")
