"""Jobs that were tried until they passed."""

from __future__ import annotations

from typing import Any

import pytest

from checks import ci_attempts
from checks.ci import CiRequirement
from checks.ci_jobs import evidence_of
from checks.ci_runs import CountingRuns, choose
from checks.finding import Finding, Fix, Status
from checks.runs import Job, WorkflowRun
from tests.checks.build import CI_YML, HEAD, OTHER, REPOSITORY, job, run
from tests.checks.ci_case import judge

COUNTING = CountingRuns(HEAD, REPOSITORY.id, ("pull_request", "push"), None)
P, F = Status.PASSED, Status.FAILED


def tried(*conclusions: str, name: str = "test", start: int = 1) -> tuple[Job, ...]:
    """One job in as many attempts."""
    return tuple(
        job(name, id=start * 100 + number, attempt=number, conclusion=conclusion)
        for number, conclusion in enumerate(conclusions, start=1)
    )


def attempts(*jobs: Job, **changes: Any) -> WorkflowRun:
    return run(*jobs, attempt=max(each.attempt for each in jobs), **changes)


def checked(*runs: WorkflowRun, limit: int = 3) -> list[tuple[Status, str]]:
    findings = ci_attempts.check(choose(runs, COUNTING), runs, COUNTING, limit)
    return [(finding.status, finding.reason) for finding in findings]


def said(tries: int, limit: int = 3, name: str = "test") -> str:
    return f"Passed only when run again on the same commit: `{name}` at try {tries}. The policy allows {limit} tries."


@pytest.mark.parametrize(
    ("conclusions", "limit", "wanted"),
    [
        (("success",), 3, []),
        (("success", "success", "success", "success", "success"), 3, []),
        (("failure",), 3, []),
        (("success", "failure"), 3, []),
        (("cancelled", "success"), 3, []),
        (("failure", "success"), 3, [(P, said(2))]),
        (("timed_out", "failure", "success"), 3, [(P, said(3))]),
        (("failure", "failure", "failure", "success"), 3, [(F, said(4))]),
        (("failure", "success"), 1, [(F, said(2, 1))]),
        (("failure", "cancelled", "success", "success"), 2, [(P, said(2, 2))]),
    ],
)
def test_attempts_of_one_run(conclusions: tuple[str, ...], limit: int, wanted: list[tuple[Status, str]]) -> None:
    assert checked(attempts(*tried(*conclusions)), limit=limit) == wanted


def test_what_it_says() -> None:
    of = attempts(*tried("failure", "success"))
    (finding,) = ci_attempts.check((of,), (of,), COUNTING, 1)
    fix = Fix("push", "Repair what fails now and then, and push; a person may raise `ci.attempts` in the policy.")
    assert finding == Finding("ci.attempts", F, said(2, 1), (evidence_of(of.jobs[0]),), fix)


def test_a_job_that_was_not_run_again_keeps_its_earlier_attempt() -> None:
    lint = job("lint", id=7, attempt=1)
    assert checked(attempts(*tried("failure", "success"), lint)) == [(P, said(2))]


def test_each_job_by_itself() -> None:
    slow = tried("failure", "failure", "failure", "success", name="slow", start=2)
    (found,) = checked(attempts(*tried("failure", "failure", "failure", "success"), *slow), limit=4)
    assert found == (P, said(4, 4).replace("4. The", "4, `slow` at try 4. The"))


@pytest.mark.parametrize("ranks", [(1, 3), (3, 1)])
def test_the_worst_job_decides(ranks: tuple[int, int]) -> None:
    first, second = (tried(*["failure"] * n, "success", name=f"j{n}", start=n) for n in ranks)
    ((status, _),) = checked(attempts(*first, *second))
    assert status is F


def test_another_jobs_failure_is_not_its_own() -> None:
    assert checked(attempts(*tried("failure", name="lint", start=2), *tried("success"))) == []


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 1),
        ({"path": f"{CI_YML}@refs/heads/x"}, 1),
        ({"path": ".github/workflows/other.yml"}, 0),
        ({"event": "push"}, 0),
        ({"head_sha": OTHER}, 0),
        ({"head_repository_id": 1}, 0),
        ({"id": 900}, 0),
    ],
)
def test_a_pull_request_that_was_closed_and_opened_again(changes: dict[str, Any], count: int) -> None:
    """Its new run is of the same workflow and event on the same head."""
    before = attempts(*tried("failure"), **{"id": 400, **changes})
    now = attempts(*tried("success", start=2), id=501)
    runs = (before, now)
    found = ci_attempts.check((now,), runs, COUNTING, 3)
    assert [each.reason for each in found] == [said(2)] * count


def test_attempts_of_several_runs_add_up() -> None:
    before = attempts(*tried("failure", "failure"), id=400)
    assert checked(before, attempts(*tried("failure", "success", start=2))) == [(F, said(4))]


def test_no_more_than_are_shown() -> None:
    jobs = [each for n in range(6) for each in tried(*["failure"] * 6, "success", name=f"j{n}", start=n + 1)]
    (finding,) = ci_attempts.check((attempts(*jobs),), (attempts(*jobs),), COUNTING, 9)
    assert "`j4` at try 7. The policy" in finding.reason
    assert len(finding.evidence) == 25


def test_in_the_verdict() -> None:
    of = attempts(*tried("failure", "success"))
    assert [each.status for each in judge(of).findings if each.check == "ci.attempts"] == [P]
    strict = judge(of, rules=CiRequirement(attempts=1))
    assert [each.status for each in strict.findings if each.check == "ci.attempts"] == [F]
