"""`mergegate backup` and `restore`: the database in one file, and back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, get_args

import psycopg
import typer

from app import registrations
from app.cli.files import shown
from app.cli.gate_store import check_there
from app.cli.printing import counted, print_line, progress
from app.config import Settings, read_settings
from app.local.clone import CannotLook
from app.registrations import Role
from app.store import audit
from app.store.audit import Entry
from app.store.audit_chain import Broken
from app.store.backup import Connection, write_backup
from app.store.backup_format import Ending
from app.store.database import Database, check_address
from app.store.embedded import Embedded
from app.store.restore import check_backup, restore_backup

INSIDE = (
    "Inside: webhook bodies, what was seen of pull requests and logs, people's logins, and hashes of session tokens "
    "(no token)."
)
WITHOUT_KEYS = (
    "Private keys and secrets are not in it: keep those of the environment, or give --with-keys for the rest."
)
WITH_KEYS = "It holds the PRIVATE KEYS and secrets of the Apps that were registered from the set-up page."


def backup(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file that does not exist yet; its owner alone reads it.")
    ],
    with_keys: Annotated[
        bool, typer.Option("--with-keys", help="Also the keys and secrets of Apps that the set-up page registered.")
    ] = False,
) -> None:
    """Write the database, as it is at one moment, into one file.

    The service may go on meanwhile. Exit code 2: it could not.
    """
    settings = read_settings(os.environ)
    path, part = Path(file), Path(f"{file}.part")
    if path.exists():
        raise CannotLook(f"{shown(file)} is there already. Give another name, or remove it.")
    try:
        with progress("Writing the backup"), _existing(settings) as connection:
            ending = _written(connection, part, _keys(settings) if with_keys else {})
        part.rename(path)
    except OSError as wrong:
        raise CannotLook(f"{shown(file)} cannot be written: {wrong.strerror}. Choose another place.") from wrong
    finally:
        part.unlink(missing_ok=True)
    rows = sum(ending.counts.values())
    print_line(f"Backed up: {counted(rows, 'row')}, {path.stat().st_size / 1e6:.1f} MB, in {shown(file)}.", "green")
    print_line(f"{INSIDE} {WITH_KEYS if with_keys else WITHOUT_KEYS}")


def _written(connection: Connection, path: Path, files: dict[str, bytes]) -> Ending:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        ending = write_backup(connection, files, file, time.time())
        file.flush()
        os.fsync(file.fileno())
    return ending


def _keys(settings: Settings) -> dict[str, bytes]:
    paths = {role: registrations.path_of(settings.data, role) for role in get_args(Role)}
    return {f"{role}.json": path.read_bytes() for role, path in paths.items() if path.exists()}


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `mergegate backup` wrote.")],
) -> None:
    """Put a backup back into an empty database, all of it or nothing.

    Every session in it is ended. The database is the one of MERGEGATE_DATABASE_URL, or a new one in MERGEGATE_DATA.
    Exit code 2: nothing was put back.
    """
    settings = read_settings(os.environ)
    if settings.database_url:
        check_address(settings.database_url)
    try:
        with Path(file).open("rb") as stream:
            if stream.seekable():  # a pipe can be read once
                with progress("Reading the backup"):
                    check_backup(stream)
                stream.seek(0)
            with progress("Restoring"), _connection(settings) as connection:
                ending, files = restore_backup(connection, stream)
    except OSError as wrong:
        raise CannotLook(f"{shown(file)} cannot be read: {wrong.strerror}. Give the path of a backup.") from wrong
    kept = _put_keys(settings, files)
    broken = asyncio.run(_settled(settings))
    print_line(f"Restored: {counted(sum(ending.counts.values()), 'row')}. Start the service now.", "green")
    if kept:
        print_line(f"Keys of Apps: {', '.join(kept)}.")
    if broken is not None:
        print_line(f"The audit log in the backup is BROKEN at record {broken.seq}: {broken.because}.", "bold red")


def _put_keys(settings: Settings, files: dict[str, bytes]) -> list[str]:
    """What became of the keys in the backup; those that are here already stay as they are."""
    said = []
    for role in get_args(Role):
        data = files.get(f"{role}.json")
        if data is not None and registrations.path_of(settings.data, role).exists():
            said.append(f"{role}'s were here already and stay")
        elif data is not None:
            registrations.save(settings.data, role, registrations.read(data))
            said.append(f"{role}'s are back")
    return said


async def _settled(settings: Settings) -> Broken | None:
    """Bring the tables to this version, prove the audit log, and record there what was done."""
    async with Database.open(settings.database_url, settings.data, size=1) as database:
        async with database.transaction() as connection:
            found = await audit.verify(connection)
        async with database.transaction() as connection:
            await audit.append(connection, [Entry("configuration", "restored from a backup")])
    return found if isinstance(found, Broken) else None


@contextlib.contextmanager
def _existing(settings: Settings) -> Iterator[Connection]:
    check_there(settings)
    with _connection(settings) as connection:
        yield connection


@contextlib.contextmanager
def _connection(settings: Settings) -> Iterator[Connection]:
    """Without the limits of the service's own connections: large tables take their time."""
    with contextlib.ExitStack() as stack:
        conninfo = settings.database_url
        if conninfo is not None:
            check_address(conninfo)
        else:
            embedded = Embedded(settings.data)
            embedded.start()
            stack.callback(embedded.stop)
            conninfo = embedded.conninfo
        try:
            connection = stack.enter_context(psycopg.connect(conninfo, autocommit=True, connect_timeout=5))
        except psycopg.OperationalError as wrong:
            cause = " ".join(str(wrong).split())
            raise CannotLook(
                f"no connection to the database: {cause} Start it, or set MERGEGATE_DATABASE_URL."
            ) from wrong
        yield connection
