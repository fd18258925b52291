"""Databases for tests: one server a test session (and a worker of xdist), emptied for each test.

Import `anyio_backend`, `server`, `database_url` and `database` into a `conftest.py`. Async tests are marked
`@pytest.mark.anyio`. Code that runs its own event loop takes `database_url`, which is as empty. Where each test asks
hundreds of questions, `kept_database` and `emptied_database` spare it new connections, whose first questions cost most.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from app.store.database import Database
from app.store.embedded import Embedded

__all__ = [
    "anyio_backend",
    "data_folder",
    "database",
    "database_url",
    "emptied",
    "emptied_database",
    "kept_database",
    "server",
]

TABLES = """
select quote_ident(tablename) from pg_tables where schemaname = current_schema() and tablename <> 'migrations'
"""
Session = psycopg.Connection[TupleRow]
_SWEEPERS: dict[str, Session] = {}

KEPT = "kept for a file of tests"  # the name of sessions that are not ended between tests
# A session that is in the middle of something could hold locks, or write yet.
OTHERS = """
select pg_terminate_backend(pid, 10000) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and not (application_name = %s and state = 'idle')
"""
RESTART = """
select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
from pg_sequences where last_value is not null
"""


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server() -> Iterator[Embedded]:
    """A running server that loses data in a power failure, and is quicker for it."""
    with data_folder() as folder:
        embedded = Embedded(folder)
        embedded.start()
        try:
            with psycopg.connect(embedded.conninfo, autocommit=True) as connection:
                connection.execute("alter system set fsync = off")
                connection.execute("select pg_reload_conf()")
            yield embedded
        finally:
            _dismiss(embedded.conninfo)
            embedded.stop()


@pytest.fixture
def database_url(server: Embedded) -> str:
    """How to connect to a database that is empty: never migrated, or migrated and without rows."""
    emptied(server.conninfo)
    return server.conninfo


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open, migrated, empty database."""
    async with Database.open(database_url, Path("/nonexistent")) as opened:
        yield opened


@pytest.fixture(scope="module")
async def kept_database(server: Embedded) -> AsyncIterator[Database]:
    """An open, migrated database for all tests of a file; they use `emptied_database`."""
    conninfo = make_conninfo(server.conninfo, application_name=KEPT)
    async with Database.open(conninfo, Path("/nonexistent")) as opened:
        yield opened


@pytest.fixture
async def emptied_database(request: pytest.FixtureRequest, server: Embedded, kept_database: Database) -> Database:
    """The file's database, empty. What a test left running ends with it, as it does where each has its own loop."""
    emptied(server.conninfo)
    loop, before = asyncio.get_running_loop(), asyncio.all_tasks()
    # The end of a fixture that yields is a task of the loop as well.
    request.addfinalizer(lambda: _end(loop, asyncio.all_tasks(loop) - before))  # noqa: PT021
    return kept_database


def _end(loop: asyncio.AbstractEventLoop, left: set[asyncio.Task[Any]]) -> None:
    """Between tests, when the loop stands still."""
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left))


def emptied(conninfo: str) -> None:
    """Remove all rows. Sessions that an earlier test left open are ended first, but for idle ones that are kept."""
    try:
        _empty(_sweeper(conninfo))
    except psycopg.OperationalError:  # a test ended all sessions of others, or its server
        _dismiss(conninfo)
        _empty(_sweeper(conninfo))


def _empty(connection: Session) -> None:
    connection.execute(OTHERS, (KEPT,))
    filled = _filled(connection)
    if filled:
        connection.execute("; ".join(f"delete from {name}" for name in filled))
    connection.execute(RESTART)


def _filled(connection: Session) -> list[str]:
    """The tables with rows, ready for SQL: most are empty."""
    tables = [name for (name,) in connection.execute(TABLES)]
    looks = (f"select '{name}' where exists (select from {name})" for name in tables)
    return [name for (name,) in connection.execute(" union all ".join(looks))] if tables else []


def _sweeper(conninfo: str) -> Session:
    """The session that empties tables. It stays, because a new one has to learn anew what tables there are.

    It removes rows instead of truncating, which would make it plan its questions anew each time.
    """
    known = _SWEEPERS.get(conninfo)
    if known is None:
        known = _SWEEPERS[conninfo] = psycopg.connect(conninfo, autocommit=True)
        known.execute("set session_replication_role = replica")  # the audit log refuses, for good reason
    return known


def _dismiss(conninfo: str) -> None:
    known = _SWEEPERS.pop(conninfo, None)
    if known is not None:
        known.close()


@contextlib.contextmanager
def data_folder(prefix: str = "mergegate-") -> Iterator[Path]:
    """A temporary folder that PostgreSQL's user may enter, also when the tests run as root (pytest's own is closed).

    In memory where that is possible: a cluster is 40 MB, and syncing it is most of the time of starting one.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=_memory()))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _memory() -> Path | None:
    """The file system in memory, if there is one with room for a dozen clusters (containers often have 64 MB)."""
    memory = Path("/dev/shm")
    usable = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 * 1024**3
    return memory if usable else None
