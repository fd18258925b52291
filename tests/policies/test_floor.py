"""The server's baseline: repositories can only make it stricter, whatever they write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.accounts import Override, Permission
from checks.finding import Status
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.errors import InvalidPolicyError
from policies.evaluate import evaluate
from policies.floor import floor_state, load_floor, with_floor
from policies.load import PolicyState
from policies.merge_group import evaluate_group
from policies.schema import Policy
from policies.titles import title
from policies.verdict import Verdict
from tests.checks.build import group
from tests.policies.build import ADA, BEA, HEAD, NOW, approval, change, person_snapshot, presets, run, snapshot, state

P, F, W, E = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED
BY_BEA = "version: 1\nrules: {x: {require: {approvals: {users: [bea]}}}}\n"


def floor(text: str = "version: 1\n") -> Policy:
    return load_floor(text, presets())


def judged(own: str | None, baseline: str, of: Snapshot | None = None, **changes: Any) -> Verdict:
    return evaluate(with_floor(state(own), floor(baseline)), replace(of or snapshot(), **changes))


def test_without_one_nothing_changes() -> None:
    assert with_floor(state(), None) is state()


def test_a_baseline_that_says_nothing_asks_for_nothing_more() -> None:
    for of in (snapshot(), person_snapshot(), snapshot(body=""), snapshot(runs=()), snapshot(**change("auth/a.py"))):
        alone, both = evaluate(state(), of), judged(None, "version: 1\n", of)
        assert (both.evidence.status, both.review.status) == (alone.evidence.status, alone.review.status)
        assert (both.kind, both.risk, both.areas, both.mode) == (alone.kind, alone.risk, alone.areas, alone.mode)
        assert both.may_enqueue is alone.may_enqueue


def test_both_must_be_met_and_each_says_what_it_misses() -> None:
    waits = judged(None, BY_BEA)
    assert (waits.evidence.status, waits.review.status, waits.may_enqueue) == (P, W, False)
    assert waits.review.children[-1].name == "baseline"
    assert waits.needed == ("bea",)
    assert waits.code is not None
    met = judged(None, BY_BEA, reviews=(approval(BEA),))
    assert (met.status, met.approved_by, met.may_enqueue) == (P, ("bea",), True)
    own = judged("version: 1\nrules: {y: {require: {approvals: {users: [ada]}}}}", BY_BEA, reviews=(approval(BEA),))
    assert (own.review.status, own.needed) == (W, ("ada",))


def test_what_both_say_is_said_once() -> None:
    verdict = judged(None, "version: 1\n", runs=(run(conclusion="failure"),))
    assert verdict.evidence.status is F
    failed = [found for found in verdict.findings if found.status is F]
    assert len(failed) == len(set(failed)) > 0
    assert verdict.evidence.children[-1].status is F


def test_a_repository_cannot_leave_the_baseline() -> None:
    observing = judged("version: 1\nmode: observe\n", "version: 1\n")
    assert observing.mode == "enforce"
    assert judged("version: 1\nmode: observe\n", "version: 1\nmode: observe\n").mode == "observe"
    assert judged("version: 1\nqueue: {enqueue: 'on'}", "version: 1\nqueue: {enqueue: 'off'}").may_enqueue is False
    assert judged("version: 1\nqueue: {enqueue: 'off'}", "version: 1\n").may_enqueue is False


def test_a_branch_that_either_gates_is_gated() -> None:
    aside: dict[str, Any] = {"target_ref": "refs/heads/release/1", "base_ref": "refs/heads/release/1"}
    assert not judged(None, BY_BEA, **aside).gated
    gated = judged(None, f"{BY_BEA}branches: [release/*]", **aside)
    assert (gated.gated, gated.review.status) == (True, W)
    assert judged("version: 1\nbranches: [release/*]", "version: 1\n", **aside).gated


def test_under_a_broken_file_the_baseline_holds_too() -> None:
    verdict = judged("version: 1\nmode: x\n", BY_BEA, of=person_snapshot())
    assert (verdict.review.status, verdict.needed[-1]) == (W, "bea")


def test_an_override_must_satisfy_both() -> None:
    given_by = Override(BEA, "It burns.", HEAD, NOW, 7)
    policy = "version: 1\noverride: {permission: admin}\n"
    changes: dict[str, Any] = {"body": "", "overrides": (given_by,)}
    assert judged(policy, "version: 1\n").override_by == ""
    assert judged(policy, policy).override_by == "people with admin permission"
    only_own = judged(policy, "version: 1\n", **changes)
    assert (only_own.status, only_own.overridden_by) == (F, None)
    both = judged(policy, policy, **changes)
    assert (both.status, both.overridden_by) == (P, given_by)
    assert title(both, "evidence") == "Overridden by bea: It burns."


def test_a_merge_group_must_meet_both() -> None:
    own = state("version: 1\nci: {baseline: {compare: false}}")
    asked = floor("version: 1\nci: {jobs: [deploy]}")
    alone = evaluate_group(own, group())
    both = evaluate_group(with_floor(own, asked), group())
    assert (alone.evidence.status, both.evidence.status) == (P, W)
    assert evaluate_group(with_floor(own, floor()), group()).evidence.status is P


def test_the_digest_stands_for_both() -> None:
    digests = {state().digest, with_floor(state(), floor()).digest, with_floor(state(), floor(BY_BEA)).digest}
    assert len(digests) == 3
    both = with_floor(state(), floor(BY_BEA))
    assert floor_state(both, floor(BY_BEA)).digest == both.digest
    assert evaluate(both, snapshot()).policy_digest == both.digest


@pytest.mark.parametrize(
    ("text", "approvals"),
    [("version: 1\n", 0), ("version: 1\nextends: strict\n", 2), ("version: 1\nextends: default", 1)],
)
def test_with_extends_it_is_that_preset(text: str, approvals: int) -> None:
    assert floor(text).requirements.high.approvals == approvals


@pytest.mark.parametrize("text", ["", "[", "version: 2", "version: 1\nfoo: 1", "[a]"])
def test_a_baseline_with_faults_is_refused(text: str) -> None:
    with pytest.raises(InvalidPolicyError):
        floor(text)


OWN = [
    None,
    "version: 1\nextends: solo\n",
    "version: 1\nextends: observe\n",
    "version: 1\nmode: x\n",
    "version: 1\npeople: {permission: read}\nagents: {branches: [], apps: [], trailers: []}\n",
    "version: 1\nrequirements: {high: {evidence: ci, approvals: 0}, medium: {approvals: 0}}\n",
    "version: 1\noverride: {permission: read}\n",
    "version: 1\nrisk: {areas: {authentication: {risk: low, paths: [x]}}}\nbundle: {required: [reason]}\n",
    "version: 1\nrules: {payment: {require: {condition: {fork: false}}}}\napprovers: {users: [ada]}\n",
    "version: 1\nci: {documentation: ['**'], trust: {token: allow}}\n",
    "version: 1\nbranches: ['*']\n",
]
FLOORS = [
    "version: 1\n",
    BY_BEA,
    "version: 1\nextends: default\n",
    "version: 1\nextends: strict\npeople: {permission: write}\napprovers: {permission: write}\n",
    "version: 1\nrules: {payment: {when: {paths: [auth/]}, require: {approvals: {permission: admin}}}}\n",
    "version: 1\nveto: {users: [ada]}\nci: {jobs: [deploy]}\n",
    "version: 1\nbranches: [release/*]\nrequirements: {low: {approvals: 1}}\n",
]
AWAY = Unread("HTTP 502")
PULLS: list[dict[str, Any]] = [
    {},
    {"body": ""},
    change("auth/a.py"),
    {"reviews": (approval(ADA, id=1),)},
    {"reviews": (approval(ADA, id=1), approval(BEA, id=2)), **change("auth/a.py")},
    {"reviews": (approval(ADA, id=1, state="CHANGES_REQUESTED"), approval(BEA, id=2))},
    {"runs": (run(conclusion="failure"),)},
    {"runs": AWAY},
    {"target_ref": "refs/heads/release/1"},
    {"overrides": (Override(BEA, "now", HEAD, NOW, 1),), "body": ""},
    {"permissions": {"ada": Permission.READ, "bea": AWAY}, "reviews": (approval(ADA, id=1), approval(BEA, id=2))},
]


def _states() -> st.SearchStrategy[PolicyState]:
    return st.sampled_from(OWN).map(state)


@settings(max_examples=60, deadline=None)
@given(
    own=_states(),
    baseline=st.sampled_from(FLOORS),
    changes=st.sampled_from(PULLS),
    person=st.booleans(),
)
def test_no_repository_turns_what_the_baseline_refuses_into_a_pass(
    own: PolicyState, baseline: str, changes: dict[str, Any], person: bool
) -> None:
    of = replace(person_snapshot() if person else snapshot(), **changes)
    asked = floor(baseline)
    together = evaluate(with_floor(own, asked), of)
    alone = evaluate(floor_state(own, asked), of)
    if alone.gated:
        assert together.gated
        for part in ("evidence", "review"):
            if getattr(alone, part).status is not P:
                assert getattr(together, part).status is not P
        assert together.risk >= alone.risk
    own_alone = evaluate(own, of)
    if own_alone.gated and own_alone.status is not P:
        assert together.status is not P
    assert together.mode == "enforce" or not alone.gated or alone.mode == "observe"
