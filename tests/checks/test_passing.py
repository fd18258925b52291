"""The pull request of `build` passes every check; all other tests lean on that."""

from __future__ import annotations

import pytest

from checks import ci, claims, people, review, risk, rollback, scope
from checks.bundle import read_bundle
from checks.finding import Finding, Status
from tests.checks import build


def _all_findings() -> list[Finding]:
    snapshot = build.snapshot()
    reading = read_bundle(snapshot)
    classification = people.classify(snapshot, build.NAMESPACE, build.WRITERS)
    rated = risk.check(snapshot, (), reading.bundle)
    asked = review.ReviewRequirement(0, classification, reading.digest)
    return [
        *claims.check(snapshot, reading, ("reason", "commands", "risk", "risk.known", "rollback")),
        *ci.check(snapshot, ci.CiRequirement(jobs=("test",), commands=("pytest -q",))).findings,
        *scope.check(snapshot),
        *rated.findings,
        *rollback.check(reading.bundle, rated.level, rated.areas, required=True),
        *review.check(snapshot, asked).findings,
    ]


def test_every_check_passes() -> None:
    assert {finding.check for finding in _all_findings() if finding.status is Status.PASSED} == {
        "bundle",
        "claims.head",
        "claims.files",
        "claims.commands",
        "ci.runs",
        "ci.workflow-files",
        "ci.jobs",
        "ci.logs",
        "ci.commands",
        "ci.tests",
        "scope.complete",
        "risk",
        "rollback",
        "review",
    }


def test_nothing_holds_it_up() -> None:
    assert build.worst(tuple(_all_findings())) == []


@pytest.mark.parametrize("finding", _all_findings(), ids=lambda finding: finding.check)
def test_reasons_are_sentences(finding: Finding) -> None:
    assert finding.reason[0].isupper() or finding.reason[0] == "`"
    assert finding.reason.endswith(".")
    assert not finding.needs_person
