"""`/requeue` comments that were carried out, or refused: each once, by its id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class DoneRequeue:
    """`head_sha` is the pull request's head when it was carried out; `refused` says why it was not."""

    repository_id: int
    comment_id: int
    number: int
    head_sha: str
    login: str
    jump: bool
    despite_freeze: bool
    refused: str | None
    done_at: datetime


async def save(connection: Connection, done: DoneRequeue) -> None:
    await connection.execute(
        "insert into requeues (repository_id, comment_id, number, head_sha, login, jump, despite_freeze, refused, "
        "done_at) values (%s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
        (
            *(done.repository_id, done.comment_id, done.number, done.head_sha, text(done.login)),
            *(done.jump, done.despite_freeze, None if done.refused is None else text(done.refused), done.done_at),
        ),
    )


async def of_pull(connection: Connection, repository_id: int, number: int) -> list[DoneRequeue]:
    """Oldest first."""
    cursor = connection.cursor(row_factory=class_row(DoneRequeue))
    await cursor.execute(
        "select repository_id, comment_id, number, head_sha, login, jump, despite_freeze, refused, done_at "
        "from requeues where repository_id = %s and number = %s order by done_at, comment_id",
        (repository_id, number),
    )
    return await cursor.fetchall()
