# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Approvals that were given by a comment, and what the codes in the checks' titles stood for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class ShownCode:
    """What `code` stood for when it was shown. `base_ref` is full, `refs/heads/…`; a digest None: there was none."""

    code: str
    verdict_key: str
    head_sha: str
    base_ref: str
    bundle_digest: str | None
    ticket_digest: str | None


@dataclass(frozen=True, slots=True)
class CommentApproval:
    """A comment whose first line approves `word`, a code or the beginning of a commit id.

    What it is about (`commit_id` …) is None until it was first looked at, and then stays. `answer` is the reaction
    that acknowledged it. Once withdrawn it never counts again.
    """

    repository_id: int
    pull_number: int
    comment_id: int
    author_id: int
    author_login: str
    word: str
    created_at: datetime
    source: Literal["delivery", "observed"]
    withdrawn: bool = False
    answer: str | None = None
    commit_id: str | None = None
    base_ref: str | None = None  # empty: not known
    bundle_digest: str | None = None  # empty: there was none; None: not known
    ticket_digest: str | None = None
    at_head: bool | None = None  # whether `commit_id` was the head when it was first looked at; None: not known


@dataclass(frozen=True, slots=True)
class CommentWithdrawn:
    """A comment was edited or deleted; if it approved, it does no more."""

    repository_id: int
    comment_id: int


_COLUMNS = (
    "repository_id, pull_number, comment_id, author_id, author_login, word, created_at, source, withdrawn, answer, "
    "commit_id, base_ref, bundle_digest, ticket_digest, at_head"
)


async def record(connection: Connection, approvals: Sequence[CommentApproval]) -> None:
    """Keep those that are new, in the order of their keys, so that no two writers deadlock."""
    ordered = sorted(approvals, key=lambda one: (one.repository_id, one.comment_id))
    if ordered:
        await connection.cursor().executemany(
            "insert into comment_approvals (repository_id, pull_number, comment_id, author_id, author_login, word, "
            "created_at, source, withdrawn) values (%s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
            [
                (
                    *(one.repository_id, one.pull_number, one.comment_id, one.author_id, text(one.author_login)),
                    *(text(one.word), one.created_at, one.source, one.withdrawn),
                )
                for one in ordered
            ],
        )


async def withdraw(connection: Connection, comments: Sequence[CommentWithdrawn]) -> None:
    """An approval is never given back, whatever the comment says afterwards."""
    ordered = sorted({(one.repository_id, one.comment_id) for one in comments})
    if ordered:
        await connection.cursor().executemany(
            "update comment_approvals set withdrawn = true where repository_id = %s and comment_id = %s", ordered
        )


async def of_pull(connection: Connection, repository_id: int, pull_number: int) -> list[CommentApproval]:
    """Those of a pull request, in the order they were given, withdrawn ones too."""
    cursor = connection.cursor(row_factory=class_row(CommentApproval))
    await cursor.execute(
        f"select {_COLUMNS} from comment_approvals where repository_id = %s and pull_number = %s "
        "order by created_at, comment_id",
        (repository_id, pull_number),
    )
    return await cursor.fetchall()


async def tell(connection: Connection, approvals: Sequence[CommentApproval]) -> None:
    """Remember for good what each of these is about."""
    if approvals:
        await connection.cursor().executemany(
            "update comment_approvals set commit_id = %s, base_ref = %s, bundle_digest = %s, ticket_digest = %s, "
            "at_head = %s where repository_id = %s and comment_id = %s and commit_id is null",
            [
                (
                    *(one.commit_id, one.base_ref, one.bundle_digest, one.ticket_digest, one.at_head),
                    *(one.repository_id, one.comment_id),
                )
                for one in approvals
            ],
        )


async def answered(connection: Connection, repository_id: int, comment_id: int, answer: str) -> None:
    await connection.execute(
        "update comment_approvals set answer = %s where repository_id = %s and comment_id = %s",
        (answer, repository_id, comment_id),
    )


async def show(connection: Connection, repository_id: int, pull_number: int, shown: ShownCode) -> None:
    """Remember what a code stands for, before it is shown; the first meaning of a code stays."""
    await connection.execute(
        "insert into approval_codes (repository_id, pull_number, code, verdict_key, head_sha, base_ref, "
        "bundle_digest, ticket_digest) values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
        (
            *(repository_id, pull_number, shown.code, shown.verdict_key, shown.head_sha, text(shown.base_ref)),
            *(shown.bundle_digest, shown.ticket_digest),
        ),
    )


async def codes_of_pull(connection: Connection, repository_id: int, pull_number: int) -> list[ShownCode]:
    """Every code that was ever shown on a pull request, the oldest first."""
    cursor = connection.cursor(row_factory=class_row(ShownCode))
    await cursor.execute(
        "select code, verdict_key, head_sha, base_ref, bundle_digest, ticket_digest from approval_codes "
        "where repository_id = %s and pull_number = %s order by shown_at, code",
        (repository_id, pull_number),
    )
    return await cursor.fetchall()
