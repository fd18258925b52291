"""Numbered SQL files, applied in order, each in one transaction, under a lock that all processes share.

Programs of two versions may work on one database while the one takes the other's place: a step adds (tables, columns,
indexes) and changes nothing that an earlier program knows, so that one goes on, and may even start again. A step that
takes away what the program no longer uses says in its first line from which step on programs do without it
(`-- oldest: 0036`), as does one of which only its author can say that they go on (a trigger); earlier ones refuse a
database that has it. tests/many/test_additive.py holds the files to that.

Nobody waits long for a step: it gives up what it has locked when a lock is not to be had within seconds, because
everybody else would stand behind it, and tries again.
"""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass
from pathlib import Path

import structlog
from psycopg import AsyncConnection
from psycopg.errors import DeadlockDetected, LockNotAvailable
from psycopg.rows import TupleRow

from app.errors import ActionableError

log = structlog.get_logger(__name__)

FOLDER = Path(__file__).with_name("migrations")
# Any number will do, as long as every version of the program uses the same one in its database.
LOCK = 7_236_541_208_177
TABLE = """
create table if not exists migrations (
  version integer primary key,
  name text not null,
  applied_at timestamptz not null default now(),
  oldest integer                              -- newest step that a program must know to go on; null: this one
)"""
NOTE = "insert into migrations (version, name, oldest) values (%s, %s, %s)"
RULED_FROM = 32  # of the steps before this one nobody knows what an earlier program makes of them

PATIENCE = 45.0  # seconds for one step
LOCK_PATIENCE = "2s"
PAUSE = 1.0  # seconds between two tries, and up to as much again

_OLDEST = re.compile(r"-- oldest: (\d{4})\n")


class NewerDatabase(ActionableError, RuntimeError):
    """A newer version of the program took away from the database what this one needs; it must not touch it."""


class MigrationWaits(ActionableError, RuntimeError):
    """Something holds what a step needs, and went on holding it. Nothing of the step was done."""


@dataclass(frozen=True, slots=True)
class Migration:
    """`oldest`: programs that know this step or a later one work with a database that has this migration."""

    version: int
    name: str
    sql: str
    oldest: int


def known(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """The migrations of this version of the program, in order. Files are named `0001_what_it_does.sql`."""
    return tuple(_read(file) for file in sorted(folder.glob("[0-9]*.sql")))


def _read(file: Path) -> Migration:
    version, sql = int(file.stem.split("_", 1)[0]), file.read_text("utf-8")
    marked = _OLDEST.match(sql)
    oldest = int(marked[1]) if marked else 0
    return Migration(version, file.stem, sql, oldest if version >= RULED_FROM else version)


async def migrate(
    connection: AsyncConnection[TupleRow], folder: Path = FOLDER, *, patience: float = PATIENCE
) -> list[int]:
    """Apply what is missing; the versions that this call applied.

    The connection is in autocommit mode. Safe when several processes call it at once: each migration's transaction
    takes the lock first and looks again what is missing. Raises NewerDatabase before anything is changed, and
    MigrationWaits when a step got no lock for `patience` seconds; those before it are then done.
    """
    migrations = known(folder)
    applied: list[int] = []
    while (version := await _apply_patiently(connection, migrations, patience)) is not None:
        applied.append(version)
    return applied


async def _apply_patiently(
    connection: AsyncConnection[TupleRow], migrations: tuple[Migration, ...], patience: float
) -> int | None:
    clock = asyncio.get_running_loop().time
    end = clock() + patience
    while True:
        try:
            return await _apply_next(connection, migrations)
        except (LockNotAvailable, DeadlockDetected) as locked:
            if clock() >= end:
                raise MigrationWaits(
                    f"the database cannot be brought to this version: for {patience:g} s something else has held "
                    f"what the next step needs ({_first_line(locked)}). Look for long transactions in "
                    "pg_stat_activity (a backup is one), let them end, and start again"
                ) from locked
            log.info("a step of the database waits for a lock", because=_first_line(locked))
        await asyncio.sleep(PAUSE * (1 + random.random()))  # noqa: S311 - so that two do not wait for each other again


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


async def _apply_next(connection: AsyncConnection[TupleRow], migrations: tuple[Migration, ...]) -> int | None:
    async with connection.transaction():
        await connection.execute(f"set local lock_timeout = '{LOCK_PATIENCE}'")
        await connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
        await _make_table(connection)
        done = await _done(connection)
        _refuse_newer(done, migrations)
        following = next((migration for migration in migrations if migration.version not in done), None)
        if following is None:
            return None
        # The text is one of our own files; without parameters, so that it may hold several statements.
        await connection.execute(following.sql)
        await connection.execute(NOTE, (following.version, following.name, following.oldest))
        return following.version


async def _make_table(connection: AsyncConnection[TupleRow]) -> None:
    await connection.execute(TABLE)
    cursor = await connection.execute(
        "select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'oldest' and not attisdropped"
    )
    if await cursor.fetchone() is None:  # asked first, because even adding nothing would lock the table
        await connection.execute("alter table migrations add column oldest integer")


async def _done(connection: AsyncConnection[TupleRow]) -> dict[int, int]:
    """The steps of this database, each with the newest step that a program must know to go on with it."""
    cursor = await connection.execute("select version, coalesce(oldest, version) from migrations")
    return dict(await cursor.fetchall())


async def newest(connection: AsyncConnection[TupleRow]) -> int:
    """The newest step of this database; 0 where none was done."""
    cursor = await connection.execute("select coalesce(max(version), 0) from migrations")
    row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


def _refuse_newer(done: dict[int, int], migrations: tuple[Migration, ...]) -> None:
    newest = max((migration.version for migration in migrations), default=0)
    unknown = {version: oldest for version, oldest in done.items() if version > newest}
    if not unknown:
        return
    if max(unknown.values()) > newest:
        raise NewerDatabase(
            f"the database is at version {max(done)}, this program knows versions up to {newest}: it was used by a "
            "newer Mergegate. Start that version, or restore a backup from before the upgrade."
        )
    log.warning("the database is of a newer Mergegate, whose steps only add; going on", has=max(done), knows=newest)
