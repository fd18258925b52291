"""A rolling upgrade over a migration: two versions side by side on one database, and back again."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.databases import anyio_backend, data_folder, server
from tests.many.fleet import Fleet, Spread, fleet
from tests.many.newer import NEXT, newer_folder
from tests.many.test_steps import own_url
from tests.service.process import GateProcess
from tests.service.town import Town, town

__all__ = ["anyio_backend", "own_url", "server"]

pytestmark = pytest.mark.anyio

SECONDS = 300.0
NEWER = "the database is of a newer Mergegate, whose steps only add; going on"


async def test_two_versions_work_side_by_side_and_lose_nothing(own_url: str) -> None:
    with data_folder() as folder:
        async with _street(folder, own_url) as (place, running):
            old_web, old_work, new_work = running.members
            await _begin(old_web, old_work)
            await place.open("payment")
            await _until(lambda: not place.wrong(), running)
            # The newer version comes beside the older one, and brings the database forward under its feet.
            await _begin(new_work)
            assert _version(own_url) == NEXT
            await _both_work(place, running, old_work, new_work)
            # One of the older ones dies, and starts again as nobody has replaced it yet.
            await old_work.kill()
            await old_work.start()
            await old_work.healthy()
            assert NEWER in old_work.log_end()
            await _both_work(place, running, old_work, new_work)
            assert [(await one.stop())[0] for one in (old_web, old_work)] == [0, 0]
            await place.touch(1)
            await _until(lambda: not place.wrong() and not place.unfinished(), running)
            assert place.duplicates() == []
    assert "Traceback" not in running.log_ends()


def _version(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select max(version) from migrations").fetchone()
    assert row is not None
    return int(row[0])


async def _begin(*members: GateProcess) -> None:
    for one in members:
        await one.start()
    for one in members:
        await one.healthy()


@contextlib.asynccontextmanager
async def _street(folder: Path, url: str) -> AsyncIterator[tuple[Town, Fleet]]:
    """Two of this version, a worker of the next, none started."""
    async with town(folder) as place:
        settings = {**place.environment, "MERGEGATE_DATABASE_URL": url, "MERGEGATE_RESYNC_SECONDS": "5"}
        running = fleet(folder, settings | {"MERGEGATE_SLOTS": "1"}, ("web", "work", "work"))
        program = ("-m", "tests.many.newer", str(newer_folder(folder)))
        running.members[2:] = [replace(one, program=program) for one in running.members[2:]]
        spread = Spread(random.Random(1))
        spread.addresses = running.addresses("web")
        place.github.webhooks.transport = spread
        try:
            yield place, running
        finally:
            await running.cleanup()


async def _both_work(place: Town, running: Fleet, *workers: GateProcess) -> None:
    """Until both versions have finished keys that came now."""
    before = [await _finished(one) for one in workers]
    while not all([await _finished(one) > then for one, then in zip(workers, before, strict=True)]):
        await place.open("red")
        await _until(lambda: not place.wrong(), running)


async def _finished(worker: GateProcess) -> float:
    """Attempts that came to their end in this process since its start."""
    async with httpx.AsyncClient(trust_env=False) as client:
        text = (await client.get(f"{worker.address}/metrics")).text
    return sum(float(number) for number in re.findall(r'^mergegate_attempts_total\{outcome="done"\} (\S+)', text, re.M))


async def _until(done: Callable[[], bool], running: Fleet) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < end, running.log_ends()
        await asyncio.sleep(0.1)
