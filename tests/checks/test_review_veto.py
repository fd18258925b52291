"""A veto stands until whoever gave it withdraws it, whatever others do with the review."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from checks.accounts import Account, Review
from checks.electorate import Electorate
from checks.finding import Status
from checks.review import ReviewRequirement, check
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import DIGEST, READER, REVIEWER, SECOND, review, seen

HOLDER = Electorate(users=("Ronan",))
ASKED = review(READER, "CHANGES_REQUESTED", given="CHANGES_REQUESTED")
DISMISSED = replace(ASKED, state="DISMISSED")
F, E, W, P = Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED


def _seen(*reviews: Review, veto: Electorate = HOLDER, snapshot: Snapshot | None = None) -> set[tuple[str, Status]]:
    of = replace(snapshot or build.snapshot(), reviews=reviews)
    return seen(check(of, ReviewRequirement(1, build.AN_AGENTS, DIGEST, veto=veto)).findings)


@pytest.mark.parametrize(
    ("reviews", "found"),
    [
        # Somebody with read permission has no say unless the policy gives them a veto.
        ((ASKED,), ("review.veto", F)),
        ((DISMISSED,), ("review.veto", F)),
        ((replace(DISMISSED, dismissed_by="rita"),), ("review.veto", F)),
        ((replace(DISMISSED, dismissed_by="RONAN"),), None),
        ((replace(DISMISSED, given=None),), ("review.veto", F)),
        ((replace(DISMISSED, given="DISMISSED"),), ("review.veto", F)),
        ((replace(DISMISSED, given="APPROVED"),), None),
        ((ASKED, review(READER, "APPROVED", 2)), None),
        ((ASKED, review(READER, "COMMENTED", 2)), ("review.veto", F)),
        ((ASKED, review(REVIEWER, "APPROVED", 2)), ("review.veto", F)),
        ((review(SECOND, "CHANGES_REQUESTED"),), ("review.changes", F)),
        ((review(SECOND, "DISMISSED", given="CHANGES_REQUESTED"),), None),
    ],
)
def test_who_ends_a_veto(reviews: tuple[Review, ...], found: tuple[str, Status] | None) -> None:
    blocking = {each for each in _seen(*reviews) if each[0] in ("review.veto", "review.changes")}
    assert blocking == ({found} if found else set())


OLD = build.OTHER
STALE = review(READER, "APPROVED", 2, commit=OLD, at_head=False)
THEN = replace(STALE, at_head=True)  # a push came since


@pytest.mark.parametrize(
    ("reviews", "stands"),
    [
        # An approval of a commit that was not the head then, by a review or a comment, ends nothing.
        ((ASKED, STALE), True),
        ((ASKED, replace(STALE, comment=True)), True),
        ((replace(ASKED, commit=OLD), STALE), True),
        ((ASKED, replace(STALE, at_head=None)), True),
        # One of the head as it was then ends it for good, whatever is pushed later.
        ((ASKED, THEN), False),
        ((ASKED, replace(THEN, comment=True)), False),
        ((ASKED, review(READER, "APPROVED", 2)), False),
        ((ASKED, review(READER, "APPROVED", 2, at_head=True)), False),
        # What became of the approval later changes nothing of what it ended, or did not.
        ((ASKED, replace(THEN, state="DISMISSED", given="APPROVED")), False),
        ((ASKED, replace(STALE, state="DISMISSED", given="APPROVED", dismissed_by="rita")), True),
        ((ASKED, replace(STALE, state="DISMISSED", given="APPROVED", dismissed_by="ronan", comment=True)), True),
        # Whatever was said before, the request that came last stands.
        ((THEN, replace(ASKED, id=3, submitted_at=build.NOON + timedelta(minutes=3))), True),
        # GitHub tells whole seconds: within one, the request counts as the later.
        ((ASKED, replace(THEN, comment=True, id=0, submitted_at=ASKED.submitted_at)), True),
        ((replace(THEN, comment=True, id=9, submitted_at=ASKED.submitted_at), ASKED), True),
    ],
)
def test_an_approval_ends_a_veto_only_at_the_head_of_its_time(reviews: tuple[Review, ...], stands: bool) -> None:
    for order in (reviews, reviews[::-1]):
        assert (("review.veto", F) in _seen(*order)) is stands
        plain = {each for each in _seen(*(replace(one, author=SECOND) for one in order)) if each[0] == "review.changes"}
        assert (plain == {("review.changes", F)}) is stands


def test_what_was_said_before_the_dismissal_is_told_or_that_it_is_not_known() -> None:
    def reason(of: Review) -> str:
        found = check(build.snapshot(reviews=(of,)), ReviewRequirement(1, build.AN_AGENTS, DIGEST, veto=HOLDER))
        return build.only(found.findings, "review.veto").reason

    assert reason(ASKED) == "ronan asked for changes and has a veto."
    assert "a dismissal by others does not end that" in reason(DISMISSED)
    assert "what it said is not known any more" in reason(replace(DISMISSED, given=None))


def test_nobody_has_a_veto_unless_named() -> None:
    assert ("review.veto", F) not in _seen(ASKED, DISMISSED, veto=Electorate())
    assert _seen(ASKED, veto=Electorate()) == {("review", W)}


def test_a_team_with_a_veto() -> None:
    board = Electorate(teams=("board",))
    there = build.snapshot(teams={"board": frozenset({"RONAN"})})
    assert ("review.veto", F) in _seen(ASKED, veto=board, snapshot=there)
    unread = build.snapshot(teams={"board": Unread("HTTP 502")})
    assert ("review.changes", E) in _seen(ASKED, veto=board, snapshot=unread)
    assert ("review.changes", E) in _seen(DISMISSED, veto=board, snapshot=unread)


def test_a_machine_has_no_veto() -> None:
    bot = Account("ronan", 13, "Bot")
    assert _seen(replace(ASKED, author=bot)) == {("review", W)}
