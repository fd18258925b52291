"""The open database: a pool of connections, transactions, and what happens when the server goes away."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Concatenate, LiteralString, ParamSpec, Self, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from app.errors import ActionableError
from app.store.cancelling import told_to_end
from app.store.embedded import Embedded, EmbeddedFailed
from app.store.migrate import migrate

P = ParamSpec("P")
T = TypeVar("T")
Connection = AsyncConnection[TupleRow]
Pool = AsyncConnectionPool[Connection]

SIZE = 10  # connections of one process, at most
OLDEST = 14_00_00
PATIENCE = 5.0  # seconds to wait for a free or new connection
# A process that is stopped in the middle of a transaction must not hold its row locks for ever.
SESSION = (
    "set timezone = 'UTC'",
    "set statement_timeout = '60s'",
    "set idle_in_transaction_session_timeout = '60s'",
)
# A server that vanished without a word is noticed after about so long, not after the system's quarter of an hour to two
# hours (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-KEEPALIVES); milliseconds, then seconds.
SILENCE = {"tcp_user_timeout": 20_000, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2}
# SQLSTATE classes: connection exception, insufficient resources, operator intervention, system error; and the single
# code for a server that only reads (a standby after a failover).
AWAY_CLASSES = ("08", "53", "57P", "58")
AWAY_CODES = ("25006",)
_ADVICE = "Start it, or set MERGEGATE_DATABASE_URL to where it is"


class DatabaseAway(ActionableError, RuntimeError):
    """The database cannot be used now; nothing is known to be committed. Trying again later is right."""


class UnfitServer(ActionableError, RuntimeError):
    """The server at MERGEGATE_DATABASE_URL cannot serve; the text says what it lacks."""


class Database:
    """Use `Database.open`; safe for any number of tasks of one event loop."""

    def __init__(self, pool: Pool, conninfo: str, embedded: Embedded | None) -> None:
        self.conninfo = conninfo
        self._pool = pool
        self._embedded = embedded
        self._revival: asyncio.Task[None] | None = None
        self._away = False

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, url: str | None, folder: Path, *, size: int = SIZE, migrated: bool = True
    ) -> AsyncIterator[Self]:
        """Open the database at `url`, or without one the app's own in the data folder, and apply missing migrations.

        Raises EmbeddedFailed, DatabaseAway, UnfitServer or NewerDatabase, each with what to do.
        """
        if url:
            check_address(url)
        async with contextlib.AsyncExitStack() as stack:
            embedded = None if url else await stack.enter_async_context(running(folder))
            conninfo = url or (embedded.conninfo if embedded else "")
            await _migrate(conninfo, migrated, _ADVICE if url else "")
            pool = await stack.enter_async_context(_pool(conninfo, size))
            database = cls(pool, conninfo, embedded)
            stack.push_async_callback(database._settled)
            yield database

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises.

        A dead connection is noticed when the transaction begins; then the server is looked after and one more try is
        made. Raises DatabaseAway when it stays away or goes away in between; if that is at the commit, the commit may
        or may not have happened, so what is done in the block must be harmless when done again.
        """
        async with contextlib.AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(self._begun())
            except DatabaseAway:
                await self._revive()
                connection = await stack.enter_async_context(self._begun())
            yield connection

    async def query(self, sql: LiteralString, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[TupleRow]:
        """One statement as its own transaction; its rows. If the connection breaks it is run a second time, so it must
        be harmless when repeated. Raises DatabaseAway."""
        return await self.read(_rows, sql, parameters)

    async def read(
        self, reading: Callable[Concatenate[Connection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `reading(connection, ...)` finds with statements that only read, each seeing what was committed before
        it: without the two further round trips of a transaction. If the connection breaks all is read once more.
        Raises DatabaseAway."""
        try:
            return await self._read(reading, *args, **kwargs)
        except DatabaseAway:
            await self._revive()
            return await self._read(reading, *args, **kwargs)

    async def readdress(self, url: str) -> None:
        """Make new connections so from now on, because its password or user has changed; those that are open stay.

        Raises DatabaseAway where none can be made so; then nothing has changed.
        """
        async with await connect(url):
            self.conninfo = self._pool.conninfo = url

    async def connect(self) -> Connection:
        """A connection of its own in autocommit mode, for listening. Raises DatabaseAway."""
        return await connect(self.conninfo)

    def pool_stats(self) -> dict[str, int]:
        """Numbers of the pool under the names that psycopg_pool gives them."""
        return self._pool.get_stats()

    async def _read(
        self, reading: Callable[Concatenate[Connection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        connection = await self._take()
        try:
            with _away(connection):
                return await reading(connection, *args, **kwargs)
        finally:
            await self._pool.putconn(connection)

    @contextlib.asynccontextmanager
    async def _begun(self) -> AsyncIterator[Connection]:
        connection = await self._take()
        try:
            with _away(connection):
                async with connection.transaction():
                    yield connection
        finally:
            await self._pool.putconn(connection)

    async def _take(self) -> Connection:
        if self._away:
            await self._revive()
        told = told_to_end()
        try:
            connection = await self._pool.getconn()
        except (PoolTimeout, PoolClosed, TooManyRequests) as wrong:
            raise DatabaseAway(f"no connection to the database: {wrong}") from wrong
        if told_to_end() > told:
            await self._pool.putconn(connection)
            raise asyncio.CancelledError
        return connection

    async def _revive(self) -> None:
        """Start our own server if it is down, and throw away the connections that died with it.

        Raises DatabaseAway when no connection can be made; until one can, no caller waits for the pool in vain.
        """
        if self._revival is None or self._revival.done():
            self._revival = asyncio.create_task(self._revived())
            self._revival.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        # All share it, because the pool is empty while it looks at its connections; who stops waiting does not stop it.
        await asyncio.shield(self._revival)

    async def _settled(self) -> None:
        """When nobody looks after the server any more; before the pool closes."""
        if self._revival is not None:
            await asyncio.gather(self._revival, return_exceptions=True)

    async def _revived(self) -> None:
        self._away = True
        await self._restart()
        async with await connect(self.conninfo):
            self._away = False
        await self._pool.check()

    async def _restart(self) -> None:
        if self._embedded is None:
            return
        try:
            await asyncio.to_thread(self._embedded.ensure_running)
        except EmbeddedFailed as wrong:
            raise DatabaseAway(str(wrong)) from wrong


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Embedded]:
    """The app's own server, running while the block lasts (and as long as others use it)."""
    embedded = Embedded(folder)
    try:
        await asyncio.to_thread(embedded.start)
        yield embedded
    finally:
        await asyncio.to_thread(embedded.stop)


def place_of(url: str) -> dict[str, Any] | None:
    """Which database an address names, and how it is reached, without who asks. None for what is no address."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return None
    return {name: value for name, value in given.items() if name not in ("user", "password")}


async def connect(conninfo: str) -> Connection:
    """One connection in autocommit mode. Raises DatabaseAway."""
    try:
        return await AsyncConnection.connect(conninfo, **_options(conninfo))
    except psycopg.OperationalError as wrong:
        raise DatabaseAway(f"no connection to the database: {' '.join(str(wrong).split())}") from wrong


def check_address(url: str) -> None:
    """Raises UnfitServer for what is none. It is not shown: it may hold a password."""
    if place_of(url) is None:
        raise UnfitServer("MERGEGATE_DATABASE_URL is no address; write postgresql://USER:PASSWORD@HOST/NAME")


def _options(conninfo: str) -> dict[str, Any]:
    """Of every connection. How long a silent server is waited for, the address may say otherwise."""
    given = conninfo_to_dict(conninfo)
    silence = {name: value for name, value in SILENCE.items() if name not in given}
    return {"autocommit": True, "connect_timeout": int(PATIENCE), **silence}


async def _migrate(conninfo: str, wanted: bool, advice: str) -> None:
    """The first connection, of which `advice` says what to do where there is none."""
    try:
        first = await connect(conninfo)
    except DatabaseAway as wrong:
        raise DatabaseAway(f"{wrong} {advice}".rstrip()) from wrong
    async with first as connection:
        _check_server(connection)
        if wanted:
            await migrate(connection)


def _check_server(connection: Connection) -> None:
    info = connection.info
    encoding = info.parameter_status("server_encoding")
    if info.server_version < OLDEST:
        raise UnfitServer(f"the server runs PostgreSQL {info.server_version // 10000}; version 14 or newer is needed")
    if encoding != "UTF8":
        raise UnfitServer(f"the database's encoding is {encoding}; create one with: createdb --encoding=UTF8 NAME")


@contextlib.asynccontextmanager
async def _pool(conninfo: str, size: int) -> AsyncIterator[Pool]:
    pool: Pool = AsyncConnectionPool(
        conninfo,
        kwargs=_options(conninfo),
        min_size=1,
        max_size=size,
        timeout=PATIENCE,
        # Give up soon: the next caller starts a new try, instead of waiting for a try that backs off.
        reconnect_timeout=1.0,
        configure=_configure,
        open=False,
    )
    async with pool:
        yield pool


async def _configure(connection: Connection) -> None:
    await connection.execute("; ".join(SESSION))


async def _rows(
    connection: Connection, sql: LiteralString, parameters: Sequence[Any] | dict[str, Any]
) -> list[TupleRow]:
    cursor = await connection.execute(sql, parameters)
    # Not `cursor.description`: that makes an object of each column, and is empty for a row without any.
    return await cursor.fetchall() if _has_rows(cursor.pgresult) else []


def _has_rows(result: PGresult | None) -> bool:
    return result is not None and result.status == ExecStatus.TUPLES_OK


@contextlib.contextmanager
def _away(connection: Connection) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as wrong:
        if connection.broken or is_away(wrong):
            raise DatabaseAway(f"the database went away: {wrong}") from wrong
        raise


def is_away(error: psycopg.Error) -> bool:
    """Whether an error says that the server, not the statement, is the trouble."""
    code = error.sqlstate or ""
    return code.startswith(AWAY_CLASSES) or code in AWAY_CODES
