"""Approvals by comment in the store: told once, withdrawn for good, and codes that keep their first meaning."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.store import comment_approvals
from app.store.comment_approvals import CommentApproval, CommentWithdrawn, ShownCode
from app.store.database import Database

pytestmark = pytest.mark.anyio

APPROVAL = CommentApproval(2, 7, 80, 5, "octocat", "KHJT", datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC), "delivery")
CODE = ShownCode("KHJT", "mg1:one", "a" * 40, "refs/heads/main", "sha256:1", None)


async def test_what_a_comment_is_about_is_told_once_and_withdrawn_for_good(database: Database) -> None:
    told = replace(APPROVAL, commit_id="a" * 40, base_ref="refs/heads/main", bundle_digest="", at_head=False)
    async with database.transaction() as connection:
        await comment_approvals.record(connection, [APPROVAL, replace(APPROVAL, comment_id=79)])
        await comment_approvals.record(connection, [replace(APPROVAL, word="OTHER")])
        await comment_approvals.tell(connection, [told])
        await comment_approvals.tell(connection, [replace(told, commit_id="b" * 40)])
        await comment_approvals.answered(connection, 2, 80, "+1")
        await comment_approvals.withdraw(connection, [CommentWithdrawn(2, 79), CommentWithdrawn(2, 1)])
        await comment_approvals.record(connection, [replace(APPROVAL, comment_id=79)])
        assert await comment_approvals.of_pull(connection, 2, 7) == [
            replace(APPROVAL, comment_id=79, withdrawn=True),
            replace(told, answer="+1"),
        ]
        assert await comment_approvals.of_pull(connection, 2, 8) == []
        await comment_approvals.record(connection, [])
        await comment_approvals.tell(connection, [])
        await comment_approvals.withdraw(connection, [])


async def test_a_code_keeps_its_first_meaning(database: Database) -> None:
    async with database.transaction() as connection:
        await comment_approvals.show(connection, 2, 7, CODE)
        await comment_approvals.show(connection, 2, 7, replace(CODE, verdict_key="mg1:two"))
        await comment_approvals.show(connection, 2, 8, replace(CODE, verdict_key="mg1:two"))
        assert await comment_approvals.codes_of_pull(connection, 2, 7) == [CODE]
