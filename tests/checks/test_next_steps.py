"""Small print of findings: the check's name, what was looked at, the words of the next step."""

from __future__ import annotations

import pytest

from checks.bundle import read_given
from checks.finding import Evidence, Fix
from checks.rollback import check as check_rollback
from checks.snapshot import Risk
from checks.workflow_files import check_file
from tests.checks import build
from tests.checks.build import BLOB, CI_YML, run, workflow
from tests.checks.ci_case import LINT, WAIT, P, judge


def test_a_way_back_that_was_not_tried() -> None:
    bundle = build.bundle(rollback={"strategy": "revert", "data_loss": False})
    findings = check_rollback(bundle, Risk.HIGH, ("migration",), required=True)
    assert [finding.check for finding in findings] == ["rollback", "rollback"]
    assert [finding.fix for finding in findings] == [
        Fix("correct-bundle", "Give the steps that were tried, a down-migration, or data_loss: true.", "rollback"),
        Fix("correct-bundle", "Try the way back, then set rollback.tested to true.", "rollback.tested"),
    ]


def test_no_word_about_data() -> None:
    (finding, *_) = check_rollback(
        build.bundle(rollback={"strategy": "revert"}), Risk.LOW, ("migration",), required=True
    )
    assert (finding.check, finding.fix) == (
        "rollback",
        Fix("add-bundle-field", "Say whether going back loses data.", "rollback.data_loss"),
    )


def test_data_that_would_be_lost() -> None:
    bundle = build.bundle(rollback={"strategy": "revert", "data_loss": True})
    (_, finding) = check_rollback(bundle, Risk.LOW, (), required=True)
    assert (finding.check, finding.needs_person) == ("rollback.data-loss", True)
    assert finding.fix == Fix("ask-person", "Ask for a review of the rollback.")


def test_a_file_whose_call_leads_nowhere_is_evidence() -> None:
    (finding,) = check_file(CI_YML, (workflow(unresolved=("a/b@main",)),))
    assert finding.check == "ci.workflow-files"
    assert finding.evidence == (Evidence(CI_YML, path=CI_YML, digest=BLOB),)


def test_tests_are_awaited() -> None:
    (finding,) = build.worst(judge(run(LINT)).findings)
    assert (finding.check, finding.fix) == ("ci.tests", WAIT)


def test_at_most_five_workflow_files_are_named() -> None:
    paths = [f".github/workflows/{number}.yml" for number in range(7)]
    runs = [run(build.job(f"test {path}", id=8_000 + at), id=900 + at, path=path) for at, path in enumerate(paths)]
    result = judge(*runs, workflows=tuple(workflow(path) for path in paths))
    finding = next(finding for finding in result.findings if finding.check == "ci.workflow-files")
    named = ", ".join(paths[:5])
    assert (finding.status, finding.reason) == (
        P,
        f"The workflow files that ran are the target branch's: {named}.",
    )


@pytest.mark.parametrize("before", ["X", "XX ", "x"])
def test_a_fence_does_not_begin_behind_other_characters(before: str) -> None:
    """A fence may be indented by up to three blanks: https://spec.commonmark.org/0.31.2/#fenced-code-blocks."""
    text = "{}```mergegate\nreason: x\n```\n"
    assert read_given(text.format("   ")).bundle is not None
    assert read_given(text.format(before)).bundle is None
