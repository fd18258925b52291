# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Questions that only a person can answer, numbered for each ticket, and what was answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as it is asked. `safe` is what happens if nobody answers; the same `fingerprint` is asked once."""

    cause: str
    fingerprint: str
    question: str
    safe: str
    options: Sequence[str] = ()
    recommended: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is kept; `ordinal` is its number in the ticket, from 1."""

    repository_id: int
    number: int
    ordinal: int
    cause: str
    fingerprint: str
    question: str
    safe: str
    asked_at: datetime
    options: list[str] = field(default_factory=list)
    recommended: str | None = None
    comment_id: int | None = None
    answer: str | None = None
    answered_by: str | None = None
    answered_at: datetime | None = None


COLUMNS = (
    "repository_id, number, ordinal, cause, fingerprint, question, safe, asked_at, options, recommended, comment_id, "
    "answer, answered_by, answered_at"
)
OWN = "repository_id = %s and number = %s"


async def ask(connection: Connection, repository_id: int, number: int, asking: Asking) -> Question | None:
    """The question with its number; None where this one was asked before. The caller holds the ticket's row."""
    cursor = connection.cursor(row_factory=class_row(Question))
    await cursor.execute(
        "insert into ticket_questions (repository_id, number, ordinal, cause, fingerprint, question, options, safe, "
        f"recommended) values (%s, %s, (select coalesce(max(ordinal), 0) + 1 from ticket_questions where {OWN}), "
        f"%s, %s, %s, %s, %s, %s) on conflict do nothing returning {COLUMNS}",
        (
            *(repository_id, number, repository_id, number),
            *(text(asking.cause), text(asking.fingerprint), text(asking.question)),
            *([text(each) for each in asking.options], text(asking.safe)),
            None if asking.recommended is None else text(asking.recommended),
        ),
    )
    return await cursor.fetchone()


async def answer(
    connection: Connection, repository_id: int, number: int, ordinal: int, words: str, by: str
) -> Question | None:
    """The answered question; None where there is none of that number that is open."""
    cursor = connection.cursor(row_factory=class_row(Question))
    await cursor.execute(
        "update ticket_questions set answer = %s, answered_by = %s, answered_at = clock_timestamp() "
        f"where {OWN} and ordinal = %s and answered_at is null returning {COLUMNS}",
        (text(words), text(by), repository_id, number, ordinal),
    )
    return await cursor.fetchone()


async def of_ticket(connection: Connection, repository_id: int, number: int) -> list[Question]:
    """Every question of a ticket, answered ones too, by number."""
    cursor = connection.cursor(row_factory=class_row(Question))
    await cursor.execute(
        f"select {COLUMNS} from ticket_questions where {OWN} order by ordinal", (repository_id, number)
    )
    return await cursor.fetchall()


async def posted(connection: Connection, repository_id: int, number: int, ordinal: int, comment_id: int) -> None:
    """The comment that shows it."""
    await connection.execute(
        f"update ticket_questions set comment_id = %s where {OWN} and ordinal = %s",
        (comment_id, repository_id, number, ordinal),
    )
