"""Small print of findings about policy, ticket and merge group: names, evidence and the words of the next step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checks.finding import Evidence, Finding, Fix, Status
from policies.evaluate import evaluate
from policies.load import PolicySource, read_policy
from policies.merge_group import evaluate_group
from policies.verdict import GroupVerdict
from policies.words import policy_finding
from tests.policies import build
from tests.policies.test_merge_group import MEMBER, START


def _group(policy: str | None = None, **member: Any) -> GroupVerdict:
    snapshot = replace(START, members=(replace(MEMBER, **member),))
    return evaluate_group(build.state(policy), snapshot)


def _only(findings: tuple[Finding, ...], check: str) -> Finding:
    return next(finding for finding in findings if finding.check == check)


def test_a_branch_that_is_not_gated() -> None:
    verdict = evaluate(build.state(), build.snapshot(), gated=False)
    nothing = Finding("policy", Status.SKIPPED, "Nothing is required on this branch: it is not gated.")
    assert verdict.evidence.findings == verdict.review.findings == (nothing,)


def test_a_given_policy_file() -> None:
    state = read_policy(PolicySource("version: 1", "refs/heads/main", build.TARGET, given="p.yml"), build.presets())
    at = Evidence("policy", digest=state.digest)
    assert policy_finding(state) == Finding("policy", Status.PASSED, "The policy is `p.yml`.", (at,))


def test_a_ticket_that_was_not_handed_over() -> None:
    verdict = evaluate(build.state("version: 1\nticket: {required: true}"), build.snapshot(number=None), gated=True)
    finding = _only(verdict.evidence.findings, "ticket")
    assert finding.reason == "The policy asks for a ticket; only GitHub knows whether there is one."
    assert finding.fix == Fix(
        "link-ticket", "Hand over the ticket (`--ticket FILE`), or open a pull request from an accepted one."
    )


def test_a_ticket_that_is_missing() -> None:
    verdict = evaluate(build.state("version: 1\nticket: {required: true}"), build.snapshot(), gated=True)
    assert _only(verdict.evidence.findings, "ticket") == Finding(
        "ticket",
        Status.FAILED,
        "It belongs to no ticket, and the policy asks for one.",
        fix=Fix("link-ticket", "Start the work from an accepted ticket."),
    )


def test_parts_of_a_group_have_names() -> None:
    verdict = _group()
    assert [part.name for part in verdict.evidence.children] == ["policy", "members", "tree", "ci"]
    assert [part.name for part in verdict.review.children] == ["members"]


def test_a_member_s_finding_says_which_head_was_queued() -> None:
    at = (Evidence("pull request 12", digest=MEMBER.enqueued_head),)
    for changes in ({}, {"current_head": None}, {"current_head": "2" * 40}, {"evidence": "failed"}):
        assert _only(_group(**changes).evidence.findings, "members.12").evidence == at


def test_what_to_do_about_a_member() -> None:
    failed = _only(_group(evidence="failed").evidence.findings, "members.12")
    assert failed.fix == Fix("repair-member", "See the checks of pull request 12.")
    moved = _only(_group(current_head="2" * 40).evidence.findings, "members.12")
    assert moved.fix == Fix("requeue", "Wait for its checks, then queue it again.")


def test_a_broken_policy_in_a_group() -> None:
    assert _only(_group("version: 1\nmode: x").evidence.findings, "policy") == Finding(
        "policy", Status.SKIPPED, "The policy file is broken; only people's work passes until it is repaired."
    )
