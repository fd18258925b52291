"""Writing a backup: every table as it is at one moment, while the service goes on."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import IO

import psycopg
from psycopg import sql

from app.store.backup_format import (
    BEGIN,
    END,
    FILES,
    FORMAT,
    PART,
    ROWS,
    BadBackup,
    Beginning,
    Ending,
    Sums,
    Table,
    Writer,
)

Connection = psycopg.Connection[tuple[object, ...]]
MIGRATIONS = "migrations"
TABLES = """
select tablename::text from pg_tables where schemaname = current_schema() and tablename <> 'migrations'
"""
NEEDS = """
select conrelid::regclass::text, confrelid::regclass::text from pg_constraint
where contype = 'f' and connamespace = current_schema()::regnamespace
"""
COLUMNS = """
select column_name::text, is_identity = 'YES' from information_schema.columns
where table_schema = current_schema() and table_name = %s and is_generated = 'NEVER' order by ordinal_position
"""


def write_backup(connection: Connection, files: Mapping[str, bytes], file: IO[bytes], made_at: float) -> Ending:
    """Rows of all tables, as one transaction sees them, and these files; what was written, by name.

    `connection` is in autocommit mode and has no limit on the time of a statement; `made_at` is seconds since 1970.
    Raises BadBackup where there is nothing to back up.
    """
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        begin = _beginning(connection)
        writer, sums = Writer(file, made_at), Sums()
        writer.add(BEGIN, begin.model_dump_json().encode())
        counts = {table.name: _write_rows(connection, table, writer, sums) for table in begin.tables}
    for name, data in files.items():
        writer.add(FILES + name, data)
        sums.take(FILES + name, data)
        counts[FILES + name] = 1
    ending = Ending(counts=counts, digests=sums.digests())
    writer.add(END, ending.model_dump_json().encode())
    writer.close()
    return ending


def _beginning(connection: Connection) -> Beginning:
    there = connection.execute("select to_regclass('migrations') is not null").fetchone()
    if there is None or not there[0]:
        raise BadBackup("the database was never used, so there is nothing to back up")
    versions = connection.execute("select version from migrations order by version").fetchall()
    tables = tuple(_table(connection, name) for name in _in_order(connection))
    return Beginning(format=FORMAT, versions=tuple(row[0] for row in versions), tables=tables)


def _in_order(connection: Connection) -> list[str]:
    """Tables, those first that rows of others refer to."""
    needs: dict[str, set[str]] = {str(row[0]): set() for row in connection.execute(TABLES)}
    for table, needed in connection.execute(NEEDS):
        needs[str(table)].add(str(needed))
    return list(TopologicalSorter({name: sorted(needs[name]) for name in sorted(needs)}).static_order())


def _table(connection: Connection, name: str) -> Table:
    columns = [(str(row[0]), bool(row[1])) for row in connection.execute(COLUMNS, (name,))]
    numbered = next((column for column, is_numbered in columns if is_numbered), None)
    last = None
    if numbered is not None:
        row = connection.execute(
            "select pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)", (name, numbered)
        ).fetchone()
        last = None if row is None else row[0]
    return Table(name=name, columns=tuple(column for column, _ in columns), numbered=numbered, last_number=last)


def _write_rows(connection: Connection, table: Table, writer: Writer, sums: Sums) -> int:
    """How many rows there were."""
    sums.take(table.name)
    part, number = bytearray(), 0
    with connection.cursor() as cursor:
        with cursor.copy(copy_statement(table, "to stdout")) as copy:
            for row in copy:
                part += row
                if len(part) >= PART:
                    number = _write_part(table.name, number, part, writer, sums)
        rows = cursor.rowcount
    if part:
        _write_part(table.name, number, part, writer, sums)
    return rows


def _write_part(name: str, number: int, part: bytearray, writer: Writer, sums: Sums) -> int:
    data = bytes(part)
    writer.add(f"{ROWS}{name}/{number:05}", data)
    sums.take(name, data)
    part.clear()
    return number + 1


def copy_statement(table: Table, direction: str) -> sql.Composed:
    """`direction` is `to stdout` or `from stdin`."""
    columns = sql.SQL(", ").join(sql.Identifier(column) for column in table.columns)
    words = sql.SQL("to stdout") if direction == "to stdout" else sql.SQL("from stdin")
    return sql.SQL("copy {} ({}) {}").format(sql.Identifier(table.name), columns, words)
