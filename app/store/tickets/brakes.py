"""The brake of a repository: while it is pulled, no ticket there is given to an agent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Brake:
    repository_id: int
    pulled_by: str
    because: str
    pulled_at: datetime


async def find(connection: Connection, repository_id: int) -> Brake | None:
    cursor = connection.cursor(row_factory=class_row(Brake))
    await cursor.execute(
        "select repository_id, pulled_by, because, pulled_at from ticket_brakes where repository_id = %s",
        (repository_id,),
    )
    return await cursor.fetchone()


async def pull(connection: Connection, repository_id: int, by: str, because: str) -> None:
    """Who pulled it first stays known."""
    await connection.execute(
        "insert into ticket_brakes (repository_id, pulled_by, because) values (%s, %s, %s) on conflict do nothing",
        (repository_id, text(by), text(because)),
    )


async def release(connection: Connection, repository_id: int) -> bool:
    """False when it was not pulled."""
    cursor = await connection.execute("delete from ticket_brakes where repository_id = %s", (repository_id,))
    return cursor.rowcount == 1
