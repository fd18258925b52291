"""A day of 1,000 agents in minutes: does the service's memory grow, and do its tables end where retention says?

`mergegate serve` is a process of its own, the simulated GitHub is in this one. Every replayed hour pull requests of all
kinds are opened, tested, judged, approved, merged or evicted, and what will never land is closed two hours later; and
as many deliveries as 1,000 agents cause (100 a day each, by assumption) come in about them, so that they are looked at
again and again. The repository has as many files in the evening as in the morning: its pull requests change some of
them. The evening before, two such hours, comes first: the day's first hour has work of all kinds as well, so that what
grows later grows because time passes. The clock of the service is not moved: what an hour holds follows as fast as it
is worked off.
Retention is tried at the end, on a connection whose `now()` is 401 days ahead.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psycopg.conninfo import make_conninfo

from app.intake.webhook import PATH
from app.store import audit
from app.store.database import Database
from app.store.prune import KEPT, RULES, Periods, prune_all
from tests.bench import inside, processors
from tests.bench.deliveries import Request, Sender, about_pull, originals, signed
from tests.bench.measured import Row
from tests.gate.scene import SECRET
from tests.github.rate_limits import DEFAULT_LIMITS
from tests.service.process import GateProcess
from tests.service.town import KINDS, Town, files_of, town

HOURS = 24
EVENING = 2  # hours: what is opened is touched an hour later, and given up another hour later
AGENTS = 1000
DELIVERIES = AGENTS * 100 // HOURS  # an hour
EACH = 4  # pull requests of each kind that are opened an hour
PULLS = EACH * len(KINDS)
PLACES = 100  # whose files are changed one after the other: more than pull requests are open at once
OTHER_FILES = 2_000
LIMIT = float(os.environ.get("MERGEGATE_BENCH_DAY_SECONDS", "3600"))
CONNECTIONS = 32
PATIENCE = 120.0  # seconds for one hour's pull requests to be right, and merged
LATER = "401 days"
RESYNC = 15  # seconds; an hour takes some 40 s, so that each has its resyncs


async def measure(folder: Path, say: Callable[[str], None]) -> list[Row]:
    (folder / "day").mkdir()
    async with town(folder / "day", files=_files()) as place:
        place.places = PLACES
        # What GitHub lets an installation ask in each of these hours comes in the one that is not over.
        place.github.rate_limits.limits = {name: HOURS * most for name, most in DEFAULT_LIMITS.items()}
        written = folder / "day" / "in_use"
        written.touch()
        gate = replace(
            place.gate(MERGEGATE_RESYNC_SECONDS=str(RESYNC), **{inside.FILE: str(written)}), program=inside.PROGRAM
        )
        await gate.start()
        try:
            await gate.healthy()
            hours = await _hours(place, gate, written, say)
        finally:
            await gate.cleanup()
        say("pruning with a clock that is ahead")
        return [_memory(hours), _in_use(hours), await _tables(place.data)]


def _files() -> dict[str, str]:
    others = {f"library/part_{n // 50}/module_{n}.py": f"NUMBER = {n}\n" for n in range(OTHER_FILES)}
    numbers = range(1, PLACES + 1)
    changed = [files_of(KINDS[(n - 1) % len(KINDS)], n % PLACES, 0) for n in numbers]
    return {**others, **{path: text for files in changed for path, text in files.items()}}


@dataclass(frozen=True)
class _Hour:
    resident: float  # bytes, of the one process of web and worker; the median of the hour's seconds
    blocks: int  # of Python's allocator, at the hour's quietest second
    allotted: int  # bytes by malloc, the same
    wrong: int  # pull requests whose checks were not right, or that were not merged, when the hour ended


async def _hours(place: Town, gate: GateProcess, written: Path, say: Callable[[str], None]) -> list[_Hour]:
    """The evening before, and as many of the day's hours as fit into LIMIT seconds."""
    start, hours = time.monotonic(), list[_Hour]()
    sender = Sender(int(gate.environment["MERGEGATE_PORT"]), [], 202)
    for _ in range(EVENING):
        await _hour(place, sender)
    while len(hours) < HOURS and time.monotonic() < start + LIMIT:
        say(f"hour {len(hours) + 1} of {HOURS}, {start + LIMIT - time.monotonic():.0f} s left")
        begun = len(written.read_text("ascii").splitlines())
        async with _watched(gate) as seen:
            await _hour(place, sender)
        hours.append(_Hour(statistics.median(seen), *inside.least(written, begun), _wrong(place)))
        _tell(len(hours), hours[-1], time.monotonic() - start)
    return hours


@asynccontextmanager
async def _watched(gate: GateProcess) -> AsyncIterator[list[int]]:
    """How many bytes of it are resident, every second of the block: more while much is under way, less in between."""

    async def watch() -> None:
        while True:
            seen.append(processors.resident(gate.pid))
            await asyncio.sleep(1)

    seen = list[int]()
    task = asyncio.create_task(watch())
    await asyncio.sleep(0)
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _hour(place: Town, sender: Sender) -> None:
    opened = [(await place.open(kind)).number for kind in KINDS * EACH]
    for number in range(max(1, opened[0] - PULLS), opened[0]):
        await place.touch(number)
    for number in range(max(1, opened[0] - 2 * PULLS), max(1, opened[0] - PULLS)):
        await place.give_up(number)
    sender.requests = _about(place, opened)
    await sender.exactly(DELIVERIES, CONNECTIONS)
    with suppress(TimeoutError):
        await _right(place)


def _tell(number: int, hour: _Hour, taken: float) -> None:
    """A line of its own, also in a file: whoever waits for a day wants to see it pass."""
    resident = f"{hour.resident / 1024**2:.1f} MB resident, {hour.blocks / 1000:.0f} thousand blocks and "
    resident += f"{hour.allotted / 1024**2:.1f} MB in use"
    print(f"hour {number}: {resident}, {hour.wrong} pull requests not right, after {taken:.0f} s", flush=True)


def _about(place: Town, numbers: list[int]) -> list[Request]:
    """Deliveries that tell nothing new of these pull requests, so that they are only looked at again."""
    shop, original = place.shop, originals()[0]
    repository = {"id": shop.id, "name": shop.name, "full_name": f"{shop.owner}/{shop.name}", "default_branch": "main"}
    installation = {
        "id": next(one.id for one in place.github.world.installations.values() if one.app_id == place.app.id)
    }
    about = {"action": "labeled", "repository": repository, "installation": installation}
    heads = {number: place.shop.pulls[number] for number in numbers}
    return [
        signed(PATH, about_pull(original, number, {"sha": pull.head_sha, "ref": pull.head_ref}, **about), SECRET)
        for number, pull in heads.items()
    ]


def _wrong(place: Town) -> int:
    return len({*place.wrong(), *place.unfinished()})


async def _right(place: Town) -> None:
    async with asyncio.timeout(PATIENCE):
        while _wrong(place):  # noqa: ASYNC110 - what is waited for are records that others change
            await asyncio.sleep(0.1)


def _memory(hours: list[_Hour]) -> Row:
    shown = _marked([f"{hour.resident / 1024**2:.1f} MB" for hour in hours])
    wrong = f", {hours[-1].wrong} pull requests not right at the end" if hours[-1].wrong else ""
    of = f"{len(hours)} of {HOURS} hours: {len(hours) * DELIVERIES:,} deliveries, {len(hours) * PULLS} pull requests"
    return Row(
        f"a day of {AGENTS:,} agents: memory", f"{shown}{wrong}", f"{of}; web and worker, resident, median of each hour"
    )


def _in_use(hours: list[_Hour]) -> Row:
    """Without what the allocators keep."""
    shown = _marked([f"{hour.blocks / 1000:.0f} + {hour.allotted / 1024**2:.1f}" for hour in hours])
    of = "thousands of Python's small blocks + MB of malloc, at the quietest second of each hour"
    return Row(f"a day of {AGENTS:,} agents: memory in use", shown, of)


def _marked(figures: list[str]) -> str:
    marks = sorted(at for at in {1, 2, 6, 12, len(figures)} if at <= len(figures))
    return ", ".join(f"{figures[at - 1]} after hour {at}" for at in marks)


async def _tables(data: Path) -> Row:
    async with Database.open(None, data) as database:
        before = await _counts(database)
        ahead = make_conninfo(database.conninfo, options="-c search_path=public,ahead,pg_catalog")
        await database.query("create schema ahead")
        await database.query(
            "create function ahead.now() returns timestamptz language sql stable as "
            f"$$ select pg_catalog.now() + interval '{LATER}' $$"
        )
        async with Database.open(ahead, data, migrated=False) as later:
            while sum((await prune_all(later, Periods())).values()):
                pass
            async with later.transaction() as connection:
                while await audit.prune(connection, Periods().audit, 2000):
                    pass
        after = await _counts(database)
    return _pruned(before, after)


async def _counts(database: Database) -> Mapping[str, int]:
    tables = sorted({rule.table for rule in RULES} | {*KEPT})
    return {table: (await database.query(f"select count(*) from {table}"))[0][0] for table in tables}


def _pruned(before: Mapping[str, int], after: Mapping[str, int]) -> Row:
    left = {table: count for table, count in after.items() if count}
    most = ", ".join(f"{table} {left[table]:,}" for table in sorted(left, key=lambda one: -left[one])[:6])
    shown = f"{sum(before.values()):,} rows; {LATER} later {sum(left.values()):,} are left"
    return Row(f"a day of {AGENTS:,} agents: tables", shown, f"left most: {most}")
