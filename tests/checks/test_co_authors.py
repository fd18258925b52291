"""Co-authors of an agent's commits: excluded where they run it, a failure where they are strangers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Account
from checks.finding import Fix, Status
from checks.review import ReviewRequirement, ReviewResult, check
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import DIGEST, REVIEWER, commit, only, review

UNREAD = Unread("HTTP 502")


def _asked(approvals: int = 1, **changes: Any) -> ReviewRequirement:
    base = ReviewRequirement(approvals, build.AN_AGENTS, DIGEST)
    return replace(base, **changes)


def _check(snapshot: Snapshot, approvals: int = 1, **changes: Any) -> ReviewResult:
    return check(snapshot, _asked(approvals, **changes))


RITA = "Co-authored-by: Rita <11+rita@users.noreply.github.com>"
ANN = "Co-authored-by: Ann A <ann@example.com>"
COPILOT = Account("Copilot", 198982749, "Bot")


def _co(message: str, **changes: Any) -> Snapshot:
    return build.snapshot(commits=(commit(message=f"s\n\n{message}"),), **changes)


@pytest.mark.parametrize(
    ("snapshot", "names"),
    [
        (_co(RITA), "rita"),
        (_co(ANN), "Ann A"),
        (_co("Co-authored-by: <ann@example.com>"), "ann@example.com"),
        (_co(f"{RITA}\n{ANN}\n{RITA}"), "rita, Ann A"),
        (
            build.snapshot(commits=(commit(message=f"s\n\n{RITA}"), commit(message=f"s\n\n{ANN}", oid=build.OTHER))),
            "rita, Ann A",
        ),
        (_co("\n".join(f"Co-authored-by: p{number} <p@example.com>" for number in range(7))), "p0, p1, p2, p3, p4"),
        (
            build.snapshot(commits=(commit(COPILOT, message=f"s\n\n{RITA}", signature_valid=True),)),
            "rita",
        ),
    ],
)
def test_a_co_author_who_does_not_run_the_agent_fails(snapshot: Snapshot, names: str) -> None:
    finding = only(_check(snapshot).findings, "review.co-authors")
    assert (finding.status, finding.reason) == (
        Status.FAILED,
        f"Commits name co-authors who neither run this agent nor committed anything here: {names}.",
    )
    assert finding.fix == Fix(
        "rewrite-commits", "Take the Co-authored-by lines out of the commit messages and push again."
    )


def test_naming_a_reviewer_does_not_exclude_them() -> None:
    assert _check(_co(RITA, reviews=(review(),))).counted == ("rita",)


@pytest.mark.parametrize(
    "snapshot",
    [
        _co("Co-authored-by: O <10+Olivia@users.noreply.github.com>"),
        _co("Co-authored-by: Claude <noreply@anthropic.com>"),
        _co("Co-authored-by: x <5+helper[bot]@users.noreply.github.com>"),
        _co("Co-authored-by: x <5+build-agent@users.noreply.github.com>"),
        _co("Co-authored-by: x <mergegate-courier[bot]@users.noreply.github.com>"),
        _co(RITA, author=REVIEWER),
        build.snapshot(commits=(commit(message=f"s\n\n{RITA}"), commit(REVIEWER))),
        build.snapshot(commits=(commit(message="s\n\nCo-authored-by: R <rita@example.com>"), commit(REVIEWER))),
        build.snapshot(commits=(commit(message=f"s\n\n{RITA}"), commit(build.AGENT, REVIEWER))),
        build.snapshot(commits=(commit(COPILOT, message=f"s\n\n{ANN}", signature_valid=True, signed_by_github=True),)),
        build.snapshot(commits=UNREAD),
        _co("Reviewed-by: Rita <11+rita@users.noreply.github.com>"),
    ],
)
def test_co_authors_who_are_known_anyway(snapshot: Snapshot) -> None:
    findings = _check(snapshot, agents=("Build-Agent",)).findings
    assert [each.check for each in findings] == ["review"]


def test_an_unmapped_commit_makes_nobody_known() -> None:
    snapshot = build.snapshot(
        author=UNREAD,
        commits=(commit(message=f"s\n\n{ANN}"), replace(commit(None), author=build.identity(None, "ann@example.com"))),
    )
    assert only(_check(snapshot).findings, "review.co-authors").status is Status.FAILED


def test_co_authors_of_a_person_s_pull_request_are_no_matter() -> None:
    findings = _check(_co(RITA), classification=build.A_PERSONS).findings
    assert [each.check for each in findings] == ["review"]


def test_co_authors_are_told_when_the_reviews_cannot_be_read_too() -> None:
    snapshot = replace(_co(RITA), reviews=UNREAD)
    assert [each.check for each in _check(snapshot).findings] == ["review", "review.co-authors"]
