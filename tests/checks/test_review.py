"""Which approvals count: a table of one deviation a row from an approval that counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.accounts import Account, Permission, Review
from checks.finding import Finding, Fix, Status
from checks.review import ReviewRequirement, ReviewResult, check
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import DIGEST, NOON, OPERATOR, READER, REVIEWER, SECOND, commit, only, review

UNREAD = Unread("HTTP 502")


def _asked(approvals: int = 1, **changes: Any) -> ReviewRequirement:
    base = ReviewRequirement(approvals, build.AN_AGENTS, DIGEST)
    return replace(base, **changes)


def _check(snapshot: Snapshot, approvals: int = 1, **changes: Any) -> ReviewResult:
    return check(snapshot, _asked(approvals, **changes))


def _with(*reviews: Review, **changes: Any) -> Snapshot:
    return build.snapshot(reviews=reviews, **changes)


def test_an_approval_of_this_head_counts() -> None:
    result = _check(_with(review()))
    assert result.counted == ("rita",)
    assert result.discounted == ()
    assert result.findings == (Finding("review", Status.PASSED, "Approved at this head by rita; 1 needed."),)


def test_without_one_a_person_is_needed() -> None:
    (finding,) = _check(_with()).findings
    assert finding == Finding(
        "review",
        Status.PENDING,
        "0 of 1 approvals at this head by people with write permission.",
        fix=Fix("ask-person", "Ask for 1 more approval of this very head."),
        needs_person=True,
    )


@pytest.mark.parametrize(
    ("approvals", "reviews", "status", "reason"),
    [
        (0, (), Status.PASSED, "No approval is needed for a change of this risk."),
        (-1, (), Status.PASSED, "No approval is needed for a change of this risk."),
        (0, (review(),), Status.PASSED, "No approval is needed for a change of this risk."),
        (2, (review(),), Status.PENDING, "1 of 2 approvals at this head by people with write permission."),
        (
            2,
            (review(), review(number=2)),
            Status.PENDING,
            "1 of 2 approvals at this head by people with write permission.",
        ),
        (2, (review(), review(SECOND)), Status.PASSED, "Approved at this head by rita, sam; 2 needed."),
        (1, (review(), review(SECOND)), Status.PASSED, "Approved at this head by rita, sam; 1 needed."),
    ],
)
def test_counts_people(approvals: int, reviews: tuple[Review, ...], status: Status, reason: str) -> None:
    finding = only(_check(_with(*reviews), approvals).findings, "review")
    assert (finding.status, finding.reason) == (status, reason)


def test_says_how_many_are_missing() -> None:
    finding = only(_check(_with(), 2).findings, "review")
    assert finding.fix == Fix("ask-person", "Ask for 2 more approvals of this very head.")


def test_counts_approvals_also_where_none_is_needed() -> None:
    assert _check(_with(review()), 0).counted == ("rita",)


BOT = Account("helper[bot]", 40, "Bot")
MACHINE = Account("Build-Agent", 41)
WHO = "people with write permission"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (review(state="DISMISSED"), "was dismissed"),
        (review(state="BLESSED"), "has the unknown state 'BLESSED'"),
        (review(BOT), "is a bot or an agent"),
        (review(Account("claude", 209825114)), "is a bot or an agent"),
        (review(MACHINE), "is a bot or an agent"),
        (review(OPERATOR), "runs the agent that made this change"),
        (review(Account("Olivia", 10)), "runs the agent that made this change"),
        (review(commit=build.OTHER), f"approved the earlier commit {build.OTHER[:12]}"),
        (review(base_ref="refs/heads/next"), "approved a merge into next"),
        (review(base_ref=UNREAD), "approved towards a branch that is not known any more (HTTP 502)"),
        (review(bundle_digest="sha256:0"), "approved before the bundle was changed"),
        (review(bundle_digest=None), "approved before the bundle was changed"),
        (review(bundle_digest=UNREAD), "approved a bundle that is not known any more (HTTP 502)"),
        (review(ticket_digest="sha256:0"), "approved before the ticket was changed"),
        (review(ticket_digest=UNREAD), "approved a ticket that is not known any more (HTTP 502)"),
        (review(READER), "has only the permission read"),
        (review(Account("ann")), "has a permission that could not be read (nobody asked for it)"),
        (review(Account("una")), "has a permission that could not be read (HTTP 502)"),
    ],
)
def test_an_approval_that_does_not_count_is_told(given: Review, why: str) -> None:
    permissions = {**build.snapshot().permissions, "una": UNREAD, "helper[bot]": Permission.ADMIN}
    permissions |= {"claude": Permission.ADMIN, "build-agent": Permission.ADMIN}
    result = _check(_with(given, permissions=permissions), agents=("build-agent",))
    login = given.author.login
    assert (result.counted, result.discounted) == ((), ((login, why),))
    finding = only(result.findings, "review")
    assert finding.status is Status.PENDING
    assert finding.reason == f"0 of 1 approvals at this head by {WHO}. Not counted: {login} {why}."


def test_the_ticket_is_compared_with_the_snapshot_s() -> None:
    snapshot = _with(review(ticket_digest=DIGEST), ticket=build.ticket())
    assert _check(snapshot).counted == ("rita",)
    assert _check(replace(snapshot, ticket=build.ticket(digest="sha256:1"))).counted == ()
    assert _check(replace(snapshot, ticket=None)).counted == ()


def test_no_bundle_is_compared_too() -> None:
    assert _check(_with(review(bundle_digest=None)), bundle_digest=None).counted == ("rita",)
    assert _check(_with(review()), bundle_digest=None).counted == ()


def test_those_who_wrote_it_do_not_count() -> None:
    result = _check(_with(review(), commits=(commit(REVIEWER),)))
    assert result.discounted == (("rita", f"committed commit {build.HEAD[:12]}"),)


def test_the_operator_counts_where_policy_says_so() -> None:
    assert _check(_with(review(OPERATOR)), allow_operator=True).counted == ("olivia",)


@pytest.mark.parametrize(
    ("changes", "teams", "counted", "why"),
    [
        ({"permission": Permission.MAINTAIN}, {}, False, "is not among people with maintain permission"),
        ({"permission": Permission.READ}, {}, True, ""),
        ({"permission": None}, {}, False, "is not among anybody: the policy names no approver"),
        ({"permission": None, "users": ("RITA",)}, {}, True, ""),
        ({"permission": None, "users": ("sam", "pia")}, {}, False, "is not among @sam, @pia"),
        ({"permission": None, "teams": ("crew",)}, {"crew": frozenset({"Rita"})}, True, ""),
        ({"permission": None, "teams": ("crew",)}, {"crew": frozenset({"sam"})}, False, "is not among team crew"),
        (
            {"permission": None, "teams": ("crew",)},
            {"crew": UNREAD},
            False,
            "may be in team crew, whose members could not be read",
        ),
        (
            {"permission": None, "teams": ("crew",)},
            {},
            False,
            "may be in team crew, whose members could not be read",
        ),
        (
            {"permission": Permission.ADMIN, "users": ("sam",), "teams": ("crew",)},
            {"crew": frozenset()},
            False,
            "is not among @sam, team crew, people with admin permission",
        ),
        (
            {"permission": Permission.ADMIN, "teams": ("x", "crew")},
            {"x": UNREAD, "crew": frozenset({"rita"})},
            True,
            "",
        ),
    ],
)
def test_who_may_approve(changes: dict[str, Any], teams: dict[str, Any], counted: bool, why: str) -> None:
    result = _check(_with(review(), teams=teams), **changes)
    assert result.counted == (("rita",) if counted else ())
    assert result.discounted == (() if counted else (("rita", why),))


def test_being_named_does_not_replace_write_permission() -> None:
    result = _check(_with(review(READER)), users=("ronan",))
    assert result.discounted == (("ronan", "has only the permission read"),)


def test_logins_differ_in_more_than_case() -> None:
    result = _check(_with(review(Account("RITA", 11)), permissions={"rita": Permission.WRITE}))
    assert result.counted == ("RITA",)


A, C, D, X, K = "APPROVED", "CHANGES_REQUESTED", "DISMISSED", "BLESSED", "COMMENTED"


@pytest.mark.parametrize(
    ("states", "counted", "changes"),
    [
        ([A], True, False),
        ([A, K], True, False),
        ([A, "PENDING"], True, False),
        ([A, C], False, True),
        ([C, A], True, False),
        ([A, D], False, False),
        ([D, A], True, False),
        ([A, A, D], False, False),
        ([C, D], False, False),
        ([C, K], False, True),
        ([C, X], False, True),
        ([C, X, A], True, False),
        ([A, X], False, False),
        ([X], False, False),
        ([X, A], True, False),
        ([D], False, False),
        ([K], False, False),
        ([C], False, True),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_last_decisive_review_of_a_person_stands(
    states: list[str], counted: bool, changes: bool, backwards: bool
) -> None:
    reviews = [review(state=state, number=number) for number, state in enumerate(states, 1)]
    result = _check(_with(*(reversed(reviews) if backwards else reviews)))
    assert (result.counted == ("rita",), any(each.check == "review.changes" for each in result.findings)) == (
        counted,
        changes,
    )


def test_at_the_same_second_the_later_id_stands() -> None:
    early, late = review(state=A, number=1), review(state=C, number=2, submitted_at=NOON + timedelta(minutes=1))
    assert only(_check(_with(late, early)).findings, "review.changes").status is Status.FAILED


def test_a_person_is_one_whatever_the_case_of_the_login() -> None:
    result = _check(_with(review(), review(Account("Rita", 11), C, 2)))
    assert result.counted == ()


def test_so_is_one_who_has_another_login_by_now() -> None:
    renamed = Account("rita-new", REVIEWER.id)
    result = _check(
        _with(review(), review(renamed, number=2), permissions={"rita": Permission.WRITE, "rita-new": Permission.WRITE})
    )
    assert result.counted == ("rita-new",)


def test_requested_changes_block_over_later_heads() -> None:
    result = _check(_with(review(), review(SECOND, C, 2, commit=build.OTHER)))
    finding = only(result.findings, "review.changes")
    assert (finding.status, finding.reason) == (Status.FAILED, "sam asked for changes.")
    assert finding.fix == Fix("answer-review", "Do what sam asked for, then ask them to review again.")
    assert [(each.label, each.digest) for each in finding.evidence] == [("review 2 of sam", build.OTHER)]
    assert only(result.findings, "review").status is Status.PASSED
    assert result.discounted == ()


@pytest.mark.parametrize(
    ("given", "status", "reason"),
    [
        (review(OPERATOR, C), Status.FAILED, "olivia asked for changes."),
        (
            review(Account("ann"), C),
            Status.ERRORED,
            "ann asked for changes and has a permission that could not be read (nobody asked for it).",
        ),
        (review(READER, C), None, ""),
        (review(BOT, C), None, ""),
        (review(MACHINE, C), None, ""),
        (review(Account("cursor"), C), None, ""),
    ],
)
def test_whose_requested_changes_block(given: Review, status: Status | None, reason: str) -> None:
    permissions = {**build.snapshot().permissions, "helper[bot]": Permission.ADMIN, "cursor": Permission.ADMIN}
    permissions |= {"build-agent": Permission.ADMIN}
    result = _check(_with(given, permissions=permissions), agents=("Build-Agent[bot]",))
    found = [(each.status, each.reason) for each in result.findings if each.check == "review.changes"]
    assert found == ([] if status is None else [(status, reason)])


def test_a_team_that_cannot_be_read_does_not_lift_a_block() -> None:
    result = _check(_with(review(state=C), teams={"crew": UNREAD}), permission=None, teams=("crew",))
    finding = only(result.findings, "review.changes")
    assert (finding.status, finding.fix) == (
        Status.ERRORED,
        Fix("wait", "Nothing to do; the gate looks again by itself."),
    )
    assert [each.label for each in finding.evidence] == ["review 1 of rita"]


def test_reviews_that_could_not_be_read() -> None:
    result = _check(_with_unread(UNREAD), 0)
    assert (result.counted, result.discounted) == ((), ())
    assert result.findings == (
        Finding(
            "review",
            Status.ERRORED,
            "The reviews could not be read: HTTP 502.",
            fix=Fix("wait", "Nothing to do; the gate reads them again by itself."),
        ),
    )


def _with_unread(unread: Unread, **changes: Any) -> Snapshot:
    return build.snapshot(reviews=unread, **changes)


def test_reviews_that_only_github_has() -> None:
    (finding,) = _check(_with_unread(Unread("judged locally", offline=True)), 0).findings
    assert (finding.status, finding.reason) == (Status.PENDING, "The reviews could not be read: judged locally.")
    assert finding.fix == Fix("open-pull-request", "Open a pull request; only GitHub has its reviews.")
    assert not finding.needs_person


@pytest.mark.parametrize(("approvals", "count"), [(1, "1 approval is"), (2, "2 approvals are")])
def test_approvals_that_only_github_has(approvals: int, count: str) -> None:
    (finding,) = _check(_with_unread(Unread("judged locally", offline=True)), approvals).findings
    assert finding == Finding(
        "review",
        Status.PENDING,
        f"{count} needed by {WHO}. The reviews could not be read: judged locally.",
        fix=Fix("ask-person", "Open a pull request and ask for a review of it."),
        needs_person=True,
    )


def test_lists_at_most_five_that_do_not_count() -> None:
    reviews = [review(Account(f"p{number}", number), number=number) for number in range(1, 8)]
    finding = only(_check(_with(*reviews)).findings, "review")
    assert "p5 has" in finding.reason
    assert "p6 has" not in finding.reason


def test_nobody_can_approve_what_is_not_known_to_be_somebody_elses() -> None:
    """More commits than GitHub lists could hide who wrote them."""
    hidden = build.snapshot(commits=Unread("GitHub lists 100 of 101 commits"), reviews=(build.review(),))
    result = check(hidden, ReviewRequirement(1, build.AN_AGENTS, build.DIGEST))
    assert result.counted == ()
    ((login, why),) = result.discounted
    assert (login, "100 of 101" in why) == (build.REVIEWER.login, True)
