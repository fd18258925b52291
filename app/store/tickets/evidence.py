"""Evidence that agents handed over through their sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text
from app.store.tickets.runs import Run


@dataclass(frozen=True, slots=True)
class Evidence:
    """A bundle as it was handed over; `digest` is SHA-256 of its text."""

    id: int
    attempt: int
    body: str
    digest: str
    given_at: datetime


async def give(connection: Connection, run: Run, session_id: int, body: str) -> Evidence:
    """Keep it. What was given before stays; the newest counts."""
    kept = text(body)
    digest = "sha256:" + sha256(kept.encode()).hexdigest()
    cursor = connection.cursor(row_factory=class_row(Evidence))
    await cursor.execute(
        "insert into ticket_evidence (repository_id, number, attempt, session_id, body, digest) "
        "values (%s, %s, %s, %s, %s, %s) returning id, attempt, body, digest, given_at",
        (run.repository_id, run.number, run.attempt, session_id, kept, digest),
    )
    row = await cursor.fetchone()
    assert row is not None
    return row


async def of_session(connection: Connection, session_id: int) -> list[Evidence]:
    """What a session gave, the oldest first."""
    cursor = connection.cursor(row_factory=class_row(Evidence))
    await cursor.execute(
        "select id, attempt, body, digest, given_at from ticket_evidence where session_id = %s order by id",
        (session_id,),
    )
    return await cursor.fetchall()
