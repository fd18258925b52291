"""The agent's own word on risk and areas: it can bring a rule down on its work, and never get it out of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.finding import Status
from policies.evaluate import evaluate
from tests.policies.build import BODY, snapshot, state

TWO = "require: {approvals: {count: 2}}"
RULES = [
    "when: {not: {areas: [payment]}}, " + TWO,
    "require: {any: [{condition: {areas: [payment]}}, {approvals: {count: 2}}]}",
    "when: {areas: [payment]}, " + TWO,
    "when: {risk: [low]}, " + TWO,
    "when: {not: {risk: [medium]}}, " + TWO,
    "when: {risk: [medium]}, " + TWO,
]


@pytest.mark.parametrize("rule", RULES)
def test_a_claim_does_not_get_a_change_out_of_a_rule(rule: str) -> None:
    of = replace(snapshot(), body=BODY.replace("level: low,", "level: medium, areas: [payment],"))
    policy = "requirements: {medium: {approvals: 0}}\nrules:\n  r: {" + rule + "}\n"
    verdict = evaluate(state("version: 1\n" + policy), of)
    (ruled,) = [finding for finding in verdict.findings if finding.check == "rules.r"]
    assert verdict.risk.word == "medium"
    assert ruled.status is Status.PENDING
    assert verdict.status is not Status.PASSED


def test_without_a_claim_the_same_rules_are_about_what_was_seen() -> None:
    rules = "".join(f"  r{number}: {{{rule}}}\n" for number, rule in enumerate(RULES))
    verdict = evaluate(state(f"version: 1\nrules:\n{rules}"), snapshot())
    status = {finding.check: finding.status for finding in verdict.findings if finding.check.startswith("rules.")}
    assert {name for name, one in status.items() if one is Status.PENDING} == {
        "rules.r0",
        "rules.r1",
        "rules.r3",
        "rules.r4",
    }
