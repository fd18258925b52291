# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What the agent of a ticket is told by people and by the gate, until it was handed over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text

Kind = Literal["redirect", "answer", "stop", "rejected", "failed"]


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    kind: Kind
    words: str
    said_by: str
    said_at: datetime
    delivered_at: datetime | None


COLUMNS = "id, kind, words, said_by, said_at, delivered_at"


async def say(connection: Connection, repository_id: int, number: int, kind: Kind, words: str, by: str) -> None:
    """Kept for the agent's next question for messages, and told in the answer to its session's next push."""
    await connection.execute(
        "insert into ticket_messages (repository_id, number, kind, words, said_by) values (%s, %s, %s, %s, %s)",
        (repository_id, number, kind, text(words), text(by)),
    )
    await connection.execute(
        "insert into session_words (session_id, words) select id, %s from sessions "
        "where repository_id = %s and ticket = %s and ended_at is null and expires_at > clock_timestamp()",
        (text(f"{kind} by {by}: {words}"), repository_id, number),
    )


async def undelivered(connection: Connection, repository_id: int, number: int) -> list[Message]:
    """The oldest first."""
    return await _read(connection, "and delivered_at is null", repository_id, number)


async def of_ticket(connection: Connection, repository_id: int, number: int) -> list[Message]:
    return await _read(connection, "", repository_id, number)


async def delivered(connection: Connection, ids: list[int]) -> None:
    """They were handed over to the agent."""
    await connection.execute(
        "update ticket_messages set delivered_at = clock_timestamp() where id = any(%s) and delivered_at is null",
        (sorted(ids),),
    )


async def _read(
    connection: Connection, more: Literal["", "and delivered_at is null"], repository_id: int, number: int
) -> list[Message]:
    cursor = connection.cursor(row_factory=class_row(Message))
    await cursor.execute(
        f"select {COLUMNS} from ticket_messages where repository_id = %s and number = %s {more} order by id limit 100",
        (repository_id, number),
    )
    return await cursor.fetchall()
