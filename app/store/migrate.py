"""Numbered SQL files, applied in order, each in one transaction, under a lock that all processes share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from app.errors import ActionableError

FOLDER = Path(__file__).with_name("migrations")
# Any number will do, as long as every version of the program uses the same one in its database.
LOCK = 7_236_541_208_177
TABLE = """
create table if not exists migrations (
  version integer primary key,
  name text not null,
  applied_at timestamptz not null default now()
)"""


class NewerDatabase(ActionableError, RuntimeError):
    """The database was migrated by a newer version of the program; this one must not touch it."""


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str


def known(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """The migrations of this version of the program, in order. Files are named `0001_what_it_does.sql`."""
    files = sorted(folder.glob("[0-9]*.sql"))
    return tuple(Migration(int(file.stem.split("_", 1)[0]), file.stem, file.read_text("utf-8")) for file in files)


async def migrate(connection: AsyncConnection[TupleRow], folder: Path = FOLDER) -> list[int]:
    """Apply what is missing; the versions that this call applied.

    The connection is in autocommit mode. Safe when several processes call it at once: each migration's transaction
    takes the lock first and looks again what is missing. Raises NewerDatabase before anything is changed.
    """
    migrations = known(folder)
    applied: list[int] = []
    while (version := await _apply_next(connection, migrations)) is not None:
        applied.append(version)
    return applied


async def _apply_next(connection: AsyncConnection[TupleRow], migrations: tuple[Migration, ...]) -> int | None:
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
        await connection.execute(TABLE)
        done = await applied_versions(connection)
        _refuse_newer(done, migrations)
        following = next((migration for migration in migrations if migration.version not in done), None)
        if following is None:
            return None
        # The text is one of our own files; without parameters, so that it may hold several statements.
        await connection.execute(following.sql)
        await connection.execute(
            "insert into migrations (version, name) values (%s, %s)", (following.version, following.name)
        )
        return following.version


async def applied_versions(connection: AsyncConnection[TupleRow]) -> frozenset[int]:
    """The versions that this database has; empty for one that was never migrated."""
    exists = await (await connection.execute("select to_regclass('migrations') is not null")).fetchone()
    if exists is None or not exists[0]:
        return frozenset()
    cursor = await connection.execute("select version from migrations")
    return frozenset(row[0] for row in await cursor.fetchall())


def _refuse_newer(done: frozenset[int], migrations: tuple[Migration, ...]) -> None:
    newest = max((migration.version for migration in migrations), default=0)
    if max(done, default=0) > newest:
        raise NewerDatabase(
            f"the database is at version {max(done)}, this program knows versions up to {newest}: it was used by a "
            "newer Mergegate. Start that version, or restore a backup from before the upgrade."
        )
