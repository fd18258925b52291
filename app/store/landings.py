# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Commits that landed on gated branches, and whether they are what was judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Landing:
    """`judged` is true once the landed commit was compared with what was judged; `alarm` says what is wrong, if so."""

    repository_id: int
    ref: str
    sha: str
    pull_number: int | None = None
    judged: bool = False
    alarm: str | None = None
    merged_by_person: bool = False  # an agent's pull request that the gate did not enqueue
    seen_at: datetime | None = None


COLUMNS = "repository_id, ref, sha, pull_number, judged, alarm, merged_by_person, seen_at"
# What is known about a landing only grows: a second, emptier record takes nothing back.
SAVE = """
insert into landings (repository_id, ref, sha, pull_number, judged, alarm, merged_by_person)
values (%s, %s, %s, %s, %s, %s, %s)
on conflict (repository_id, ref, sha) do update set
  pull_number = coalesce(excluded.pull_number, landings.pull_number),
  judged = landings.judged or excluded.judged,
  alarm = coalesce(landings.alarm, excluded.alarm)
"""


async def save(connection: Connection, landing: Landing) -> None:
    await connection.execute(
        SAVE,
        (
            landing.repository_id,
            text(landing.ref),
            landing.sha,
            landing.pull_number,
            landing.judged,
            None if landing.alarm is None else text(landing.alarm),
            landing.merged_by_person,
        ),
    )


async def merged_pulls(connection: Connection, repository_id: int, limit: int) -> list[int]:
    """Numbers of the pull requests that landed last, the newest first."""
    cursor = await connection.execute(
        "select pull_number from landings where repository_id = %s and pull_number is not null "
        "group by pull_number order by max(seen_at) desc, pull_number desc limit %s",
        (repository_id, limit),
    )
    return [int(row[0]) for row in await cursor.fetchall()]


async def find(connection: Connection, repository_id: int, ref: str, sha: str) -> Landing | None:
    cursor = connection.cursor(row_factory=class_row(Landing))
    where = "repository_id = %s and ref = %s and sha = %s"
    await cursor.execute(f"select {COLUMNS} from landings where {where}", (repository_id, ref, sha))
    return await cursor.fetchone()


async def known(connection: Connection, repository_id: int, ref: str, shas: Sequence[str]) -> set[str]:
    """Which of these commits the gate saw landing on a branch."""
    cursor = await connection.execute(
        "select sha from landings where repository_id = %s and ref = %s and sha = any(%s)",
        (repository_id, text(ref), list(shas)),
    )
    return {row[0] for row in await cursor.fetchall()}


async def unjudged(connection: Connection, repository_id: int, limit: int = 100) -> list[Landing]:
    """Landings that were not compared yet, the oldest first."""
    cursor = connection.cursor(row_factory=class_row(Landing))
    await cursor.execute(
        f"select {COLUMNS} from landings where repository_id = %s and not judged order by seen_at limit %s",
        (repository_id, limit),
    )
    return await cursor.fetchall()


async def alarms(connection: Connection, limit: int = 100) -> list[Landing]:
    """Landings that alarmed, the newest first."""
    cursor = connection.cursor(row_factory=class_row(Landing))
    await cursor.execute(
        f"select {COLUMNS} from landings where alarm is not null order by seen_at desc limit %s", (limit,)
    )
    return await cursor.fetchall()


async def revert(connection: Connection, repository_id: int, shas: Sequence[str]) -> None:
    """These landings were taken back by a later one."""
    if shas:
        await connection.execute(
            "update landings set reverted = true where repository_id = %s and sha = any(%s)",
            (repository_id, list(shas)),
        )


async def proven(connection: Connection, repository_id: int, days: int) -> int:
    """How many agents' pull requests people merged at least so many days ago that were not reverted since."""
    cursor = await connection.execute(
        "select count(*) from landings where repository_id = %s and merged_by_person and not reverted "
        "and alarm is null and seen_at <= now() - make_interval(days => %s)",
        (repository_id, days),
    )
    rows = await cursor.fetchall()
    return int(rows[0][0])


async def is_reverted(connection: Connection, repository_id: int, pull_number: int) -> bool:
    """Whether what landed by a pull request was taken back by a later one."""
    cursor = await connection.execute(
        "select exists (select from landings where repository_id = %s and pull_number = %s and reverted)",
        (repository_id, pull_number),
    )
    row = await cursor.fetchone()
    return bool(row and row[0])
