"""Jobs: only success is success, and the newest attempt decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement
from checks.finding import Fix, Status
from checks.paths import PathPatterns
from checks.runs import Job
from tests.checks import build
from tests.checks.build import CI_YML, OTHER, job, log, only, run, worst
from tests.checks.ci_case import OPEN, F, judge, reasons

# Jobs (tricks 20, 21, 22, 24, 26, 29, 31).


@pytest.mark.parametrize(
    ("changes", "status", "reason", "action"),
    [
        ({"conclusion": "failure"}, F, "Job `test` ended as failure.", "push"),
        ({"conclusion": "timed_out"}, F, "Job `test` ended as timed_out.", "push"),
        ({"conclusion": "neutral"}, F, "Job `test` ended as neutral.", "push"),
        ({"conclusion": "stale"}, F, "Job `test` ended as stale.", "push"),
        ({"conclusion": "cancelled"}, F, "Job `test` ended as cancelled.", "rerun"),
        ({"conclusion": None}, F, "Job `test` ended as None.", "push"),
        ({"conclusion": "skipped"}, F, "Job `test` was skipped, which proves nothing.", "ask-person"),
        ({"status": "in_progress", "conclusion": None}, OPEN, "Job `test` is not finished: in_progress.", "wait"),
        ({"status": "queued"}, OPEN, "Job `test` is not finished: queued.", "wait"),
        (
            {"steps": (build.step("Run pytest -q", "failure", 6),)},
            F,
            "Job `test` ended as success, but its step 6 `Run pytest -q` as failure.",
            "push",
        ),
    ],
)
def test_only_success_is_success(changes: dict[str, Any], status: Status, reason: str, action: str) -> None:
    result = judge(run(job(**changes)), late=True)
    finding = only(result.findings, "ci.jobs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["job 5001 `test`"]
    assert only(result.findings, "ci.tests").status is status
    assert result.jobs == ()


@pytest.mark.parametrize("conclusion", ["success", "skipped", None])
def test_steps_that_do_not_contradict(conclusion: str | None) -> None:
    assert worst(judge(run(job(steps=(build.step("x", conclusion),)))).findings) == []


def test_all_bad_jobs_are_told() -> None:
    jobs = (job(), job("a", id=1, conclusion="failure"), job("b", id=2, conclusion="cancelled"))
    assert [each[2] for each in reasons(judge(run(*jobs, conclusion="failure")))] == [
        "Job `a` ended as failure.",
        "Job `b` ended as cancelled.",
    ]


def test_a_skipped_job_says_the_way_out() -> None:
    text = "If it may be skipped, ask a person to name the jobs that are needed in the policy's ci.jobs."
    finding = only(judge(run(job(conclusion="skipped"))).findings, "ci.jobs")
    assert finding.fix == Fix("ask-person", text)


def test_a_skipped_job_is_no_matter_where_policy_names_others() -> None:
    runs = run(job(), job("deploy", id=5_002, conclusion="skipped", log=None))
    assert [each[2] for each in reasons(judge(runs))] == ["Job `deploy` was skipped, which proves nothing."]
    assert worst(judge(runs, rules=CiRequirement(jobs=("test",))).findings) == []
    assert [each[0] for each in reasons(judge(runs, rules=CiRequirement(jobs=("test", "deploy"))))] == ["ci.jobs"]


@pytest.mark.parametrize(
    ("required", "named"),
    [("test", True), ("tes", False), ("test (3.12)", False), ("Test", False), ("tests", False)],
)
def test_required_jobs(required: str, named: bool) -> None:
    rules = CiRequirement(jobs=(required,))
    soon, late = judge(run(), rules=rules), judge(run(), rules=rules, late=True)
    if named:
        assert worst(soon.findings) == worst(late.findings) == []
        return
    assert reasons(soon) == [
        ("ci.jobs", OPEN, f"The required job `{required}` is not there yet."),
        ("ci.tests", OPEN, "No log shows passing tests of this head yet."),
    ]
    assert reasons(late)[0] == (
        "ci.jobs",
        F,
        f"The required job `{required}` did not run in any workflow that counts.",
    )
    assert late.findings[0].fix == Fix("ask-person", f"Ask a person why no workflow has the job `{required}` now.")


def test_a_required_job_stands_for_its_matrix() -> None:
    legs = (job("test (3.12)"), job("test (3.13, linux)", id=5_002, conclusion="failure"))
    result = judge(run(*legs, conclusion="failure"), rules=CiRequirement(jobs=("test",)))
    assert reasons(result) == [("ci.jobs", F, "Job `test (3.13, linux)` ended as failure.")]
    odd = judge(run(job("test (3.12) more")), rules=CiRequirement(jobs=("test",)), late=True)
    assert [each[0] for each in reasons(odd)] == ["ci.jobs", "ci.tests"]


def test_while_a_run_goes_on_missing_jobs_are_awaited() -> None:
    going = run(status="in_progress", conclusion=None)
    result = judge(going, rules=CiRequirement(jobs=("test", "later")), late=True)
    assert [each[:2] for each in reasons(result)] == [("ci.runs", OPEN), ("ci.jobs", OPEN)]


def test_a_name_from_two_workflow_files_is_not_green() -> None:
    twin = run(job(id=5_002), id=502, path=".github/workflows/z.yml", event="push")
    result = judge(run(), twin, rules=CiRequirement(PathPatterns([CI_YML]), ("test",)))
    assert reasons(result) == [
        (
            "ci.jobs",
            F,
            f"The required job `test` is produced by several workflow files: {CI_YML}, .github/workflows/z.yml.",
        )
    ]
    assert worst(result.findings)[0].fix == Fix(
        "ask-person", "Rename the other jobs, so that only one file has `test`."
    )
    assert worst(judge(run(), twin, rules=CiRequirement(PathPatterns([CI_YML]))).findings) == []
    elsewhere = replace(twin, head_sha=OTHER)
    assert worst(judge(run(), elsewhere, rules=CiRequirement(PathPatterns([CI_YML]), ("test",))).findings) == []
    same = run(job(id=5_002, log=log(checked_out=None)), id=502, path=f"{CI_YML}@main", event="push")
    assert worst(judge(run(), same, rules=CiRequirement(jobs=("test",), allow_push=True)).findings) == []


# Attempts (trick 29).


@pytest.mark.parametrize(
    ("jobs", "status", "good"),
    [
        ((job(conclusion="failure"), job(id=2, attempt=2)), "completed", True),
        ((job(), job(id=2, attempt=2, conclusion="failure")), "completed", False),
        ((job(), job("lint", id=2, attempt=2)), "completed", True),
        ((job(conclusion="failure"), job("lint", id=2, attempt=2)), "completed", False),
        ((job(id=2, attempt=2), job(conclusion="failure")), "completed", True),
        ((job(attempt=2), job(id=2, attempt=2, conclusion="failure")), "completed", False),
    ],
)
def test_the_newest_attempt_of_a_job_decides(jobs: tuple[Job, ...], status: str, good: bool) -> None:
    conclusion = "success" if good else "failure"
    result = judge(run(*jobs, attempt=2, status=status, conclusion=conclusion))
    assert (worst(result.findings) == []) is good


def test_while_an_attempt_goes_on_nothing_of_an_earlier_one_counts() -> None:
    again = run(job(conclusion="failure"), job("lint", id=3), attempt=2, status="in_progress", conclusion=None)
    result = judge(again, late=True)
    assert [each[:2] for each in reasons(result)] == [("ci.runs", OPEN), ("ci.tests", OPEN)]
    assert result.jobs == ()


def test_many_producers_are_cut() -> None:
    runs = [run(job(id=number), id=number, path=f".github/workflows/{number}.yml") for number in range(1, 8)]
    finding = worst(judge(*runs, rules=CiRequirement(PathPatterns([".github/workflows/1.yml"]), ("test",))).findings)
    assert any("/4.yml, .github/workflows/5.yml." in each.reason for each in finding)
