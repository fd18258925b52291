# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What of tickets went up to people: at most one open matter a ticket, and each matter once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import kwargs_row

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.escalation import Cause, Way
from policies.tickets.escalation_question import Asked


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that goes up. `name` tells it from other matters of its ticket: the same one goes up once.

    `ordinal` is that of the agent's question, None where it is the gate's own; `people` are logins.
    """

    cause: Cause
    name: str
    way: Way
    detail: str
    ordinal: int | None = None
    log: str | None = None
    head: str = ""
    path: str = ""
    attempts: int = 0
    people: tuple[str, ...] = ()
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Escalation:
    """A matter that went up."""

    id: int
    repository_id: int
    number: int
    matter: Matter
    opened_at: datetime
    capped_at: datetime | None
    closed_at: datetime | None
    closed_because: str | None

    @property
    def asked(self) -> Asked:
        """As it is put to people."""
        one = self.matter
        return Asked(
            self.number, one.ordinal, one.cause, one.detail, one.log, one.head, one.path, attempts=one.attempts
        )


COLUMNS = (
    "id, repository_id, number, cause, matter, way, detail, ordinal, log, head, path, attempts, people, critical, "
    "opened_at, capped_at, closed_at, closed_because"
)
OPEN_ONE = """
insert into ticket_escalations (repository_id, number, cause, matter, way, detail, ordinal, log, head, path, attempts,
  people, critical, opened_at)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing returning true
"""


async def bring_up(connection: Connection, repository_id: int, number: int, one: Matter, at: datetime) -> bool:
    """False where another matter of the ticket is open, or this one went up before. The caller holds the row."""
    cursor = await connection.execute(
        OPEN_ONE,
        (
            *(repository_id, number, one.cause, text(one.name), one.way, text(one.detail), one.ordinal),
            *(None if one.log is None else text(one.log), text(one.head), text(one.path), one.attempts),
            *([text(each) for each in one.people], one.critical, at),
        ),
    )
    return await cursor.fetchone() is not None


async def open_of(connection: Connection, repository_id: int, number: int) -> Escalation | None:
    found = await _read(connection, "repository_id = %s and number = %s and closed_at is null", repository_id, number)
    return found[0] if found else None


async def all_open(connection: Connection, repository_id: int) -> list[Escalation]:
    """Those of a repository, the oldest first."""
    return await _read(connection, "repository_id = %s and closed_at is null order by opened_at, number", repository_id)


async def known(connection: Connection, repository_id: int, number: int, names: Collection[str]) -> set[str]:
    """Those of these matters that went up before."""
    cursor = await connection.execute(
        "select matter from ticket_escalations where repository_id = %s and number = %s and matter = any(%s)",
        (repository_id, number, sorted(names)),
    )
    return {row[0] for row in await cursor.fetchall()}


async def close(connection: Connection, repository_id: int, number: int, because: str, at: datetime) -> None:
    """Close what of the ticket is open."""
    await connection.execute(
        "update ticket_escalations set closed_at = %s, closed_because = %s "
        "where repository_id = %s and number = %s and closed_at is null",
        (at, text(because), repository_id, number),
    )


async def capped(connection: Connection, repository_id: int, numbers: Collection[int], at: datetime) -> None:
    """Their person's day is full; the first time is kept."""
    await connection.execute(
        "update ticket_escalations set capped_at = %s "
        "where repository_id = %s and number = any(%s) and closed_at is null and capped_at is null",
        (at, repository_id, sorted(numbers)),
    )


async def _read(connection: Connection, where: str, *parameters: object) -> list[Escalation]:
    cursor = connection.cursor(row_factory=kwargs_row(_escalation))
    await cursor.execute(f"select {COLUMNS} from ticket_escalations where {where}", parameters)
    return await cursor.fetchall()


def _escalation(
    *,
    id: int,  # noqa: A002 - the column
    repository_id: int,
    number: int,
    cause: str,
    matter: str,
    people: list[str],
    opened_at: datetime,
    capped_at: datetime | None,
    closed_at: datetime | None,
    closed_because: str | None,
    **columns: object,
) -> Escalation:
    one = Matter(cause=Cause(cause), name=matter, people=tuple(people), **columns)  # type: ignore[arg-type]
    return Escalation(id, repository_id, number, one, opened_at, capped_at, closed_at, closed_because)
