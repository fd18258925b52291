"""Whom the gate asked for reviews, so that nobody is asked twice and nobody who was taken off is asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from app.store.database import Connection
from app.store.stored import text

LAG = timedelta(minutes=2)  # in which GitHub's list may not yet show whom it was told to ask


async def asked_on(connection: Connection, repository_id: int, pull_number: int) -> Mapping[str, bool]:
    """Reviewers (`@login`, `organisation/team`, folded) whom the gate asked and did not withdraw; true: just now."""
    cursor = await connection.execute(
        "select reviewer, asked_at > now() - %s::interval from review_requests "
        "where repository_id = %s and pull_number = %s and withdrawn_at is null order by reviewer",
        (LAG, repository_id, pull_number),
    )
    return dict(await cursor.fetchall())


async def loads(connection: Connection, repository_id: int, pull_number: int) -> Mapping[str, int]:
    """How many other open pull requests of the repository each reviewer was asked about."""
    cursor = await connection.execute(
        "select r.reviewer, count(*) from review_requests r "
        "join pulls p on p.repository_id = r.repository_id and p.number = r.pull_number "
        "where r.repository_id = %s and r.pull_number <> %s and r.withdrawn_at is null and p.open "
        "group by r.reviewer order by r.reviewer",
        (repository_id, pull_number),
    )
    return dict(await cursor.fetchall())


async def ask(connection: Connection, repository_id: int, pull_number: int, reviewers: Sequence[str]) -> None:
    """Note it before GitHub is told: a request that is not noted would be made again."""
    rows = [(repository_id, pull_number, text(reviewer.casefold())) for reviewer in sorted(reviewers)]
    if rows:
        await connection.cursor().executemany(
            "insert into review_requests (repository_id, pull_number, reviewer) values (%s, %s, %s) "
            "on conflict (repository_id, pull_number, reviewer) do update set asked_at = now(), withdrawn_at = null",
            rows,
        )


async def refused(connection: Connection, repository_id: int, pull_number: int, reviewer: str) -> None:
    """GitHub does not let the gate ask them; they are not asked again, and somebody else may be at once."""
    await connection.execute(
        "update review_requests set asked_at = 'epoch' where repository_id = %s and pull_number = %s and reviewer = %s",
        (repository_id, pull_number, reviewer.casefold()),
    )


async def withdraw(connection: Connection, repository_id: int, pull_number: int, reviewers: Sequence[str]) -> None:
    """Taken back by the gate, which may ask again."""
    await connection.execute(
        "update review_requests set withdrawn_at = now() "
        "where repository_id = %s and pull_number = %s and reviewer = any(%s) and withdrawn_at is null",
        (repository_id, pull_number, [reviewer.casefold() for reviewer in reviewers]),
    )
