"""Whatever is unknown is never green, and nothing that a pull request holds makes the judgement raise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.finding import Finding, Fix, Status
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.explain import explain
from policies.verdict import Verdict
from tests.policies.build import ADA, BODY, approval, person_snapshot, snapshot, state

AWAY = Unread("GitHub answered 502")
OFFLINE = Unread("GitHub was not asked", offline=True)
EVIDENCE = ["diff", "merge_diff", "runs", "workflows", "changed_files_total"]
PARTS = [*EVIDENCE, "reviews", "commits", "author", "merge_base", "check_runs"]
MEDIUM = "version: 1\nrequirements: {low: {approvals: 1}}"


@pytest.mark.parametrize("unread", [AWAY, OFFLINE])
@pytest.mark.parametrize("part", EVIDENCE)
def test_an_agent_s_evidence_is_not_complete_without(part: str, unread: Unread) -> None:
    verdict = evaluate(state(), snapshot(**{part: unread}))
    assert verdict.evidence.status not in (Status.PASSED, Status.SKIPPED)
    assert not verdict.may_enqueue


@pytest.mark.parametrize("part", ["author", "commits"])
def test_without_them_nobody_is_a_person(part: str) -> None:
    assert evaluate(state(), person_snapshot()).kind == "person"
    assert evaluate(state(), person_snapshot(**{part: AWAY})).kind == "agent"


def test_without_a_pusher_or_a_permission_nobody_is_a_person() -> None:
    of = person_snapshot()
    assert evaluate(state(), replace(of, head=replace(of.head, pusher=None))).kind == "agent"
    assert evaluate(state(), replace(of, permissions={})).kind == "agent"
    assert evaluate(state(), replace(of, permissions={"ada": AWAY})).kind == "agent"


@pytest.mark.parametrize("changes", [{"reviews": AWAY}, {"permissions": {}}, {"permissions": {"ada": AWAY}}])
def test_no_approval_counts_that_could_not_be_looked_at(changes: dict[str, Any]) -> None:
    approved = snapshot(reviews=(approval(ADA),))
    assert evaluate(state(MEDIUM), approved).review.status is Status.PASSED
    assert evaluate(state(MEDIUM), replace(approved, **changes)).review.status is not Status.PASSED


HOSTILE = st.one_of(
    st.text(max_size=200),
    st.builds(lambda text: f"```mergegate\n{text}\n```\n", st.text(max_size=200)),
    st.builds(lambda cut: BODY[:cut] + BODY[cut + 3 :], st.integers(0, len(BODY))),
)


@given(HOSTILE, st.dictionaries(st.sampled_from(PARTS), st.sampled_from([AWAY, OFFLINE]), max_size=4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_judging_and_explaining_never_raise(body: str, unread: dict[str, Unread], draft: bool) -> None:
    of = snapshot(body=body, draft=draft, **unread)
    verdict = evaluate(state(), of)
    for run in ("evidence", "review", "observe"):
        explain(verdict, of, run)
    assert verdict.status in (Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED)
    assert_consistent(verdict)


def assert_consistent(verdict: Verdict) -> None:
    """A green root has no red leaf, and what is not green names a next step."""
    for root in (verdict.evidence, verdict.review):
        if root.status is Status.PASSED:
            assert {finding.status for finding in root.findings} <= {Status.PASSED, Status.SKIPPED}
        for finding in root.findings:
            assert finding.status in (Status.PASSED, Status.SKIPPED) or has_step(finding), finding


def has_step(finding: Finding) -> bool:
    return isinstance(finding.fix, Fix) and bool(finding.fix.text) and bool(finding.reason)
