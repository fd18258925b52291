"""A database that is kept for a file of tests is as empty for each of them as a new one, and as undisturbed."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from app.store.database import Database
from app.store.embedded import Embedded
from tests.databases import KEPT, emptied, emptied_database, kept_database

__all__ = ["emptied_database", "kept_database"]
pytestmark = pytest.mark.anyio
FILL = """
insert into repositories (repository_id, installation_id, owner, name, default_branch) values (1, 1, 'a', 'b', 'c')
on conflict do nothing
"""
LEFT: set[asyncio.Task[None]] = set()


async def fill_for_ever(database: Database) -> None:
    while True:
        await database.query(FILL)
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("turn", ["first", "second"])
async def test_rows_and_work_that_a_test_leaves_are_gone_in_the_next(turn: str, emptied_database: Database) -> None:
    assert [task.cancelled() for task in LEFT] == [True] * (turn == "second")
    await asyncio.sleep(0.1)
    assert await emptied_database.query("select from repositories") == []
    await emptied_database.query(FILL)
    LEFT.add(asyncio.create_task(fill_for_ever(emptied_database)))


async def test_an_idle_session_is_kept(server: Embedded, emptied_database: Database) -> None:
    before = await emptied_database.query("select pg_backend_pid()")
    emptied(server.conninfo)
    assert await emptied_database.query("select pg_backend_pid()") == before


async def test_a_kept_session_within_a_transaction_is_ended(server: Embedded, emptied_database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(server.conninfo, application_name=KEPT) as held:
        await held.execute("lock table repositories")
        emptied(server.conninfo)
        with pytest.raises(psycopg.OperationalError):
            await held.execute("select 1")
