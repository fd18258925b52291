# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Messages that people were told at once: each is planned here first, so that a comment is never posted twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.rows import kwargs_row

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.escalation import Cause
from policies.tickets.escalation_pushes import Push

Outcome = Literal["posted", "failed", "dropped"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A message. `outcome` is None while its comment may stand or not: look before posting."""

    id: int
    push: Push
    outcome: Outcome | None = None


COLUMNS = "id, person, cause, numbers, planned_at, outcome"
# A message that could not be posted told nobody, and is not tried again; one that was dropped was not needed any more.
TRIED = "outcome is distinct from 'dropped'"
COUNTED = f"{TRIED} and outcome is distinct from 'failed'"


async def plan(connection: Connection, repository_id: int, pushes: Sequence[Push]) -> None:
    for push in pushes:
        await connection.execute(
            "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at) values (%s, %s, %s, %s, %s)",
            (repository_id, text(push.person), push.cause, list(push.tickets), push.at),
        )


async def pending(connection: Connection, repository_id: int) -> list[Planned]:
    """Those that are still to be posted, the oldest first."""
    return await _read(connection, "repository_id = %s and outcome is null order by id", repository_id)


async def since(connection: Connection, repository_id: int, moment: datetime) -> list[Push]:
    """Messages of a repository since then, those that could not be posted too."""
    where = f"repository_id = %s and planned_at >= %s and {TRIED} order by id"
    return [one.push for one in await _read(connection, where, repository_id, moment)]


async def elsewhere(connection: Connection, repository_id: int, moment: datetime) -> dict[str, int]:
    """Messages of all other repositories since then, by person in small letters."""
    cursor = await connection.execute(
        "select lower(person), count(*) from ticket_pushes "
        f"where repository_id <> %s and planned_at >= %s and {COUNTED} group by lower(person)",
        (repository_id, moment),
    )
    return {row[0]: row[1] for row in await cursor.fetchall()}


async def done(
    connection: Connection, push_id: int, outcome: Outcome, issue: int | None = None, comment_id: int | None = None
) -> None:
    await connection.execute(
        "update ticket_pushes set outcome = %s, issue = %s, comment_id = %s where id = %s and outcome is null",
        (outcome, issue, comment_id, push_id),
    )


async def taken(connection: Connection, push_id: int, channels: int) -> None:
    """So many further channels took it."""
    await connection.execute("update ticket_pushes set channels = %s where id = %s", (channels, push_id))


async def _read(connection: Connection, where: str, *parameters: object) -> list[Planned]:
    cursor = connection.cursor(row_factory=kwargs_row(_planned))
    await cursor.execute(f"select {COLUMNS} from ticket_pushes where {where}", parameters)
    return await cursor.fetchall()


def _planned(
    *,
    id: int,  # noqa: A002 - the column
    person: str,
    cause: str,
    numbers: list[int],
    planned_at: datetime,
    outcome: Outcome | None,
) -> Planned:
    return Planned(id, Push(person, Cause(cause), tuple(numbers), planned_at), outcome)
