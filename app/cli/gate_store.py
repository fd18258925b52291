"""The service's own store, as commands look into it while the service runs or rests."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import psycopg

from app.config import Settings
from app.local.clone import CannotLook
from app.store import repositories
from app.store.database import Connection, Database, check_address
from app.store.place import SUBFOLDER
from app.store.repositories import Repository
from policies.escape import clean

Found = TypeVar("Found")


def check_there(settings: Settings) -> None:
    """No command makes a database where there is none. Raises CannotLook, UnfitServer."""
    if settings.database_url:
        check_address(settings.database_url)
    if settings.database_url is None and not _holds_database(settings.data):
        raise CannotLook(
            f"there is no database in {clean(str(settings.data), 300)}. "
            "Set MERGEGATE_DATA or MERGEGATE_DATABASE_URL as the service has it."
        )


def _holds_database(data: Path) -> bool:
    """Raises CannotLook where nobody but the service may look."""
    try:
        return (data / SUBFOLDER).is_dir()
    except OSError as wrong:
        raise CannotLook(
            f"{clean(str(data), 300)} cannot be looked into: {wrong.strerror}. Do this as the user that the service "
            "runs as."
        ) from wrong


@contextlib.asynccontextmanager
async def opened(settings: Settings, size: int = 1) -> AsyncIterator[Database]:
    """The store while the block lasts, in whichever version it is, by `size` connections. Raises CannotLook."""
    check_there(settings)
    async with Database.open(settings.database_url, settings.data, size=size, migrated=False) as database:
        try:
            yield database
        except psycopg.ProgrammingError as wrong:
            raise CannotLook("the database is empty or older than this program. Run `mergegate migrate`.") from wrong


async def in_store(settings: Settings, work: Callable[[Connection], Awaitable[Found]]) -> Found:
    """What `work` does or finds there in one transaction. Raises CannotLook."""
    async with opened(settings) as database, database.transaction() as connection:
        return await work(connection)


async def known_repository(connection: Connection, owner: str, name: str) -> Repository:
    """Raises CannotLook."""
    found = await repositories.named(connection, owner, name)
    if found is None:
        raise CannotLook(
            f"the repository {clean(f'{owner}/{name}', 200)} is not known here. "
            "Check its name, and that the App is installed on it."
        )
    return found
