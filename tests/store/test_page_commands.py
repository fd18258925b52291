"""A button's comment is written by one of those who try, and again only after GitHub refused it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from app.store import page_commands
from app.store.database import Database
from app.store.page_commands import PageCommand

pytestmark = pytest.mark.anyio

STOP = PageCommand("key", 42, 3, "3", 5, "/stop now")


async def test_of_many_who_return_at_once_one_writes(database: Database) -> None:
    async with database.transaction() as connection:
        assert await page_commands.press(connection, STOP) == STOP
        assert await page_commands.press(connection, replace(STOP, body="/accept")) == STOP

    async def begin() -> bool:
        async with database.transaction() as connection:
            return await page_commands.begin(connection, "key")

    assert sorted(await asyncio.gather(*(begin() for _ in range(8)))) == [False] * 7 + [True]
    async with database.transaction() as connection:
        await page_commands.unwritten(connection, "key")
        assert await page_commands.begin(connection, "key")
        await page_commands.written(connection, "key", 77)
        await page_commands.unwritten(connection, "key")
        assert await page_commands.find(connection, "key") == replace(STOP, begun=True, comment_id=77)
        assert await page_commands.of_comment(connection, 42, 5, 77) == ("/stop now", None, None)
        for others in ((43, 5, 77), (42, 6, 77), (42, 5, 78)):
            assert await page_commands.of_comment(connection, *others) is None
        assert await page_commands.find(connection, "other") is None
