"""A pull request that changes the policy: whether the new file can be used, and which verdicts it would change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.finding import Finding, Status
from checks.snapshot import PolicyProposal, VerdictChange
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.floor import load_floor, with_floor
from policies.load import PolicySource
from policies.policy_change import propose, proposed_state
from policies.proposal import policy_check
from tests.policies.build import DEPENDABOT, TARGET, approval, change, person_snapshot, presets, snapshot, state
from tests.policies.rule_case import CY

P, F, W, E = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED
STRICTER = "version: 1\nrules: {all: {require: {approvals: {}}}}\n"
AWAY = Unread("HTTP 502")


def proposed(text: str | Unread | None, now: str = "version: 1", floor: str | None = None) -> PolicyProposal:
    before = state(now)
    if floor is not None:
        before = with_floor(before, load_floor(floor, presets()))
    after = proposed_state(before, PolicySource(text, "refs/heads/main", TARGET, "its file"), presets())
    others = [replace(snapshot(), number=4), replace(snapshot(body=""), number=5), replace(person_snapshot(), number=6)]
    return propose(before, after, others, 7)


def test_the_verdicts_that_would_change_are_told() -> None:
    loosened = proposed("version: 1", STRICTER)
    assert loosened.changes == (VerdictChange(4, "pending", "passed"), VerdictChange(6, "pending", "passed"))
    assert (loosened.compared, loosened.total, loosened.deleted) == (3, 7, False)
    assert proposed(None, STRICTER).deleted
    assert proposed(None, STRICTER).changes == loosened.changes
    assert proposed("version: 1\nqueue: {enqueue: off}").changes == ()


def test_what_the_servers_baseline_asks_for_stays() -> None:
    assert proposed("version: 1", STRICTER, floor=STRICTER).changes == ()


def test_a_file_that_cannot_be_used_is_not_tried() -> None:
    broken = proposed("version: 1\nfoo: 1\nbar: 2\n")
    assert len(broken.faults) == 2
    assert broken.faults[0].startswith("line 2, column 1: `foo`: there is no such field.")
    assert (broken.changes, broken.compared, broken.total) == ((), 0, 7)
    assert proposed(AWAY).faults == ("HTTP 502",)


MANY = "#4, #10, #11, #12, #13, #14, #15, #16, #17, #18 and 1 more"


@pytest.mark.parametrize(
    ("proposal", "status", "reason"),
    [
        (PolicyProposal(compared=2, total=2), P, "The new policy can be used. No verdict would change; 2 of 2 open"),
        (
            PolicyProposal(changes=(VerdictChange(4, "pending", "passed"),), compared=1, total=3),
            P,
            "The new policy can be used. It would turn 1 from pending to passed (#4); 1 of 3 open pull requests looked",
        ),
        (
            PolicyProposal(
                deleted=True,
                changes=(
                    VerdictChange(4, "pending", "passed"),
                    VerdictChange(5, "passed", "failed"),
                    *(VerdictChange(number, "pending", "passed") for number in range(10, 20)),
                ),
            ),
            P,
            f"This pull request deletes the policy file. It would turn 11 from pending to passed ({MANY}) and 1 from",
        ),
        (PolicyProposal(("line 1: x",)), F, "The policy file of this pull request cannot be used: line 1: x"),
        (
            PolicyProposal(("line 1: x", "y", "z")),
            F,
            "The policy file of this pull request cannot be used: line 1: x T",
        ),
        (AWAY, E, "The policy file of this pull request could not be read: HTTP 502."),
        (Unread("x", offline=True), W, "The policy file of this pull request could not be read: x."),
    ],
)
def test_the_finding(proposal: Any, status: Status, reason: str) -> None:
    found = policy_check(proposal)
    assert found is not None
    assert (found.check, found.status) == ("policy.check", status)
    assert found.reason.startswith(reason)
    assert found.evidence[0].path == ".github/mergegate.yml"
    assert found.fix is None if status is P else found.fix is not None


def test_without_a_change_of_it_nothing_is_said() -> None:
    assert policy_check(None) is None


@pytest.mark.parametrize(
    "of",
    [
        snapshot(),
        person_snapshot(),
        snapshot(author=DEPENDABOT, session_agent=None, reviews=(approval(CY),)),
        person_snapshot(head=replace(person_snapshot().head, repository_id=None), permissions={}),
    ],
)
def test_whosever_it_is_a_broken_policy_does_not_pass(of: Any) -> None:
    brought = replace(of, policy_proposal=PolicyProposal(("line 1: x",)), **change(".github/mergegate.yml"))
    verdict = evaluate(state(), brought)
    found: list[Finding] = [each for each in verdict.evidence.findings if each.check == "policy.check"]
    assert [each.status for each in found] == [F]
    assert verdict.evidence.status is F
    fine = evaluate(state(), replace(brought, policy_proposal=PolicyProposal()))
    assert all(each.status is P for each in fine.evidence.findings if each.check == "policy.check")
