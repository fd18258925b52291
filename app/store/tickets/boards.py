"""Which issue of a repository is its board, what was written there last, and what it tells of many tickets at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.states import ENDED


@dataclass(frozen=True, slots=True)
class BoardIssue:
    """The digests and the time are those of the last write, None before the first."""

    repository_id: int
    number: int
    set_by: str
    news_digest: str | None = None
    text_digest: str | None = None
    written_at: datetime | None = None
    set_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Doing:
    """The newest attempt of a ticket. `alive_at` is its newest sign of life."""

    step: int | None
    steps: int | None
    percent: int | None
    alive_at: datetime | None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    question: str
    comment_id: int | None


SET = """
insert into ticket_boards (repository_id, number, set_by) values (%s, %s, %s)
on conflict (repository_id) do update set number = excluded.number, set_by = excluded.set_by, set_at = now(),
  news_digest = null, text_digest = null, written_at = null
"""
DOING: LiteralString = (
    "select distinct on (number) number, step, steps, percent, coalesce(heartbeat_at, started_at) from ticket_runs "
    "where repository_id = %s and number = any(%s) order by number, id desc"
)
QUESTIONS: LiteralString = (
    "select distinct on (number) number, question, comment_id from ticket_questions "
    "where repository_id = %s and number = any(%s) and answered_at is null order by number, ordinal"
)
CAUSES: LiteralString = (
    "select distinct on (number) number, event, cause from ticket_transitions "
    "where repository_id = %s and number = any(%s) order by number, id desc"
)

WITH_TICKETS: LiteralString = (
    "select repository_id, count(*) filter (where state <> all(%s)) from tickets "
    "group by repository_id order by max(since) desc, repository_id limit %s"
)


async def find(connection: Connection, repository_id: int) -> BoardIssue | None:
    cursor = connection.cursor(row_factory=class_row(BoardIssue))
    await cursor.execute(
        "select repository_id, number, set_by, news_digest, text_digest, written_at, set_at from ticket_boards "
        "where repository_id = %s",
        (repository_id,),
    )
    return await cursor.fetchone()


async def with_tickets(connection: Connection, most: int) -> list[tuple[int, int]]:
    """Repositories with tickets, those where something happened last first, and how many have not ended."""
    cursor = await connection.execute(WITH_TICKETS, (sorted(ENDED), most))
    return [(row[0], row[1]) for row in await cursor.fetchall()]


async def put(connection: Connection, repository_id: int, number: int, by: str) -> None:
    """This issue is the board from now on, and no other one."""
    await connection.execute(SET, (repository_id, number, text(by)))


async def remove(connection: Connection, repository_id: int, number: int) -> None:
    """The repository has no board any more, unless another issue became it."""
    await connection.execute(
        "delete from ticket_boards where repository_id = %s and number = %s", (repository_id, number)
    )


async def written(connection: Connection, board: BoardIssue, news_digest: str, text_digest: str, at: datetime) -> None:
    await connection.execute(
        "update ticket_boards set news_digest = %s, text_digest = %s, written_at = %s "
        "where repository_id = %s and number = %s",
        (news_digest, text_digest, at, board.repository_id, board.number),
    )


async def doing(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, Doing]:
    """By number; a ticket that nobody ever had is missing."""
    return {row[0]: Doing(*row[1:]) for row in await _rows(connection, DOING, repository_id, numbers)}


async def questions(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, OpenQuestion]:
    """The first open question of each, by number."""
    return {row[0]: OpenQuestion(*row[1:]) for row in await _rows(connection, QUESTIONS, repository_id, numbers)}


async def causes(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, tuple[str, str]]:
    """The last event of each and why it happened, by number."""
    return {row[0]: (row[1], row[2]) for row in await _rows(connection, CAUSES, repository_id, numbers)}


async def _rows(
    connection: Connection, sql: LiteralString, repository_id: int, numbers: Collection[int]
) -> list[tuple[Any, ...]]:
    cursor = await connection.execute(sql, (repository_id, sorted(numbers)))
    return await cursor.fetchall()
