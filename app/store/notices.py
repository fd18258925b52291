# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Comments that are posted once. The intent is stored before the comment is, so that it is known what may stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Notice:
    """`purpose` is why (for instance `eviction`), `subject` about what (for instance a head SHA).

    Without `comment_id` it is only an intent: after a crash the comment may stand or not, so look before posting.
    """

    repository_id: int
    pull_number: int
    purpose: str
    subject: str
    comment_id: int | None = None
    created_at: datetime | None = None


COLUMNS = "repository_id, pull_number, purpose, subject, comment_id, created_at"
OWN = "repository_id = %s and pull_number = %s and purpose = %s and subject = %s"


async def intend(connection: Connection, notice: Notice) -> Notice | None:
    """Store the intent; None when it is the first of its kind, else the notice that is already there."""
    cursor = await connection.execute(
        "insert into notices (repository_id, pull_number, purpose, subject) values (%s, %s, %s, %s) "
        "on conflict do nothing returning true",
        _key(notice),
    )
    return None if await cursor.fetchone() else await find(connection, notice)


async def find(connection: Connection, notice: Notice) -> Notice | None:
    """The stored notice with this one's repository, number, purpose and subject."""
    cursor = connection.cursor(row_factory=class_row(Notice))
    await cursor.execute(f"select {COLUMNS} from notices where {OWN}", _key(notice))
    return await cursor.fetchone()


async def stands(connection: Connection, notice: Notice) -> bool:
    """Whether the comment is known to have been posted."""
    known = await find(connection, notice)
    return known is not None and known.comment_id is not None


async def posted(connection: Connection, notice: Notice, comment_id: int) -> None:
    """The comment stands; the first id that was stored remains."""
    await connection.execute(
        f"update notices set comment_id = coalesce(comment_id, %s) where {OWN}", (comment_id, *_key(notice))
    )


def _key(notice: Notice) -> tuple[int, int, str, str]:
    return notice.repository_id, notice.pull_number, text(notice.purpose), text(notice.subject)


async def of_pull(connection: Connection, repository_id: int, pull_number: int) -> frozenset[tuple[str, str]]:
    """Purpose and subject of every comment that is known to stand on a pull request."""
    cursor = await connection.execute(
        "select purpose, subject from notices where repository_id = %s and pull_number = %s and comment_id is not null",
        (repository_id, pull_number),
    )
    return frozenset((purpose, subject) for purpose, subject in await cursor.fetchall())
