"""GitHub's own review rules in words: the parameters are those that its API returns."""

from __future__ import annotations

from typing import Any

import pytest

from checks.accounts import Account
from checks.finding import Status
from checks.native_reviews import explained
from checks.native_rules import NativeReviews, TeamRule, read_rules
from checks.unread import Unread
from tests.checks import build

RULE = {
    "required_approving_review_count": 1,
    "dismiss_stale_reviews_on_push": False,
    "required_reviewers": [
        {"file_patterns": ["db/*", "*.sql"], "minimum_approvals": 2, "reviewer": {"id": 42, "type": "Team"}},
        {"file_patterns": ["docs/*"], "minimum_approvals": 0, "reviewer": {"id": 43, "type": "Team"}},
    ],
    "require_code_owner_review": True,
    "require_last_push_approval": True,
    "required_review_thread_resolution": True,
    "require_extra_approval_for_unattributed_changes": True,
}
COPILOT = Account("copilot-swe-agent[bot]", 198982749, "Bot")
ADA = Account("ada", 5)


def words(native: Any, author: Account = ADA) -> str | None:
    found = explained(build.snapshot(author=author, native_reviews=native))
    assert found is None or found.status is Status.SKIPPED
    return None if found is None else found.reason


def test_the_strictest_of_all_rules_is_read() -> None:
    more = {"required_approving_review_count": 2, "unheard_of": 1}
    assert read_rules([("pull_request", RULE), ("deletion", {}), ("pull_request", more)]) == NativeReviews(
        *(2, True, True, True, True, (TeamRule(42, 2, ("db/*", "*.sql")), TeamRule(43, 0, ("docs/*",)))),
    )
    assert read_rules([]) == NativeReviews()
    odd = {"required_approving_review_count": None, "required_reviewers": None}
    assert read_rules([("pull_request", odd)]) == NativeReviews()


@pytest.mark.parametrize(
    ("native", "author", "said"),
    [
        (NativeReviews(approvals=1), ADA, "GitHub's own rules also ask for 1 approval."),
        (NativeReviews(approvals=2), ADA, "ask for 2 approvals."),
        (
            NativeReviews(approvals=1, extra_for_agents=True),
            COPILOT,
            "ask for 2 approvals (one of them because an agent",
        ),
        (NativeReviews(approvals=1, extra_for_agents=True), ADA, "ask for 1 approval."),
        (
            NativeReviews(code_owners=True, last_push=True),
            ADA,
            "an approval of a code owner of each touched path, an appr",
        ),
        (NativeReviews(threads=True), ADA, "every conversation to be resolved"),
        (NativeReviews(teams=(TeamRule(42, 2, ("db/*",)),)), ADA, "2 by the team with id 42 where db/* changes"),
        (Unread("HTTP 502"), ADA, "its own rules could not be read: HTTP 502."),
    ],
)
def test_what_is_said(native: Any, author: Account, said: str) -> None:
    assert said in (words(native, author) or "")


@pytest.mark.parametrize(
    ("native", "author"),
    [
        (None, ADA),
        (NativeReviews(), ADA),
        (NativeReviews(extra_for_agents=True), COPILOT),  # without a count it has no effect
        (NativeReviews(teams=(TeamRule(42, 0, ("db/*",)),)), ADA),
    ],
)
def test_nothing_is_said(native: Any, author: Account) -> None:
    assert words(native, author) is None
