"""Worker processes killed with -9 in the middle of an attempt."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from app.store import work
from app.store.database import Database
from app.store.work import Lease, Mark
from app.store.worker import Done, Outcome, Worker
from tests.store import processes

pytestmark = pytest.mark.anyio


async def test_the_keys_of_a_killed_worker_run_again_within_ten_seconds_once(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    begun.touch()
    victim = processes.begin("work", database_url, begun)
    try:
        keys = {f"k{number}-hang" for number in range(3)}
        await asyncio.to_thread(processes.ready, victim)
        async with database.transaction() as connection:
            await work.mark(connection, [Mark(key) for key in keys])
        await _lines(begun, 3)
        victim.kill()
        killed = time.monotonic()
        assert victim.wait() == -9
        assert await work.claim(database) is None, "its leases still run"
        again = await _worked_by_two(database, until=killed + 10)
    finally:
        processes.end(victim)
    assert sorted(again) == sorted(keys)


async def _lines(file: Path, wanted: int) -> None:
    async with asyncio.timeout(10):
        while len(file.read_text().splitlines()) < wanted:  # noqa: ASYNC110 - a process writes it
            await asyncio.sleep(0.02)


async def _worked_by_two(db: Database, until: float) -> list[str]:
    """What two workers begin until a second after the third key, and before that time."""
    seen: list[str] = []

    async def look(lease: Lease) -> Outcome:
        seen.append(lease.key)
        return Done()

    tasks = [asyncio.create_task(Worker(db, look).run()) for _ in range(2)]
    while len(seen) < 3 and time.monotonic() < until:  # noqa: ASYNC110 - until a time
        await asyncio.sleep(0.02)
    await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen
