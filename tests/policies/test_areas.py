"""Areas with reviewers of their own, and areas whose code must be read: a comment from a phone does not do there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.finding import Finding, Status
from checks.snapshot import Risk
from checks.unread import Unread
from policies.areas import rule_areas
from policies.evaluate import evaluate
from policies.explain import explain
from policies.titles import title
from policies.verdict import Ask, Verdict
from tests.policies.build import ADA, NOW, approval, change, person_snapshot, presets, state
from tests.policies.rule_case import CY, approved_by, policy_of, pull

LOW = "version: 1\nrequirements: {high: {evidence: ci, approvals: 1}}\n"
NAMED = LOW + "risk: {areas: {payment: {review: evidence, reviewers: {users: [cy], teams: [core]}}}}\n"
PAYMENT = change("payment/a.py")


def judged(policy: str, *by: Any, **changes: Any) -> Verdict:
    return evaluate(state(policy), pull(*by, **{**PAYMENT, **changes}))


def area_finding(verdict: Verdict) -> Finding | None:
    return next((finding for finding in verdict.findings if finding.check == "review.area"), None)


def test_one_of_the_areas_own_reviewers_must_approve() -> None:
    waits = judged(NAMED, *approved_by(ADA))
    found = area_finding(waits)
    assert found is not None
    assert found.status is Status.PASSED  # ada is in the team core
    alone = NAMED.replace(", teams: [core]", "")
    asked = judged(alone, *approved_by(ADA))
    found = area_finding(asked)
    assert found is not None
    assert found.needs_person
    assert (asked.review.status, asked.needed, asked.asks) == (Status.PENDING, ("cy",), (Ask(1, ("@cy",)),))
    assert judged(alone, *approved_by(ADA, CY)).review.status is Status.PASSED
    assert judged(alone, *approved_by(CY)).approved_by == ("cy",)


def test_an_area_that_is_not_touched_asks_nobody() -> None:
    assert area_finding(judged(NAMED, **change("src/a.py"))) is None


@pytest.mark.parametrize(
    "path",
    [
        "src/main/resources/db/changelog/db.changelog-master.yaml",
        "db/changelog.xml",
        "dbchangelog.json",
        "changelog-2.xml",
    ],
)
def test_changelogs_of_liquibase_are_migrations(path: str) -> None:
    """Names from https://docs.liquibase.com and Spring Boot's `spring.liquibase.change-log`."""
    verdict = judged("version: 1\n", **change(path))
    assert (verdict.risk, verdict.areas) == (Risk.HIGH, ("migration",))


@pytest.mark.parametrize("path", ["CHANGELOG.md", "changelog.yml", "docs/changelog.txt"])
def test_changelogs_for_people_are_none(path: str) -> None:
    assert judged("version: 1\n", **change(path)).areas == ()


def test_an_area_of_low_risk_can_have_reviewers_too() -> None:
    policy = "version: 1\nrisk: {areas: {words: {risk: low, paths: [words/], reviewers: {users: [cy]}}}}\n"
    assert judged(policy, **change("words/a.txt")).review.status is Status.PENDING
    assert judged(policy, *approved_by(CY), **change("words/a.txt")).review.status is Status.PASSED


def test_a_person_alone_asks_nobody() -> None:
    solo = NAMED.replace("version: 1\n", "version: 1\nextends: solo\n")
    assert area_finding(evaluate(state(solo), person_snapshot(**PAYMENT))) is None
    assert area_finding(evaluate(state(NAMED), person_snapshot(**PAYMENT))) is not None


@pytest.mark.parametrize(("offline", "status"), [(False, Status.ERRORED), (True, Status.PENDING)])
def test_reviews_that_could_not_be_read(offline: bool, status: Status) -> None:
    of = pull(**{**PAYMENT, "reviews": Unread("GitHub answered 502", offline=offline)})
    policy = policy_of(NAMED.removeprefix("version: 1\n"))
    (found,) = rule_areas(policy, of, ("payment",), ()).findings
    assert found.status is status


def test_where_code_must_be_read_a_comment_does_not_do() -> None:
    code = NAMED.replace("review: evidence", "review: code")
    comment = approval(CY, id=9, comment=True)
    waits = judged(code, comment)
    assert waits.review.status is Status.PENDING
    assert (waits.code, waits.reads_code) == (None, ("payment",))
    assert title(waits, "review").startswith("Needs a review of the code by ")
    summary = explain(waits, pull(**PAYMENT), "review").summary
    assert "a change of payment asks for a review of its code" in summary
    assert "no comment does" in summary
    assert "no comment does" not in explain(waits, pull(**PAYMENT), "evidence").summary
    assert judged(code, *approved_by(CY)).review.status is Status.PASSED
    later = replace(comment, submitted_at=NOW + timedelta(minutes=1))
    assert judged(code, *approved_by(CY), later).review.status is Status.PASSED
    assert judged(NAMED, comment).review.status is Status.PASSED
    assert judged(NAMED).code is not None


def test_the_default_reads_the_code_of_what_costs_most_and_lets_no_high_area_pass_without_a_person() -> None:
    policy = policy_of("")
    areas = policy.risk.areas
    assert {name for name, area in areas.items() if area.review == "code"} == {
        *("authentication", "payment", "permissions", "data-deletion", "migration", "secrets", "gate"),
    }
    for preset in presets():
        levels = policy_of(f"extends: {preset}").requirements
        assert all(levels.at(risk).approvals >= 1 for risk in (Risk.HIGH, Risk.CRITICAL))
