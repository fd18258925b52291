"""A database that another version of the program works on too: who goes on, who refuses, and who waits for whom."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from app.gate.reconcile import Reconciler
from app.store import migrate, work
from app.store.database import Connection, Database, connect
from app.store.embedded import Embedded
from app.store.migrate import MigrationWaits, NewerDatabase
from app.store.work import Mark
from app.store.worker import Worker
from tests.databases import anyio_backend, server
from tests.many.newer import NEXT, newer_folder

__all__ = ["anyio_backend", "server"]

pytestmark = pytest.mark.anyio

NOWHERE = Path("/nonexistent")


@pytest.fixture
def own_url(server: Embedded) -> Iterator[str]:
    """A database of this version that no other test sees."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("create database stepped")
        try:
            yield make_conninfo(server.conninfo, dbname="stepped")
        finally:
            connection.execute("drop database stepped with (force)")


async def test_a_key_of_a_kind_that_only_a_newer_program_knows_is_left_to_it(own_url: str) -> None:
    async with Database.open(own_url, NOWHERE) as database:
        async with database.transaction() as connection:
            await work.mark(connection, [Mark("shade:1:2:3")])
        gate: Any = None  # nothing of it is needed to see that
        await Worker(database, Reconciler(gate, timedelta(0))).drain()
        (row,) = await database.query("select attempts, parked, lease, due_at > now(), last_error from work")
        assert row[:4] == (1, False, None, True) and "not a key of a known kind" in row[4]
        await database.query("update work set due_at = now()")
        taken = await work.claim(database)
        assert taken is not None and taken.key == "shade:1:2:3"


@contextlib.asynccontextmanager
async def _stepped(url: str, folder: Path) -> AsyncIterator[Connection]:
    """A connection to the database after all steps in `folder`."""
    async with await connect(url) as connection:
        await migrate.migrate(connection, folder)
        yield connection


async def test_a_program_goes_on_with_a_database_to_which_a_newer_one_has_added(own_url: str, tmp_path: Path) -> None:
    async with _stepped(own_url, newer_folder(tmp_path)) as connection:
        assert await migrate.migrate(connection) == []
    async with Database.open(own_url, NOWHERE) as database:
        assert await database.query("select max(version) from migrations") == [(NEXT,)]


@pytest.mark.parametrize(("oldest", "goes_on"), [(NEXT - 1, True), (NEXT, False)])
async def test_a_step_that_takes_away_says_who_goes_on(
    own_url: str, tmp_path: Path, oldest: int, goes_on: bool
) -> None:
    folder = newer_folder(tmp_path, f"-- oldest: {oldest:04}\ndrop table ticket_brakes;")
    async with _stepped(own_url, folder) as connection:
        refusal = pytest.raises(
            NewerDatabase, match=f"is at version {NEXT}, .* up to {NEXT - 1}: .* Start that version"
        )
        with contextlib.nullcontext() if goes_on else refusal:
            assert await migrate.migrate(connection) == []


async def test_of_a_step_of_which_nothing_is_said_the_worst_is_believed(own_url: str) -> None:
    async with _stepped(own_url, migrate.FOLDER) as connection:
        await connection.execute("insert into migrations (version, name) values (%s, 'unknown')", (NEXT,))
        with pytest.raises(NewerDatabase):
            await migrate.migrate(connection)


async def test_a_database_from_before_the_rule_gets_what_the_rule_needs(own_url: str, tmp_path: Path) -> None:
    async with _stepped(own_url, migrate.FOLDER) as connection:
        await connection.execute("alter table migrations drop column oldest")
        assert await migrate.migrate(connection, newer_folder(tmp_path)) == [NEXT]
        rows = await (await connection.execute("select count(oldest), count(*) from migrations")).fetchall()
        assert rows == [(1, NEXT - len(_missing()))]


def _missing() -> set[int]:
    return set(range(1, NEXT)) - {one.version for one in migrate.known()}


async def test_a_step_waits_for_a_long_transaction_without_anybody_waiting_for_it(
    own_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a lock that is waited for, every reader would stand too."""
    monkeypatch.setattr(migrate, "LOCK_PATIENCE", "50ms")
    monkeypatch.setattr(migrate, "PAUSE", 0.01)
    async with _stepped(own_url, migrate.FOLDER) as connection, await connect(own_url) as reader:
        async with await connect(own_url) as backup, backup.transaction():
            await backup.execute("select from work")  # holds its share of the table until it ends
            stepping = asyncio.create_task(migrate.migrate(connection, newer_folder(tmp_path)))
            for _ in range(20):
                await reader.execute("select from work")
                await asyncio.sleep(0.01)
            assert not stepping.done()
        assert await stepping == [NEXT]


async def test_a_lock_that_is_never_let_go_is_told_of(
    own_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "LOCK_PATIENCE", "50ms")
    async with _stepped(own_url, migrate.FOLDER) as connection:
        async with await connect(own_url) as backup, backup.transaction():
            await backup.execute("select from work")
            with pytest.raises(
                MigrationWaits, match=r"for 0 s something else has held .*lock timeout.*pg_stat_activity"
            ):
                await migrate.migrate(connection, newer_folder(tmp_path), patience=0.0)
        assert await migrate.migrate(connection, newer_folder(tmp_path)) == [NEXT]


async def test_one_that_brings_the_database_forward_is_waited_for(own_url: str, tmp_path: Path) -> None:
    folder = newer_folder(tmp_path)
    async with _stepped(own_url, migrate.FOLDER), await connect(own_url) as one, await connect(own_url) as other:
        applied = await asyncio.gather(migrate.migrate(one, folder), migrate.migrate(other, folder))
    assert sorted(applied) == [[], [NEXT]]
