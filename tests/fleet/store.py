"""A database whose `now()` and `clock_timestamp()` are the night's: functions that stand before PostgreSQL's own.

Names without a schema are looked up along `search_path`. That of this database has ours before `pg_catalog`, already
when the migrations are applied, so that the columns' defaults use them as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from app.store.database import Database
from tests.fleet.clock import Clock

NAME = "night"
# A sequence is read as it is now, whatever transaction is open, and leaves no dead rows. Both functions are of a form
# that PostgreSQL puts into the statement itself (inlines), at a twentieth of the price of calling one of SQL.
CLOCK = """
create schema night;
create sequence night.clock minvalue 0;
create function night.clock_timestamp() returns timestamptz language sql volatile as
  $$ select timestamptz 'epoch' + pg_sequence_last_value('night.clock') * interval '1 microsecond' $$;
create function night.now() returns timestamptz language sql volatile as
  $$ select timestamptz 'epoch' + pg_sequence_last_value('night.clock') * interval '1 microsecond' $$;
"""


@contextlib.asynccontextmanager
async def night_store(conninfo: str, clock: Clock) -> AsyncIterator[Database]:
    """A new migrated database beside the one at `conninfo`, gone at the end of the block."""
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as server:
        await server.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(NAME)))
        await server.execute(sql.SQL("create database {}").format(sql.Identifier(NAME)))
        own = make_conninfo(conninfo, dbname=NAME, options="-c search_path=public,night,pg_catalog")
        async with await psycopg.AsyncConnection.connect(own, autocommit=True) as connection:
            await connection.execute(CLOCK)
            await connection.execute(SET, (microseconds(clock),))
        try:
            async with Database.open(own, Path("/nonexistent")) as database:
                yield database
        finally:
            await server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(NAME)))


SET = "select setval('night.clock', %s)"


def microseconds(clock: Clock) -> int:
    return round(clock.seconds() * 1_000_000)


async def set_clock(database: Database, clock: Clock) -> None:
    await database.query(SET, (microseconds(clock),))
