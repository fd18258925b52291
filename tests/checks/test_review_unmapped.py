"""An address that belongs to no account: one more person must approve, for one of them may have written the change."""

from __future__ import annotations

from typing import Any

import pytest

from checks.accounts import Commit, CommitIdentity
from checks.finding import Status
from checks.review import independent, unmapped_commits
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import AGENT, OPERATOR, commit, identity

NOBODY = identity(None, "someone@example.org")
BY_NOBODY = Commit("ab" * 20, "Round", NOBODY, identity(OPERATOR))
APP = CommitIdentity("courier[bot]", "41+courier[bot]@users.noreply.github.com")
STRANGER = CommitIdentity("courier", "41+courier@users.noreply.github.com")
CLAUDE = CommitIdentity("Claude", "noreply@anthropic.com")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"commits": (commit(OPERATOR),)}, ()),
        ({"commits": (commit(OPERATOR), BY_NOBODY)}, (BY_NOBODY.oid,)),
        ({"commits": (Commit("cd" * 20, "x", identity(AGENT), NOBODY),)}, ("cd" * 20,)),
        # An address of a known agent names it, though no account has it.
        ({"commits": (Commit("cd" * 20, "x", CLAUDE, identity(AGENT)),)}, ()),
        # GitHub names no account for the commits of an App; the address that it gives them does.
        ({"commits": (Commit("cd" * 20, "x", APP, APP),)}, ()),
        ({"commits": (Commit("cd" * 20, "x", STRANGER, STRANGER),)}, ("cd" * 20,)),
        # What came through a session is that session's, whatever address stands on it.
        ({"commits": (BY_NOBODY,), "session_agent": "claude"}, ()),
        # Then nobody may approve at all: see `checks.approvals`.
        ({"commits": Unread("HTTP 502")}, ()),
    ],
)
def test_which_commits(changes: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert unmapped_commits(build.snapshot(**{"session_agent": None, **changes})) == expected


@pytest.mark.parametrize(
    ("asked", "counted", "status"),
    [
        (0, (), None),
        (1, ("rita",), Status.PENDING),
        (1, ("rita", "sam"), Status.PASSED),
        (2, ("rita", "sam"), Status.PENDING),
        (2, ("rita", "sam", "tom"), Status.PASSED),
    ],
)
def test_one_more_than_needed(asked: int, counted: tuple[str, ...], status: Status | None) -> None:
    found = independent(build.snapshot(session_agent=None, commits=(BY_NOBODY,)), asked, counted)
    assert (found and found.status) is status
    assert found is None or found.needs_person is (status is Status.PENDING)


def test_it_names_a_few_commits_and_counts_the_rest() -> None:
    many = tuple(Commit(f"{number}" * 40, "x", NOBODY, NOBODY) for number in range(5))
    found = independent(build.snapshot(session_agent=None, commits=many), 1, ())
    assert found is not None
    assert "the address on 000000000000, 111111111111, 222222222222 and 2 more belongs to no account" in found.reason


def test_where_all_are_known_nothing_is_said() -> None:
    assert independent(build.snapshot(session_agent=None), 1, ()) is None
