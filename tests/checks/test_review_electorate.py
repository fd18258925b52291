"""Who is among the people asked, and what is said where that could not be found out."""

from __future__ import annotations

from typing import Any

import pytest

from checks.accounts import Account, Permission
from checks.approvals import Approval, Terms, approvals_of, count, why_not_eligible
from checks.electorate import Electorate, is_organization_member, why_not_among
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import AN_AGENTS, DIGEST, HEAD, OTHER, REVIEWER, review

RITA = REVIEWER
UNREAD = Unread("HTTP 502")


@pytest.mark.parametrize(
    ("electorate", "changes", "why"),
    [
        (Electorate(users=("RITA",)), {}, None),
        (Electorate(users=("sam",)), {}, "is not among them"),
        (Electorate(teams=("crew",)), {"teams": {"crew": frozenset({"Rita"})}}, None),
        (Electorate(teams=("crew",)), {"teams": {"crew": frozenset({"sam"})}}, "is not among them"),
        (Electorate(teams=("crew",)), {}, "may be in team crew, whose members could not be read"),
        (Electorate(teams=("crew",)), {"teams": {"crew": UNREAD}}, "may be in team crew, whose members"),
        (Electorate(organizations=("acme",)), {"organizations": {"acme": frozenset({"rita"})}}, None),
        (Electorate(organizations=("acme",)), {"organizations": {"acme": frozenset()}}, "is not among them"),
        (Electorate(organizations=("acme",)), {"organizations": {"acme": UNREAD}}, "may belong to acme, whose members"),
        (Electorate(organizations=("acme",)), {}, "may belong to acme"),
        (Electorate(Permission.WRITE), {}, None),
        (Electorate(Permission.ADMIN), {}, "is not among them"),
        (Electorate(Permission.WRITE), {"permissions": {}}, "has a permission that could not be read"),
        (Electorate(Permission.ADMIN, teams=("crew",)), {"teams": {"crew": frozenset({"rita"})}}, None),
        (Electorate(Permission.ADMIN, teams=("crew",)), {}, "may be in team crew"),
        (Electorate(), {}, "is not among them"),
    ],
)
def test_among(electorate: Electorate, changes: dict[str, Any], why: str | None) -> None:
    found = why_not_among(build.snapshot(**changes), electorate, RITA)
    text = found.because if isinstance(found, Unread) else found
    assert (text or "").startswith(why or "") and (text is None) is (why is None)
    assert isinstance(found, Unread) is (why is not None and why != "is not among them")


def test_the_words_name_everybody() -> None:
    all_of_them = Electorate(Permission.MAINTAIN, ("ada",), ("core",), ("acme",))
    assert all_of_them.words == "@ada, team core, members of acme, people with maintain permission"
    assert Electorate().words == ""


def test_membership_that_was_not_asked_for_is_none() -> None:
    assert not is_organization_member(build.snapshot(), "acme", RITA)


def test_an_electorate_never_lets_a_reader_decide() -> None:
    of = build.snapshot()
    assert why_not_eligible(of, Electorate(users=("ronan",)), build.READER) == "has only the permission read"
    assert why_not_eligible(of, Electorate(users=("sam",)), RITA) == "is not among @sam"
    assert why_not_eligible(of, Electorate(), RITA) == "is not among anybody: the policy names no approver"
    assert isinstance(why_not_eligible(of, Electorate(), Account("zed")), Unread)


def test_each_requirement_counts_the_same_approvals_for_its_own_people() -> None:
    of = build.snapshot(reviews=(review(RITA), review(build.SECOND, number=2)))
    approvals = approvals_of(of, Terms(AN_AGENTS, DIGEST))
    assert approvals == (Approval(RITA, None), Approval(build.SECOND, None))
    found = count(of, approvals, Electorate(users=("sam",)))
    assert (found.counted, found.discounted) == (("sam",), (("rita", "is not among @sam"),))
    assert count(of, approvals, Electorate(Permission.WRITE)).counted == ("rita", "sam")
    unknown = count(build.snapshot(teams={}), approvals, Electorate(teams=("crew",)))
    assert unknown.discounted[0] == ("rita", "may be in team crew, whose members could not be read")


@pytest.mark.parametrize(
    ("same_change", "keep", "objection"),
    [
        (frozenset({OTHER}), True, None),
        (frozenset({OTHER}), False, f"approved the earlier commit {OTHER[:12]}"),
        (frozenset(), True, f"approved the earlier commit {OTHER[:12]}"),
        (frozenset({HEAD}), True, f"approved the earlier commit {OTHER[:12]}"),
    ],
)
def test_an_approval_stays_over_clean_merges_only_where_the_policy_says_so(
    same_change: frozenset[str], keep: bool, objection: str | None
) -> None:
    of = build.snapshot(reviews=(review(RITA, commit=OTHER),), same_change=same_change)
    (approval,) = approvals_of(of, Terms(AN_AGENTS, DIGEST, keep_on_clean_merge=keep))
    assert approval.objection == objection


def test_unread_reviews_hold_no_approval() -> None:
    assert approvals_of(build.snapshot(reviews=UNREAD), Terms(AN_AGENTS, DIGEST)) == ()
