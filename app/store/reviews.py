# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Reviews of pull requests, with what they were about when they were delivered.

The first record of a review stands: what it was about (commit, target, bundle, ticket) never changes afterwards, and
its state can only become DISMISSED. What it was before is kept as `given`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Review:
    """`state` in capitals (APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED); `base_ref` is full, `refs/heads/…`.

    `source` tells whether the delivery of the review brought it, or a later look at the pull request. A digest is
    None when there was no bundle or ticket, or when it was not known at that time.
    """

    repository_id: int
    pull_number: int
    review_id: int
    reviewer_id: int
    reviewer_login: str
    state: str
    commit_id: str
    base_ref: str
    submitted_at: datetime
    source: Literal["delivery", "observed"]
    bundle_digest: str | None = None
    ticket_digest: str | None = None
    shown: str | None = None  # see `show`
    given: str | None = None  # the first state that was not DISMISSED; None: it was never seen
    dismissed_by: str | None = None  # login
    at_head: bool | None = None  # whether its commit was the pull request's head then; None: not known


COLUMNS = (
    "repository_id, review_id, pull_number, reviewer_id, reviewer_login, state, commit_id, base_ref, bundle_digest, "
    "ticket_digest, submitted_at, source, given, dismissed_by, at_head"
)
RECORD = f"""
insert into reviews ({COLUMNS}) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
on conflict (repository_id, review_id) do update set
  state = 'DISMISSED', dismissed_by = coalesce(reviews.dismissed_by, excluded.dismissed_by)
where excluded.state = 'DISMISSED'
  and (reviews.state <> 'DISMISSED' or (reviews.dismissed_by is null and excluded.dismissed_by is not null))
"""


async def record(connection: Connection, reviews: Sequence[Review]) -> None:
    """Keep them, in the order of their keys, so that no two writers deadlock."""
    ordered = sorted(reviews, key=lambda review: (review.repository_id, review.review_id))
    if ordered:
        await connection.cursor().executemany(RECORD, [_row(review) for review in ordered])


def _row(review: Review) -> tuple[object, ...]:
    return (
        review.repository_id,
        review.review_id,
        review.pull_number,
        review.reviewer_id,
        text(review.reviewer_login),
        text(review.state.upper()),
        text(review.commit_id),
        text(review.base_ref),
        review.bundle_digest,
        review.ticket_digest,
        review.submitted_at,
        review.source,
        None if review.state.upper() == "DISMISSED" else text(review.state.upper()),
        None if review.dismissed_by is None else text(review.dismissed_by),
        review.at_head,
    )


async def of_pull(connection: Connection, repository_id: int, pull_number: int) -> list[Review]:
    """The reviews of a pull request, in the order they were given."""
    cursor = connection.cursor(row_factory=class_row(Review))
    await cursor.execute(
        f"select {COLUMNS}, shown from reviews where repository_id = %s and pull_number = %s "
        "order by submitted_at, review_id",
        (repository_id, pull_number),
    )
    return await cursor.fetchall()


async def show(connection: Connection, repository_id: int, shown: Mapping[int, str]) -> None:
    """Remember for good which bundle stood when each review (by id) was first looked at."""
    rows = [(digest, repository_id, review_id) for review_id, digest in sorted(shown.items())]
    if rows:
        await connection.cursor().executemany(
            "update reviews set shown = %s where repository_id = %s and review_id = %s and shown is null", rows
        )
