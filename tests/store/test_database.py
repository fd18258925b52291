"""Opening a database, migrating it, and what callers see when its server is away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from app.store import migrate, work
from app.store.database import Connection, Database, DatabaseAway, UnfitServer, connect
from app.store.embedded import Embedded
from app.store.migrate import NewerDatabase
from app.store.work import Mark
from tests.databases import data_folder
from tests.store import processes

pytestmark = pytest.mark.anyio

NOWHERE = Path("/nonexistent")
ALL = [migration.version for migration in migrate.known()]


@pytest.fixture
def blank_url(server: Embedded) -> Iterator[str]:
    """A database that was never migrated."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("create database blank")
        try:
            yield make_conninfo(server.conninfo, dbname="blank")
        finally:
            connection.execute("drop database blank with (force)")


async def done(connection: Connection) -> list[int]:
    cursor = await connection.execute("select version from migrations order by version")
    return [row[0] for row in await cursor.fetchall()]


def test_migrations_are_numbered_without_gaps() -> None:
    assert list(range(1, len(ALL) + 1)) == ALL


async def test_a_database_is_migrated_when_it_is_opened_and_only_then(blank_url: str) -> None:
    async with Database.open(blank_url, NOWHERE, migrated=False) as db, db.transaction() as connection:
        assert await (await connection.execute("select to_regclass('migrations')")).fetchone() == (None,)
    for _ in range(2):
        async with Database.open(blank_url, NOWHERE) as db, db.transaction() as connection:
            assert await done(connection) == ALL


async def test_many_processes_may_migrate_at_once(blank_url: str) -> None:
    async def one() -> list[int]:
        async with await connect(blank_url) as connection:
            return await migrate.migrate(connection)

    applied = await asyncio.gather(*(one() for _ in range(6)))
    assert sorted(version for versions in applied for version in versions) == ALL


async def test_a_migration_that_fails_leaves_nothing_of_itself(blank_url: str, tmp_path: Path) -> None:
    (tmp_path / "0001_good.sql").write_text("create table one (); create table two ();")
    (tmp_path / "0002_bad.sql").write_text("create table three (); create table one ();")
    async with await connect(blank_url) as connection:
        with pytest.raises(psycopg.errors.DuplicateTable):
            await migrate.migrate(connection, tmp_path)
        assert await done(connection) == [1]
        there = await (await connection.execute("select to_regclass('two'), to_regclass('three')")).fetchone()
        assert there == ("two", None)
        (tmp_path / "0002_bad.sql").write_text("create table three ();")
        assert await migrate.migrate(connection, tmp_path) == [2]


async def test_a_newer_database_is_refused_untouched(blank_url: str, tmp_path: Path) -> None:
    (tmp_path / "0001_only.sql").write_text("create table one ();")
    async with await connect(blank_url) as connection:
        await migrate.migrate(connection)
        with pytest.raises(NewerDatabase, match=rf"is at version {ALL[-1]}, this program knows versions up to 1: .*"):
            await migrate.migrate(connection, tmp_path)
        await connection.execute("insert into migrations (version, name) values (9999, 'future')")
    with pytest.raises(NewerDatabase, match="used by a newer Mergegate"):
        async with Database.open(blank_url, NOWHERE):
            pass


async def test_a_database_that_cannot_hold_all_text_is_refused(server: Embedded) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("create database latin encoding 'LATIN1' locale 'C' template template0")
        try:
            with pytest.raises(UnfitServer, match="encoding is LATIN1"):
                async with Database.open(make_conninfo(server.conninfo, dbname="latin"), NOWHERE):
                    pass
        finally:
            connection.execute("drop database latin with (force)")


async def test_a_server_by_url_is_used_and_never_stopped(server: Embedded, database_url: str) -> None:
    folder = "".join(f"%{byte:02x}" for byte in str(psycopg.conninfo.conninfo_to_dict(database_url)["host"]).encode())
    async with Database.open(f"postgresql://mergegate@/postgres?host={folder}", NOWHERE) as db:
        assert await db.query("select 1") == [(1,)]
    assert server.ping() is psycopg.pq.Ping.OK


async def test_what_a_raising_block_did_is_rolled_back(database: Database) -> None:
    async def broken_off() -> None:
        async with database.transaction() as connection:
            await work.mark(connection, [Mark("a")])
            raise KeyError

    with pytest.raises(KeyError):
        await broken_off()
    assert await database.query("select 1 from work") == []


async def test_an_error_of_the_statement_is_not_an_error_of_the_server(database: Database) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        await database.query("select 1 / 0")
    assert await database.query("select 1") == [(1,)]


async def test_a_server_that_vanished_is_waited_for_as_long_as_the_address_says_or_not_long(database_url: str) -> None:
    patient = make_conninfo(database_url, keepalives_idle=99)
    async with Database.open(patient, NOWHERE) as db, db.transaction() as pooled, await db.connect() as own:
        for connection in (pooled, own):
            options = connection.info.get_parameters()
            assert (options["tcp_user_timeout"], options["keepalives_idle"]) == ("20000", "99")


async def test_no_server_at_all_is_said_in_time(tmp_path: Path) -> None:
    with pytest.raises(DatabaseAway, match="no connection to the database"):
        async with Database.open(f"host={tmp_path} user=nobody", NOWHERE):
            pass


async def test_sessions_that_died_are_replaced_without_a_word(database: Database, server: Embedded) -> None:
    """As after a restart of the server: every session is gone, the next use works."""
    await asyncio.gather(*(database.query("select pg_sleep(0.05)") for _ in range(6)))
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )
    async with database.transaction() as connection:
        await work.mark(connection, [Mark("a")])
    assert await work.claim(database) is not None


async def test_many_that_find_the_server_away_look_after_it_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other they would keep the pool empty for each other, which then find it away again."""
    check, checks = database._pool.check, 0

    async def counted() -> None:
        nonlocal checks
        checks += 1
        await check()

    monkeypatch.setattr(database._pool, "check", counted)
    waiting = [asyncio.create_task(database._revive()) for _ in range(20)]
    await asyncio.sleep(0)
    waiting.pop(0).cancel()
    await asyncio.gather(*waiting)
    assert checks == 1
    await database._revive()
    assert checks == 2
    assert await database.query("select 1") == [(1,)]


async def test_a_server_that_went_away_is_away_until_it_is_back() -> None:
    """Given by URL, so that nobody here may start it again."""
    with data_folder() as folder:
        user = processes.begin("use", folder, "600")
        embedded = Embedded(folder)
        try:
            async with Database.open(await asyncio.to_thread(processes.ready, user), NOWHERE) as db:
                processes.end(user)
                await asyncio.to_thread(embedded.start)
                await asyncio.to_thread(embedded.stop)
                for _ in range(2):
                    with pytest.raises(DatabaseAway):
                        await db.query("select 1")
                await asyncio.to_thread(embedded.start)
                assert await db.query("select 1") == [(1,)]
        finally:
            processes.end(user)
            await asyncio.to_thread(embedded.stop)


@pytest.mark.parametrize("turns", range(8))
async def test_a_cancellation_that_comes_together_with_a_connection_is_not_lost(database_url: str, turns: int) -> None:
    """At whichever turn of the event loop it comes. Before Python 3.12 `asyncio.wait_for`, with which the pool waits,
    loses one that comes after what it waits for and before it has seen it (https://bugs.python.org/issue37658)."""
    async with Database.open(database_url, NOWHERE, size=1) as db:
        async with db.transaction():
            waiting = asyncio.create_task(_for_ever(db))
            await _turns(20)
            assert db.pool_stats()["requests_waiting"] == 1
        await _turns(turns)
        waiting.cancel()
        await asyncio.wait({waiting}, timeout=2)
        assert waiting.cancelled()
        assert await db.query("select 1") == [(1,)], "its connection is free again"


async def _turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def _for_ever(db: Database) -> None:
    while True:
        await db.query("select 1")
        await asyncio.sleep(30)


async def test_rows_without_columns_are_rows(database: Database) -> None:
    assert await database.query("select from generate_series(1, 2)") == [(), ()]
    assert await database.query("create temporary table nothing ()") == []
