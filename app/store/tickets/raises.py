"""What people gave a ticket beyond what it had, each with who and why."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.raising import Raise
from policies.tickets.records import Raised


async def add(
    connection: Connection, repository_id: int, number: int, found: Iterable[Raise], *, by: str, because: str
) -> None:
    """Limits that hold higher now."""
    for one in found:
        await connection.execute(
            "insert into ticket_raises (repository_id, number, what, was, became, usual, raised_by, because) "
            "values (%s, %s, %s, %s, %s, %s, %s, %s)",
            (repository_id, number, one.limit, one.was, one.became, one.usual, text(by), text(because)),
        )


async def grant(
    connection: Connection, repository_id: int, number: int, pattern: str, *, by: str, because: str
) -> None:
    """A path that may be changed too."""
    await connection.execute(
        "insert into ticket_raises (repository_id, number, what, pattern, raised_by, because) "
        "values (%s, %s, 'path', %s, %s, %s)",
        (repository_id, number, text(pattern), text(by), text(because)),
    )


async def raised_since(connection: Connection, repository_id: int, since: datetime) -> tuple[Raised, ...]:
    """The oldest first."""
    cursor = await connection.execute(
        "select number, at, (became / usual)::float8 from ticket_raises "
        "where repository_id = %s and at >= %s order by id",
        (repository_id, since),
    )
    return tuple(Raised(*row) for row in await cursor.fetchall())
