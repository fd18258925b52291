"""Putting a backup back: into an empty database, all of it or nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO

import psycopg
from psycopg import sql

from app.store.backup import Connection, copy_statement
from app.store.backup_format import (
    END,
    FILES,
    ROWS,
    BadBackup,
    Beginning,
    Ending,
    Sums,
    Table,
    members,
    read_beginning,
    read_ending,
)
from app.store.migrate import LOCK, NOTE, TABLE, known

# One that was stopped after the backup was written must not come to life again, and nobody knows which those are.
END_SESSIONS = """
update sessions set ended_at = clock_timestamp(), ended_because = 'the database was restored from a backup'
where ended_at is null
"""
Members = Iterator[tuple[str, bytes]]


def restore_backup(connection: Connection, file: IO[bytes]) -> tuple[Ending, dict[str, bytes]]:
    """What was put back, by table, and the files that were in the backup, by name.

    `connection` is in autocommit mode. Raises BadBackup before anything has changed: the tables are made by the
    migrations that had made them when the backup was written, in the one transaction that also brings the rows.
    """
    try:
        with connection.transaction():
            return _restored(connection, members(file))
    except (psycopg.DataError, psycopg.IntegrityError) as wrong:
        raise BadBackup(f"the rows do not fit their tables ({wrong}); nothing was restored. Use another file") from None


def check_backup(file: IO[bytes]) -> None:
    """Read it to its end, so that no database is made for one that cannot be put back. Raises BadBackup."""
    parts, sums, ending = members(file), Sums(), None
    begin = read_beginning(*next(parts, ("", b"")))
    _refuse_newer(begin)
    for table in begin.tables:
        sums.take(table.name)
    for name, data in parts:
        if name == END:
            ending = read_ending(data)
            break
        sums.take(_place_of(name), data)
    # Rows are counted by the database when they are put back.
    _compare(ending, Ending(counts=ending.counts if ending else {}, digests=sums.digests()))


def _restored(connection: Connection, parts: Members) -> tuple[Ending, dict[str, bytes]]:
    begin = read_beginning(*next(parts, ("", b"")))
    _refuse_filled(connection)
    _make_tables(connection, begin)
    tables = {table.name: table for table in begin.tables}
    counts, sums, files, ending = dict.fromkeys(tables, 0), Sums(), dict[str, bytes](), None
    for name in tables:
        sums.take(name)
    for place, run in itertools.groupby(parts, lambda part: _place_of(part[0])):
        if place == END:
            ending = read_ending(next(run)[1])
            break
        if place.startswith(FILES):
            files[place.removeprefix(FILES)] = data = next(run)[1]
            sums.take(place, data)
            counts[place] = 1
        elif place in tables:
            counts[place] += _put_back(connection, tables[place], run, sums)
        else:
            raise BadBackup(f"the file holds {place[:100]!r}, which nothing here is called. Use another one")
    _compare(ending, Ending(counts=counts, digests=sums.digests()))
    for table in begin.tables:
        _go_on_numbering(connection, table)
    if "sessions" in tables:
        connection.execute(END_SESSIONS)
    return Ending(counts=counts, digests=sums.digests()), files


def _place_of(member: str) -> str:
    """A table's name for parts of its rows; anything else stands for itself."""
    return member.removeprefix(ROWS).rpartition("/")[0] if member.startswith(ROWS) else member


def _refuse_filled(connection: Connection) -> None:
    connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
    row = connection.execute("select count(*) from pg_tables where schemaname = current_schema()").fetchone()
    if row is None or row[0]:
        raise BadBackup(
            "the database is not empty. Restore into a new one, or into a data folder that does not exist yet"
        )


def _refuse_newer(begin: Beginning) -> None:
    here = {migration.version for migration in known()}
    unknown = sorted(set(begin.versions) - here)
    if unknown:
        raise BadBackup(
            f"the backup was written by a newer Mergegate: its database has step {unknown[-1]}, this program knows "
            f"steps up to {max(here)}. Restore it with that version"
        )


def _make_tables(connection: Connection, begin: Beginning) -> None:
    _refuse_newer(begin)
    here = {migration.version: migration for migration in known()}
    connection.execute(TABLE)
    for version in begin.versions:
        step = here[version]
        connection.execute(step.sql.encode())
        connection.execute(NOTE, (step.version, step.name, step.oldest))


def _put_back(connection: Connection, table: Table, run: Members, sums: Sums) -> int:
    with connection.cursor() as cursor:
        with cursor.copy(copy_statement(table, "from stdin")) as copy:
            for _, data in run:
                sums.take(table.name, data)
                copy.write(data)
        return cursor.rowcount


def _compare(told: Ending | None, found: Ending) -> None:
    if told is None:
        raise BadBackup(f"the file is cut: {END} is missing; nothing was restored. Use another one")
    names = {*told.counts, *told.digests, *found.counts}
    wrong = sorted(
        name
        for name in names
        if (told.counts.get(name), told.digests.get(name)) != (found.counts.get(name), found.digests.get(name))
    )
    if wrong:
        raise BadBackup(f"the file is damaged in {', '.join(wrong)}; nothing was restored. Use another one")


def _go_on_numbering(connection: Connection, table: Table) -> None:
    if table.numbered is not None and table.last_number is not None:
        connection.execute(
            sql.SQL("select setval(pg_get_serial_sequence(%s, %s), %s)"),
            (table.name, table.numbered, table.last_number),
        )
