"""Whatever the rules: one more approval never makes a verdict worse, and less evidence never makes it a pass."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checks.accounts import Account, Permission
from checks.finding import Status
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.load import PolicyState
from policies.verdict import Verdict
from tests.policies.build import approval, change, person_snapshot, run, snapshot, state

PEOPLE = tuple(Account(login, number) for number, login in enumerate(("ada", "bea", "cy", "dan", "eve"), start=1))
RIGHTS = {"ada": Permission.WRITE, "bea": Permission.ADMIN, "cy": Permission.MAINTAIN, "dan": Permission.READ}
WORST_FIRST = (Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED)
AWAY = Unread("HTTP 502")
EXAMPLES = 1500 if os.environ.get("MERGEGATE_SOAK") == "1" else 40

_names = st.sampled_from(["ada", "bea", "cy"])
_who = st.one_of(
    st.just({}),
    _names.map(lambda name: {"users": [name]}),
    st.just({"teams": ["core"]}),
    st.just({"teams": ["security"]}),
    st.just({"organizations": ["acme"]}),
    st.sampled_from(["write", "maintain", "admin"]).map(lambda word: {"permission": word}),
)
_conditions = st.sampled_from(
    [
        {"paths": ["auth/"]},
        {"only_paths": ["src/"]},
        {"not": {"paths": ["src/"]}},
        {"signed": True},
        {"not": {"signed": True}},
        {"risk": ["low", "medium"]},
        {"author": {"teams": ["core"]}},
        {"not": {"contributor": {"users": ["ada"]}}},
        {"workflows": [{"path": ".github/workflows/ci.yml"}]},
        {"not": {"workflows": [{"path": ".github/workflows/ci.yml", "conclusions": ["failure"]}]}},
        {"any": [{"content": ["data-dropped"]}, {"fork": True}]},
    ]
)
_leaves = st.one_of(
    st.tuples(_who, st.integers(1, 3)).map(lambda pair: {"approvals": {**pair[0], "count": pair[1]}}),
    _conditions.map(lambda condition: {"condition": condition}),
    st.just({"code_owners": {}}),
)
_demands = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda demands: {"all": demands}),
        st.lists(inner, min_size=1, max_size=3).map(lambda demands: {"any": demands}),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda demands: {"at_least": {"count": len(demands), "of": demands}}
        ),
        st.lists(inner, min_size=2, max_size=3).map(lambda demands: {"at_least": {"count": 1, "of": demands}}),
    ),
    max_leaves=4,
)


@st.composite
def policies(draw: st.DrawFn) -> PolicyState:
    """A policy with one or two rules that hold, and one that they may name."""
    named: dict[str, Any] = {"when": draw(_conditions), "require": draw(_demands), "standalone": False}
    first: dict[str, Any] = {"require": {draw(st.sampled_from(["any", "all"])): [{"rule": "named"}, draw(_demands)]}}
    rules = {"first": first, "named": named}
    if draw(st.booleans()):
        rules["second"] = {"when": draw(_conditions), "require": draw(_demands)}
    return _state(repr(rules).replace("True", "true").replace("False", "false"), draw(st.sampled_from(_OTHERS)))


_OTHERS = ("", "veto: {teams: [security]}\n", "override: {permission: admin}\n", "approvers: {teams: [core]}\n")


@cache
def _state(rules: str, other: str) -> PolicyState:
    found = state(f"version: 1\n{other}rules: {rules}\n")
    assert found.origin == "file", found.errors
    return found


_reviews = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["APPROVED", "CHANGES_REQUESTED", "DISMISSED", "COMMENTED"])),
    max_size=5,
)


@st.composite
def pulls(draw: st.DrawFn) -> Snapshot:
    of = draw(st.sampled_from([snapshot(), person_snapshot(), snapshot(session_agent=None)]))
    reviews = [approval(who, id=number, state=said) for number, (who, said) in enumerate(draw(_reviews), start=1)]
    return replace(
        of,
        reviews=tuple(reviews),
        permissions=RIGHTS,
        teams={"core": frozenset({"ada", "bea"}), "security": frozenset({"cy"})},
        organizations={"acme": frozenset({"ada", "cy"})},
        **draw(st.sampled_from([{}, change("auth/a.py"), {"runs": (run(conclusion="failure"),)}, {"commits": AWAY}])),
    )  # fmt: skip


def _rank(verdict: Verdict) -> tuple[int, int]:
    return WORST_FIRST.index(verdict.evidence.status), WORST_FIRST.index(verdict.review.status)


@settings(max_examples=EXAMPLES, deadline=None)
@given(in_force=policies(), of=pulls(), who=st.sampled_from(PEOPLE))
def test_one_more_approval_never_makes_it_worse(in_force: PolicyState, of: Snapshot, who: Account) -> None:
    assert not isinstance(of.reviews, Unread)
    more = replace(of, reviews=(*of.reviews, approval(who, id=99)))
    before, after = _rank(evaluate(in_force, of)), _rank(evaluate(in_force, more))
    assert after[0] >= before[0]
    assert after[1] >= before[1]


def _without_approval(of: Snapshot, number: int) -> Snapshot:
    """One approval less, where that person said nothing before it that would stand again."""
    assert not isinstance(of.reviews, Unread)
    approvals = [review for review in of.reviews if review.state == "APPROVED"]
    assume(approvals)
    gone = approvals[number % len(approvals)]
    return replace(of, reviews=tuple(review for review in of.reviews if review is not gone))


_LESS: dict[str, Any] = {
    "runs": AWAY,
    "no runs": (),
    "workflows": AWAY,
    "diff": AWAY,
    "merge_diff": AWAY,
    "commits": AWAY,
    "reviews": AWAY,
    "aliases": AWAY,
    "teams": {},
    "organizations": {"acme": AWAY},
    "permissions": {"bea": AWAY},
    "analysis": AWAY,
    "author": AWAY,
    "changed_files_total": AWAY,
}


@settings(max_examples=EXAMPLES, deadline=None)
@given(in_force=policies(), of=pulls(), what=st.sampled_from(sorted(_LESS)))
def test_what_cannot_be_read_never_makes_it_a_pass(in_force: PolicyState, of: Snapshot, what: str) -> None:
    before = evaluate(in_force, of)
    after = evaluate(in_force, replace(of, **{what.removeprefix("no "): _LESS[what]}))
    _assert_no_new_pass(before, after)


@settings(max_examples=EXAMPLES, deadline=None)
@given(in_force=policies(), of=pulls(), number=st.integers(0, 4))
def test_one_approval_less_never_makes_it_a_pass(in_force: PolicyState, of: Snapshot, number: int) -> None:
    _assert_no_new_pass(evaluate(in_force, of), evaluate(in_force, _without_approval(of, number)))


def _assert_no_new_pass(before: Verdict, after: Verdict) -> None:
    if before.status is not Status.PASSED:
        assert after.status is not Status.PASSED
