"""Heads that came past their session, and what single commits touch without the whole change showing it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks import origin
from checks.accounts import Account
from checks.finding import Finding, Status
from checks.snapshot import BranchSession, CommitPath, Snapshot
from checks.unread import Unread
from tests.checks.build import snapshot, ticket

SESSION = BranchSession(7, "claude", live=True, brought_head=True)
OUTSIDE = replace(SESSION, brought_head=False)
SHA = "c" * 40


def one(check: str, given: Snapshot, outside: origin.OutsideWord = "refuse") -> Finding:
    (found,) = [*origin.check(given, outside), *origin.commits(given)]
    assert found.check == check
    return found


@pytest.mark.parametrize(
    ("session", "outside", "status", "needs_person"),
    [
        (SESSION, "refuse", Status.PASSED, False),
        (OUTSIDE, "refuse", Status.FAILED, False),
        (OUTSIDE, "ask", Status.PENDING, True),
        (OUTSIDE, "allow", Status.PASSED, False),
    ],
)
def test_a_head_must_come_through_the_session_of_its_branch(
    session: BranchSession, outside: origin.OutsideWord, status: Status, needs_person: bool
) -> None:
    found = one("origin", snapshot(session=session), outside)
    assert (found.status, found.needs_person) == (status, needs_person)


def test_whoever_pushed_past_the_session_is_named() -> None:
    given = snapshot(session=OUTSIDE)
    by_ada = replace(given, head=replace(given.head, pusher=Account("ada", 1, "User")))
    assert one("origin", by_ada).reason.endswith("to which its branch belongs: @ada pushed it.")
    unknown = replace(given, head=replace(given.head, pusher=None))
    assert one("origin", unknown).reason.endswith("to which its branch belongs.")


def test_without_a_session_and_a_list_of_commits_nothing_is_said() -> None:
    assert origin.check(snapshot(), "refuse") == ()
    assert origin.commits(snapshot()) == ()


@pytest.mark.parametrize(
    ("paths", "given", "status"),
    [
        ((), {}, Status.PASSED),
        (("src/a.py",), {}, Status.PASSED),
        (("src/a.py",), {"ticket": ticket(allowed_paths=("src/",))}, Status.PASSED),
        (("docs/a.md",), {"ticket": ticket(allowed_paths=("src/",))}, Status.FAILED),
        (("src/a.py",), {"ticket": ticket(forbidden_paths=("src/a.py",))}, Status.FAILED),
        ((".github/workflows/steal.yml",), {}, Status.FAILED),
        ((".github/mergegate.yml",), {}, Status.FAILED),
        # `scope` tells that such a ticket cannot be read.
        (("src/a.py",), {"ticket": ticket(allowed_paths=("x" * 5000,))}, Status.PASSED),
    ],
)
def test_a_commit_may_touch_no_more_than_the_whole_change(
    paths: tuple[str, ...], given: dict[str, Any], status: Status
) -> None:
    passing = tuple(CommitPath(SHA, path) for path in paths)
    assert one("scope.commits", snapshot(passing_paths=passing, **given)).status is status


def test_the_commit_and_the_path_are_named_and_many_are_counted() -> None:
    passing = tuple(CommitPath(SHA, f".github/workflows/{number}.yml") for number in range(12))
    found = one("scope.commits", snapshot(passing_paths=passing))
    assert "`.github/workflows/0.yml` in cccccccccccc steers workflows or the gate" in found.reason
    assert found.reason.endswith("; and 2 more.")
    assert len(found.evidence) == 10
    assert found.evidence[0].digest == SHA


def test_commits_that_could_not_be_looked_at_ask_a_person() -> None:
    found = one("scope.commits", snapshot(passing_paths=Unread("there are more than 250")))
    assert (found.status, found.needs_person) == (Status.PENDING, True)
    assert "there are more than 250" in found.reason
