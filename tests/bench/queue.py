"""The work table on the embedded server with durable commits."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from app.store import work
from app.store.database import Database
from app.store.work import Mark
from tests.bench.measured import Row

KEYS = 3000
SLOTS = 8


async def measure(data: Path) -> list[Row]:
    async with Database.open(None, data) as database:
        begun = time.perf_counter()
        async with database.transaction() as connection:
            await work.mark(connection, [Mark(f"pull:1:1:{number}") for number in range(KEYS)])
        marked = time.perf_counter() - begun
        begun = time.perf_counter()
        finished = sum(await asyncio.gather(*[_work_off(database) for _ in range(SLOTS)]))
        taken = time.perf_counter() - begun
    return [
        Row("work table: mark", f"{KEYS / marked:,.0f} keys/s", f"{KEYS:,} keys in one transaction"),
        Row("work table: claim and finish", f"{finished / taken:,.0f} keys/s", f"{finished:,} keys, {SLOTS} slots"),
    ]


async def _work_off(database: Database) -> int:
    count = 0
    while (lease := await work.claim(database)) is not None:
        count += await work.finish(database, lease)
    return count
