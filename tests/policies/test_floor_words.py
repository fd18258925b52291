"""Every word of a verdict under a baseline: which side's words decide it. Each is a property over pairs of policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checks.accounts import Account, Override, Permission
from checks.approval_code import code_of
from checks.finding import Status
from checks.opinions import Opinions
from checks.snapshot import Snapshot
from policies.evaluate import evaluate
from policies.floor import floor_state, load_floor, with_floor
from policies.load import PolicyState
from policies.merge_group import evaluate_group
from policies.verdict import GroupVerdict, JudgeOrder, Verdict
from tests.checks.build import group
from tests.policies import test_floor
from tests.policies.build import ADA, BEA, HEAD, NOW, approval, change, person_snapshot, presets, snapshot, state
from tests.policies.test_floor_orders import policy_text, pull

P = Status.PASSED
ROBO = Account("robo", 77)
Holds = Callable[[Verdict, Verdict, Verdict], bool]
"""Over the verdict by the repository's words alone, by the baseline's alone, and by both."""


def _passes_where_both_do(own: Verdict, floor: Verdict, both: Verdict, part: str) -> bool:
    statuses = {getattr(verdict, part).status for verdict in (own, floor)}
    return getattr(both, part).status is not P or statuses == {P}


def _holds_all(own: Verdict, floor: Verdict, both: Verdict, word: str) -> bool:
    return {*getattr(own, word), *getattr(floor, word)} <= {*getattr(both, word)}


def _is_the_same(own: Verdict, floor: Verdict, both: Verdict, word: str) -> bool:
    return len({getattr(each, word) for each in (own, floor, both)}) == 1


def _code(own: Verdict, floor: Verdict, both: Verdict) -> bool:
    if both.reads_code:
        return both.code is None
    return both.code == code_of(both.key, {}) if own.code or floor.code else True


def _orders(own: Verdict, floor: Verdict, both: Verdict) -> bool:
    counts = {order.digest: order.count for order in both.orders}
    return len(counts) == len(both.orders) and all(
        counts.get(order.digest, 0) >= order.count for order in (*own.orders, *floor.orders)
    )


def _overridden(own: Verdict, floor: Verdict, both: Verdict) -> bool:
    return both.overridden_by is None or (
        both.status is P and both.overridden_by in (own.overridden_by, floor.overridden_by)
    )


WORDS: dict[str, Holds] = {
    "head_sha": lambda own, floor, both: _is_the_same(own, floor, both, "head_sha"),
    "target_ref": lambda own, floor, both: _is_the_same(own, floor, both, "target_ref"),
    "bundle_digest": lambda own, floor, both: _is_the_same(own, floor, both, "bundle_digest"),
    "ticket_digest": lambda own, floor, both: _is_the_same(own, floor, both, "ticket_digest"),
    "policy_digest": lambda own, floor, both: both.policy_digest not in (own.policy_digest, floor.policy_digest),
    "kind": lambda own, floor, both: both.kind != "person" or own.kind == floor.kind == "person",
    "mode": lambda own, floor, both: both.mode == "enforce" or own.mode == floor.mode == "observe",
    "gated": lambda own, floor, both: both.gated and own.gated and floor.gated,
    "risk": lambda own, floor, both: both.risk >= max(own.risk, floor.risk),
    "areas": lambda own, floor, both: _holds_all(own, floor, both, "areas"),
    "evidence": lambda own, floor, both: _passes_where_both_do(own, floor, both, "evidence"),
    "review": lambda own, floor, both: _passes_where_both_do(own, floor, both, "review"),
    "needed": lambda own, floor, both: both.overridden_by is not None or _holds_all(own, floor, both, "needed"),
    "asks": lambda own, floor, both: both.overridden_by is not None or _holds_all(own, floor, both, "asks"),
    "reads_code": lambda own, floor, both: _holds_all(own, floor, both, "reads_code"),
    "approved_by": lambda own, floor, both: {*both.approved_by} <= {*own.approved_by, *floor.approved_by},
    "may_enqueue": lambda own, floor, both: (
        not both.may_enqueue
        or (both.status is P and own.may_enqueue and (floor.may_enqueue or floor.kind != "agent"))
    ),
    "orders": _orders,
    "judges": lambda own, floor, both: (
        {one.judge for one in both.judges} == {one.judge for one in (*own.judges, *floor.judges)}
        and all(
            one.calls <= other.calls and one.cost <= other.cost
            for one in both.judges for other in (*own.judges, *floor.judges) if one.judge == other.judge
        )
    ),
    "override_by": lambda own, floor, both: not both.override_by or bool(own.override_by and floor.override_by),
    "overridden_by": _overridden,
    "subject": lambda own, floor, both: (
        own.subject is None or floor.subject is None or both.subject is None
        or {*own.subject.runs, *floor.subject.runs} <= {*both.subject.runs}
    ),
    "code": _code,
}  # fmt: skip

OWN = [
    *test_floor.OWN,
    policy_text(),
    policy_text(image="mine", runs=2),
    "version: 1\nagents: {apps: [robo], branches: ['*']}\n",
    "version: 1\ndependency_bots: {accounts: [robo]}\nqueue: {enqueue: 'off'}\n",
    "version: 1\npeople: {users: [ada]}\noverride: {users: [robo, bea]}\n",
    "version: 1\njudge: {low: [one, two], calls: 5, cost: 9}\n",
]
FLOORS = [
    *test_floor.FLOORS,
    policy_text(commands="[make lint]"),
    policy_text(runs=2),
    "version: 1\nagents: {apps: [robo]}\nrequirements: {low: {approvals: 1}}\n",
    "version: 1\npeople: {users: [bea]}\nqueue: {enqueue: 'off'}\noverride: {permission: write}\n",
    "version: 1\nextends: observe\n",
    "version: 1\njudge: {low: [two], high: [two], calls: 9, cost: 5}\n",
    "version: 1\nrules: {x: {when: {kinds: [person]}, require: {approvals: {users: [bea]}}}}\n",
]
RIGHTS = {"ada": Permission.WRITE, "bea": Permission.ADMIN, "robo": Permission.ADMIN}
PULLS: list[dict[str, Any]] = [
    *test_floor.PULLS,
    {"reviews": (approval(ROBO),), "permissions": RIGHTS},
    {"reviews": (approval(ROBO, id=1), approval(BEA, id=2)), "permissions": RIGHTS, **change("auth/a.py")},
    {"reviews": (approval(ROBO, state="CHANGES_REQUESTED"),), "permissions": RIGHTS},
    {"overrides": (Override(ROBO, "now", HEAD, NOW, 1),), "body": "", "permissions": RIGHTS},
    {"author": ADA, "permissions": RIGHTS},
    {"opinions": Opinions(judges=frozenset({"one", "two"}))},
]


def _pulls() -> st.SearchStrategy[Snapshot]:
    start = st.sampled_from([snapshot(), person_snapshot(), pull(), pull("tests/test_total.py", "auth/a.py")])
    return st.builds(lambda of, changes: replace(of, **changes), start, st.sampled_from(PULLS))


def test_every_word_of_a_verdict_has_a_side() -> None:
    assert set(WORDS) == {field.name for field in fields(Verdict)}
    assert {field.name for field in fields(GroupVerdict)} == {"head_sha", "target_ref", "evidence", "review"}


_BEAS = "version: 1\npeople: {users: [bea]}\n"
_LETS_THROUGH = "version: 1\noverride: {users: [bea]}\n"
_JUDGED = snapshot(opinions=Opinions(judges=frozenset({"one", "two"})))
_OVERRIDDEN = snapshot(body="", overrides=(Override(BEA, "now", HEAD, NOW, 1),))


@settings(max_examples=150, deadline=None)
@example(own=state(), baseline=_BEAS, of=person_snapshot())
@example(own=state(_BEAS), baseline="version: 1\n", of=person_snapshot())
@example(own=state(_LETS_THROUGH), baseline="version: 1\n", of=_OVERRIDDEN)
@example(own=state(), baseline=_LETS_THROUGH, of=_OVERRIDDEN)
@example(own=state(policy_text()), baseline=policy_text(commands="[make lint]"), of=pull())
@example(own=state(policy_text()), baseline=policy_text(runs=2), of=pull())
@example(own=state(OWN[-1]), baseline="version: 1\njudge: {low: [two], calls: 9, cost: 5}\n", of=_JUDGED)
@given(own=st.sampled_from(OWN).map(state), baseline=st.sampled_from(FLOORS), of=_pulls())
def test_each_word_is_decided_as_the_list_says(own: PolicyState, baseline: str, of: Snapshot) -> None:
    floor = load_floor(baseline, presets())
    both = evaluate(with_floor(own, floor), of)
    if not both.gated:
        assert not evaluate(own, of).gated and not evaluate(floor_state(own, floor), of).gated
        return
    alone = replace(own, digest="sha256:own"), replace(floor_state(own, floor), digest="sha256:floor")
    by_own, by_floor = (evaluate(one, of, gated=True) for one in alone)
    assert [word for word, holds in WORDS.items() if not holds(by_own, by_floor, both)] == []


def test_a_judge_whom_both_ask_is_asked_once_within_the_limits_of_both() -> None:
    floor = load_floor("version: 1\njudge: {low: [two], calls: 9, cost: 5}\n", presets())
    verdict = evaluate(with_floor(state(OWN[-1]), floor), _JUDGED)
    assert verdict.judges == (JudgeOrder("one", 5, 9), JudgeOrder("two", 5, 5))


@pytest.mark.parametrize("word", ["evidence", "review"])
@pytest.mark.parametrize("baseline", FLOORS)
def test_so_are_those_of_a_merge_group(word: str, baseline: str) -> None:
    floor = load_floor(baseline, presets())
    for own in map(state, OWN):
        both = evaluate_group(with_floor(own, floor), group())
        alone = [evaluate_group(one, group()) for one in (own, floor_state(own, floor))]
        statuses = {getattr(one, word).status for one in alone}
        assert getattr(both, word).status is not P or statuses == {P}
