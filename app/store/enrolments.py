# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Enrolments: what a machine of agents may claim. Every time is the database's clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Enrolment:
    """One token that may claim tickets of one repository that name `pool` or nobody. It is live unless it ended."""

    id: int
    repository_id: int
    owner: str
    repository: str
    pool: str
    enrolled_by: str
    enrolled_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None
    live: bool


@dataclass(frozen=True, slots=True)
class Enrolling:
    """What a new enrolment shall be. `token_hash` is SHA-256 of its token."""

    token_hash: bytes
    repository_id: int
    owner: str
    repository: str
    pool: str
    enrolled_by: str
    lasts: timedelta


LIVE = "revoked_at is null and expires_at > clock_timestamp()"
COLUMNS = (
    "id, repository_id, owner, repository, pool, enrolled_by, enrolled_at, expires_at, used_at, revoked_at, "
    f"({LIVE}) as live"
)
ADD = f"""
insert into enrolments (token_hash, repository_id, owner, repository, pool, enrolled_by, expires_at)
values (%s, %s, %s, %s, %s, %s, clock_timestamp() + %s) returning {COLUMNS}
"""


async def add(connection: Connection, new: Enrolling) -> Enrolment:
    names = (text(new.owner), text(new.repository), text(new.pool), text(new.enrolled_by))
    cursor = connection.cursor(row_factory=class_row(Enrolment))
    await cursor.execute(ADD, (new.token_hash, new.repository_id, *names, new.lasts))
    row = await cursor.fetchone()
    assert row is not None
    return row


async def find_live(connection: Connection, token_hash: bytes) -> Enrolment | None:
    """The enrolment of a token, if it still may claim."""
    cursor = connection.cursor(row_factory=class_row(Enrolment))
    await cursor.execute(f"select {COLUMNS} from enrolments where token_hash = %s and {LIVE}", (token_hash,))
    return await cursor.fetchone()


async def hold(connection: Connection, enrolment_id: int) -> bool:
    """Whether it still may claim; who revokes it waits until the transaction ends."""
    cursor = await connection.execute(f"select id from enrolments where id = %s and {LIVE} for share", (enrolment_id,))
    return await cursor.fetchone() is not None


async def used(connection: Connection, enrolment_id: int) -> None:
    """It claimed a ticket now."""
    await connection.execute("update enrolments set used_at = clock_timestamp() where id = %s", (enrolment_id,))


async def listed(connection: Connection) -> list[Enrolment]:
    """All that are kept, the newest first."""
    cursor = connection.cursor(row_factory=class_row(Enrolment))
    await cursor.execute(f"select {COLUMNS} from enrolments order by id desc limit 1000")
    return await cursor.fetchall()


async def revoke(connection: Connection, enrolment_id: int) -> bool:
    """From the commit on it claims nothing. False: it was not live."""
    cursor = await connection.execute(
        f"update enrolments set revoked_at = clock_timestamp() where id = %s and {LIVE}", (enrolment_id,)
    )
    return cursor.rowcount == 1
