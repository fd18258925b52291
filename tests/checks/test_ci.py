"""Level `ci`: one deviation a row from runs that prove everything. Numbers are those of the tricks in the catalogue
of known ways to fake evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.ci import CiRequirement, CiResult, check, check_group
from checks.finding import Evidence, Finding, Fix, Status
from checks.paths import PathPatterns
from checks.snapshot import Job, Snapshot, Unread, WorkflowRun
from tests.checks import build
from tests.checks.build import CI_YML, HEAD, NO_TESTS, NOON, OTHER, job, log, only, report, run, seen, worst

UNREAD = Unread("HTTP 502")
OFFLINE = Unread("judged locally", offline=True)
WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
RERUN = Fix("rerun", "Run the workflow again, or push a new commit.")
P, F, OPEN, E = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED
LATE = NOON - timedelta(minutes=6)
LINT = job("lint", id=5_002, log=log(NO_TESTS, commands=("actions/checkout@v4", "ruff check")))


def _check(*runs: WorkflowRun, late: bool = False, rules: CiRequirement | None = None, **changes: Any) -> CiResult:
    seen_at = LATE if late else NOON - timedelta(minutes=3)
    return check(build.snapshot(runs=runs, head_seen_at=seen_at, **changes), rules or CiRequirement())


def _reasons(result: CiResult) -> list[tuple[str, Status, str]]:
    return [(each.check, each.status, each.reason) for each in worst(result.findings)]


def test_everything_proven() -> None:
    result = _check(run(), rules=CiRequirement(PathPatterns([CI_YML]), ("test",), ("pytest -q",)))
    assert [(each.check, each.status, each.reason) for each in result.findings] == [
        ("ci.workflow-files", P, f"The workflow files that ran are the target branch's: {CI_YML}."),
        ("ci.runs", P, "All workflow runs that count are finished: CI (attempt 1)."),
        ("ci.jobs", P, "All 1 jobs that count ended as success."),
        ("ci.logs", P, "The raw logs of 1 successful jobs do not speak against them."),
        ("ci.commands", P, "`pytest -q` ran in job `test`."),
        ("ci.tests", P, "Tests passed at this head: `test` (12 passed, 1 skipped)."),
    ]
    assert result.jobs == (job(),)


def test_the_evidence_leads_to_run_job_and_log() -> None:
    findings = _check(run()).findings
    url = "https://github.com/acme/shop/actions/runs/501"
    assert only(findings, "ci.runs").evidence == (Evidence("run 501, attempt 1", url, CI_YML, digest=HEAD),)
    assert only(findings, "ci.tests").evidence == (
        Evidence("job 5001 `test`", f"{url}/job/5001", None, 41, 41, build.DIGEST),
    )


@pytest.mark.parametrize(
    ("changes", "check_name", "status", "reason"),
    [
        ({"runs": UNREAD}, "ci.runs", E, "The workflow runs could not be read: HTTP 502."),
        ({"runs": OFFLINE}, "ci.runs", OPEN, "The workflow runs could not be read: judged locally."),
        ({"workflows": UNREAD}, "ci.workflow-files", E, "The workflow files could not be read: HTTP 502."),
        ({"workflows": OFFLINE}, "ci.workflow-files", OPEN, "The workflow files could not be read: judged locally."),
    ],
)
def test_what_could_not_be_read(changes: dict[str, Any], check_name: str, status: Status, reason: str) -> None:
    result = check(build.snapshot(**changes), CiRequirement())
    action = "wait" if status is E else "open-pull-request"
    assert [(each.check, each.status, each.reason) for each in result.findings] == [(check_name, status, reason)]
    assert result.findings[0].fix is not None
    assert result.findings[0].fix.action == action
    assert result.jobs == ()


# Which runs count (tricks 1, 3, 4, 23, 26, 28, 33).


def test_no_run_at_all_is_awaited_and_then_fails() -> None:
    awaited = "No workflow run of pull_request is there yet on this head."
    assert _reasons(_check()) == [("ci.runs", OPEN, awaited)]
    assert _reasons(_check(late=True)) == [
        ("ci.runs", F, "No workflow ran on pull_request for this head, although there was time enough.")
    ]


@pytest.mark.parametrize(
    ("seen_at", "status"),
    [(None, OPEN), (NOON, OPEN), (NOON - timedelta(seconds=299), OPEN), (NOON - timedelta(seconds=300), F)],
)
def test_how_long_a_run_is_awaited(seen_at: Any, status: Status) -> None:
    result = check(build.snapshot(runs=(), head_seen_at=seen_at), CiRequirement())
    assert [each.status for each in result.findings] == [status]
    longer = check(build.snapshot(runs=(), head_seen_at=seen_at), CiRequirement(wait=timedelta(hours=1)))
    assert [each.status for each in longer.findings] == [OPEN]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"head_sha": OTHER}, f"ran on {OTHER[:12]}"),
        ({"event": "push"}, "ran on the event push"),
        ({"event": "pull_request_target"}, "ran on the event pull_request_target"),
        ({"event": "workflow_dispatch"}, "ran on the event workflow_dispatch"),
        ({"path": ".github/workflows/other.yml"}, "is of a workflow file that the policy does not name"),
        ({"path": ".github/workflows/CI.yml"}, "is of a workflow file that the policy does not name"),
        ({"head_repository_id": 701}, "is not known to have run for this pull request's own repository"),
        ({"head_repository_id": None}, "is not known to have run for this pull request's own repository"),
    ],
)
def test_runs_that_do_not_count(changes: dict[str, Any], why: str) -> None:
    result = _check(run(**changes), rules=CiRequirement(PathPatterns([CI_YML])))
    awaited = "No workflow run of pull_request is there yet on this head."
    assert _reasons(result) == [("ci.runs", OPEN, f"{awaited} Seen, but not counted: CI {why}.")]
    beside = _check(run(**changes, id=900, conclusion="failure"), run(), rules=CiRequirement(PathPatterns([CI_YML])))
    assert _reasons(beside) == []


def test_a_deleted_fork_s_runs_do_not_count() -> None:
    snapshot = build.snapshot(runs=(run(head_repository_id=None),))
    gone = replace(snapshot, head=replace(snapshot.head, repository_id=None))
    assert [each.status for each in check(gone, CiRequirement()).findings] == [OPEN]


def test_any_workflow_counts_where_policy_names_none() -> None:
    path = ".github/workflows/other.yml"
    result = _check(run(path=f"{path}@main"), workflows=(build.workflow(path),))
    assert worst(result.findings) == []


def test_push_counts_only_where_policy_says_so() -> None:
    pushed = run(job(log=log(checked_out=None)), event="push")
    assert _reasons(_check(pushed))[0][1] is OPEN
    assert worst(_check(pushed, rules=CiRequirement(allow_push=True)).findings) == []
    late = _check(rules=CiRequirement(allow_push=True))
    assert late.findings[0].reason == "No workflow run of pull_request or push is there yet on this head."


@pytest.mark.parametrize("count", [1, 7])
def test_a_head_shared_with_another_base_proves_nothing(count: int) -> None:
    numbers = ", ".join(f"#{number}" for number in range(20, 20 + min(count, 5)))
    result = _check(run(), shared_head=tuple(range(20, 20 + count)))
    assert _reasons(result) == [
        ("ci.runs", F, f"No workflow run counts, because the same commit is the head of {numbers} too.")
    ]
    assert result.findings[0].fix == Fix(
        "push", "Close the other pull request and push a new commit, so that this head is its alone."
    )


def test_a_shared_head_without_a_run_is_awaited() -> None:
    assert [each[1] for each in _reasons(_check(shared_head=(20,)))] == [OPEN]
    assert [each[1] for each in _reasons(_check(run(event="schedule"), shared_head=(20,)))] == [OPEN]


def test_a_shared_head_s_push_still_counts() -> None:
    pushed = run(job(log=log(checked_out=None)), event="push")
    result = _check(pushed, run(id=502), shared_head=(20,), rules=CiRequirement(allow_push=True))
    assert worst(result.findings) == []


def test_a_run_that_was_seen_and_is_gone_fails() -> None:
    result = _check(run(), seen_runs=(501, 499))
    assert _reasons(result) == [("ci.runs", F, "The workflow run 499 was here before and is gone now.")]
    assert result.findings[0].fix == RERUN
    assert [each[1] for each in _reasons(_check(seen_runs=(499,)))] == [F, OPEN]


def test_the_newest_run_of_a_file_and_event_decides() -> None:
    bad = run(job(conclusion="failure"), conclusion="failure")
    assert worst(_check(bad, run(id=502)).findings) == []
    assert [each[0] for each in _reasons(_check(replace(bad, id=502), run()))] == ["ci.jobs", "ci.tests"]
    other = run(job("docs", id=5_003, conclusion="failure"), id=400, path=".github/workflows/docs.yml")
    files = (build.workflow(), build.workflow(".github/workflows/docs.yml"))
    assert [each[0] for each in _reasons(_check(other, run(), workflows=files))] == ["ci.jobs"]


# How far a run is (tricks 20, 22, 31).


@pytest.mark.parametrize(
    ("changes", "status", "reason", "action"),
    [
        ({"status": "queued", "conclusion": None}, OPEN, "CI is not finished: queued.", "wait"),
        ({"status": "in_progress", "conclusion": None}, OPEN, "CI is not finished: in_progress.", "wait"),
        ({"status": "requested", "conclusion": None}, OPEN, "CI is not finished: requested.", "wait"),
        ({"status": "in_progress"}, OPEN, "CI is not finished: in_progress.", "wait"),
        ({"conclusion": None}, OPEN, "CI is not finished: completed.", "wait"),
        ({"status": "waiting", "conclusion": None}, OPEN, "CI waits for the approval of an environment.", "ask-person"),
        (
            {"conclusion": "action_required", "jobs": ()},
            OPEN,
            "CI may not start: somebody with write permission must approve it to run.",
            "ask-person",
        ),
        (
            {"status": "action_required", "conclusion": None, "jobs": ()},
            OPEN,
            "CI may not start: somebody with write permission must approve it to run.",
            "ask-person",
        ),
        (
            {"conclusion": "startup_failure", "jobs": ()},
            OPEN,
            "CI did not start: it is not allowed to run here, or its workflow file is broken.",
            "ask-person",
        ),
        ({"jobs": ()}, F, "CI ended without any job.", "rerun"),
        ({"conclusion": "failure", "jobs": ()}, F, "CI ended without any job.", "rerun"),
        (
            {"conclusion": "startup_failure"},
            F,
            "CI ended as startup_failure, although none of its jobs says so.",
            "rerun",
        ),
        ({"conclusion": "failure"}, F, "CI ended as failure, although none of its jobs says so.", "rerun"),
        ({"conclusion": "cancelled"}, F, "CI ended as cancelled, although none of its jobs says so.", "rerun"),
        ({"conclusion": "neutral"}, F, "CI ended as neutral, although none of its jobs says so.", "rerun"),
        ({"conclusion": "unheard_of"}, F, "CI ended as unheard_of, although none of its jobs says so.", "rerun"),
    ],
)
def test_states_of_a_run(changes: dict[str, Any], status: Status, reason: str, action: str) -> None:
    finding = only(_check(replace(run(), **changes)).findings, "ci.runs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["run 501, attempt 1"]


def test_a_run_s_failure_is_told_by_its_jobs_where_they_say_it() -> None:
    jobs = (job(conclusion="failure"), job("lint", id=5_002, conclusion="skipped"))
    result = _check(run(*jobs, conclusion="failure"))
    assert "ci.runs" not in {each[0] for each in _reasons(result)}
    skipped = run(job(), job("lint", id=5_002, conclusion="skipped"), conclusion="failure")
    assert "ci.runs" in {each[0] for each in _reasons(_check(skipped))}


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
    result = _check(run(job(**changes)), late=True)
    finding = only(result.findings, "ci.jobs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["job 5001 `test`"]
    assert only(result.findings, "ci.tests").status is status
    assert result.jobs == ()


@pytest.mark.parametrize("conclusion", ["success", "skipped", None])
def test_steps_that_do_not_contradict(conclusion: str | None) -> None:
    assert worst(_check(run(job(steps=(build.step("x", conclusion),)))).findings) == []


def test_all_bad_jobs_are_told() -> None:
    jobs = (job(), job("a", id=1, conclusion="failure"), job("b", id=2, conclusion="cancelled"))
    assert [each[2] for each in _reasons(_check(run(*jobs, conclusion="failure")))] == [
        "Job `a` ended as failure.",
        "Job `b` ended as cancelled.",
    ]


def test_a_skipped_job_is_no_matter_where_policy_names_others() -> None:
    runs = run(job(), job("deploy", id=5_002, conclusion="skipped", log=None))
    assert [each[2] for each in _reasons(_check(runs))] == ["Job `deploy` was skipped, which proves nothing."]
    assert worst(_check(runs, rules=CiRequirement(jobs=("test",))).findings) == []
    assert [each[0] for each in _reasons(_check(runs, rules=CiRequirement(jobs=("test", "deploy"))))] == ["ci.jobs"]


@pytest.mark.parametrize(
    ("required", "named"),
    [("test", True), ("tes", False), ("test (3.12)", False), ("Test", False), ("tests", False)],
)
def test_required_jobs(required: str, named: bool) -> None:
    rules = CiRequirement(jobs=(required,))
    soon, late = _check(run(), rules=rules), _check(run(), rules=rules, late=True)
    if named:
        assert worst(soon.findings) == worst(late.findings) == []
        return
    assert _reasons(soon) == [
        ("ci.jobs", OPEN, f"The required job `{required}` is not there yet."),
        ("ci.tests", OPEN, "No log shows passing tests of this head yet."),
    ]
    assert _reasons(late)[0] == (
        "ci.jobs",
        F,
        f"The required job `{required}` did not run in any workflow that counts.",
    )
    assert late.findings[0].fix == Fix("ask-person", f"Ask a person why no workflow has the job `{required}` now.")


def test_a_required_job_stands_for_its_matrix() -> None:
    legs = (job("test (3.12)"), job("test (3.13, linux)", id=5_002, conclusion="failure"))
    result = _check(run(*legs, conclusion="failure"), rules=CiRequirement(jobs=("test",)))
    assert _reasons(result) == [("ci.jobs", F, "Job `test (3.13, linux)` ended as failure.")]
    odd = _check(run(job("test (3.12) more")), rules=CiRequirement(jobs=("test",)), late=True)
    assert [each[0] for each in _reasons(odd)] == ["ci.jobs", "ci.tests"]


def test_while_a_run_goes_on_missing_jobs_are_awaited() -> None:
    going = run(status="in_progress", conclusion=None)
    result = _check(going, rules=CiRequirement(jobs=("test", "later")), late=True)
    assert [each[:2] for each in _reasons(result)] == [("ci.runs", OPEN), ("ci.jobs", OPEN)]


def test_a_name_from_two_workflow_files_is_not_green() -> None:
    twin = run(job(id=5_002), id=502, path=".github/workflows/z.yml", event="push")
    result = _check(run(), twin, rules=CiRequirement(PathPatterns([CI_YML]), ("test",)))
    assert _reasons(result) == [
        (
            "ci.jobs",
            F,
            f"The required job `test` is produced by several workflow files: {CI_YML}, .github/workflows/z.yml.",
        )
    ]
    assert worst(result.findings)[0].fix == Fix(
        "ask-person", "Rename the other jobs, so that only one file has `test`."
    )
    assert worst(_check(run(), twin, rules=CiRequirement(PathPatterns([CI_YML]))).findings) == []
    elsewhere = replace(twin, head_sha=OTHER)
    assert worst(_check(run(), elsewhere, rules=CiRequirement(PathPatterns([CI_YML]), ("test",))).findings) == []
    same = run(job(id=5_002, log=log(checked_out=None)), id=502, path=f"{CI_YML}@main", event="push")
    assert worst(_check(run(), same, rules=CiRequirement(jobs=("test",), allow_push=True)).findings) == []


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
    result = _check(run(*jobs, attempt=2, status=status, conclusion=conclusion))
    assert (worst(result.findings) == []) is good


def test_while_an_attempt_goes_on_nothing_of_an_earlier_one_counts() -> None:
    again = run(job(conclusion="failure"), job("lint", id=3), attempt=2, status="in_progress", conclusion=None)
    result = _check(again, late=True)
    assert [each[:2] for each in _reasons(result)] == [("ci.runs", OPEN), ("ci.tests", OPEN)]
    assert result.jobs == ()


# Logs (tricks 7, 11, 12, 17, 18, 19, 25, 27).


@pytest.mark.parametrize(
    ("given", "status", "reason", "action"),
    [
        (None, E, "The log of job `test` was not read.", "wait"),
        (UNREAD, E, "The log of job `test` could not be read: HTTP 502.", "wait"),
        (OFFLINE, OPEN, "The log of job `test` could not be read: judged locally.", "wait"),
        (
            log(checked_out=(OTHER, HEAD)),
            F,
            f"Job `test` checked out {OTHER[:12]}, not this head.",
            "rerun",
        ),
        (
            log(report(green=False, reasons=("line 9: a", "line 10: b", "line 11: c", "line 12: d"))),
            F,
            "Job `test` ended as success, but its log does not: line 9: a; line 10: b; line 11: c.",
            "push",
        ),
        (
            log(report(green=False)),
            F,
            "Job `test` ended as success, but its log does not: it names no reason.",
            "push",
        ),
        (
            log(replace(NO_TESTS, green=False, reasons=("line 3: ##[error]x",))),
            F,
            "Job `test` ended as success, but its log does not: line 3: ##[error]x.",
            "push",
        ),
        (
            log(report(green=None, reasons=("no test passed",))),
            F,
            "It cannot be told from the log of job `test` whether the tests passed: no test passed.",
            "push",
        ),
        (
            log(replace(NO_TESTS, truncated=True, reasons=("the log is too large",))),
            F,
            "It cannot be told from the log of job `test` whether the tests passed: the log is too large.",
            "push",
        ),
    ],
)
def test_a_log_that_does_not_agree(given: Any, status: Status, reason: str, action: str) -> None:
    result = _check(run(job(log=given)), late=True)
    finding = only(result.findings, "ci.logs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["job 5001 `test`"]
    assert only(result.findings, "ci.tests").status is (F if status is F else OPEN)
    assert result.jobs == ()


def test_a_bad_log_beside_good_ones_is_enough() -> None:
    bad = job("lint", id=5_002, log=log(report(green=False, reasons=("line 9: a",))))
    assert [each[:2] for each in _reasons(_check(run(job(), bad)))] == [("ci.logs", F)]


def test_a_job_without_tests_is_no_matter_beside_one_with_tests() -> None:
    result = _check(run(job(), LINT))
    assert worst(result.findings) == []
    assert result.jobs == (job(), LINT)


def test_no_log_with_tests_is_not_green() -> None:
    late = _check(run(LINT), late=True)
    reason = "No log of a required job shows passing tests of a known test runner."
    assert _reasons(late) == [("ci.tests", F, reason)]
    assert late.findings[0].fix == Fix(
        "push", "Let the job run its tests so that the runner prints its closing summary with counts."
    )
    assert _reasons(_check(run(LINT))) == [("ci.tests", OPEN, "No log shows passing tests of this head yet.")]


NOT_REQUIRED = (
    "Tests passed in job `{}`, but it runs nothing that is required, "
    "or its log does not show that it checked out this head."
)


def test_a_log_must_show_the_checkout_of_this_head() -> None:
    result = _check(run(job(log=log(checked_out=None))), late=True)
    assert _reasons(result) == [("ci.tests", F, NOT_REQUIRED.format("test"))]
    assert result.findings[0].fix == Fix(
        "ask-person", "Ask a person to run the tests in a required job that checks out with actions/checkout."
    )
    assert [each.label for each in result.findings[0].evidence] == ["job 5001 `test`"]
    unbound = job("more", id=5_002, log=log(checked_out=None))
    assert worst(_check(run(unbound, job())).findings) == []


def test_required_jobs_must_show_the_tests() -> None:
    runs = run(job(), LINT)
    assert _reasons(_check(runs, rules=CiRequirement(jobs=("lint",)), late=True)) == [
        ("ci.tests", F, NOT_REQUIRED.format("test"))
    ]
    assert worst(_check(runs, rules=CiRequirement(jobs=("lint", "test"))).findings) == []


# Commands (tricks 10, 25).


def test_required_commands_must_show_the_tests() -> None:
    runs = run(job(), LINT)
    assert _reasons(_check(runs, rules=CiRequirement(jobs=("test",), commands=("ruff check",)), late=True)) == [
        ("ci.tests", F, NOT_REQUIRED.format("test"))
    ]
    assert worst(_check(runs, rules=CiRequirement(commands=("ruff check", "pytest -q"))).findings) == []


@pytest.mark.parametrize(
    ("wanted", "shown", "there"),
    [
        ("pytest -q", "pytest -q", True),
        ("pytest  -q ", "pytest -q", True),
        ("Run pytest -q", "pytest -q", True),
        ("pytest -q", "Run  pytest   -q", True),
        ("pytest -q", "pytest -q tests/one.py", False),
        ("pytest -q", "pytest -q || true", False),
        ("pytest -q", "pytest", False),
        ("pytest", "pytest -q", False),
        ("pytest -q", "PYTEST -Q", False),
    ],
)
def test_a_command_must_be_exactly_the_required_one(wanted: str, shown: str, there: bool) -> None:
    result = _check(run(job(log=log(commands=(shown,)))), rules=CiRequirement(commands=(wanted,)), late=True)
    name = " ".join(wanted.removeprefix("Run ").split())
    finding = only(result.findings, "ci.commands")
    if there:
        assert (finding.status, finding.reason) == (P, f"`{name}` ran in job `test`.")
    else:
        assert (finding.status, finding.reason) == (F, f"`{name}` is not a step of any job that succeeded.")
        fix = Fix("ask-person", "A workflow of the target branch must run exactly this; ask a person to add it.")
        assert finding.fix == fix


def test_a_command_is_awaited() -> None:
    rules = CiRequirement(commands=("ruff check",))
    assert ("ci.commands", OPEN, "`ruff check` has not run yet in a job that succeeded.") in _reasons(
        _check(run(), rules=rules)
    )
    going = run(status="in_progress", conclusion=None)
    assert only(_check(going, rules=rules, late=True).findings, "ci.commands").status is OPEN


def test_a_command_in_a_failed_job_does_not_count() -> None:
    failed = run(job(), replace(LINT, conclusion="failure"), conclusion="failure")
    result = _check(failed, rules=CiRequirement(commands=("ruff check",)), late=True)
    assert only(result.findings, "ci.commands").status is F


def test_the_ticket_s_commands_are_added_once() -> None:
    ticket = build.ticket(verification_commands=("pytest  -q", "make e2e"))
    result = _check(run(), rules=CiRequirement(commands=("pytest -q",)), ticket=ticket, late=True)
    commands = [each for each in result.findings if each.check == "ci.commands"]
    assert [(each.status, each.reason) for each in commands] == [
        (F, "`make e2e` is not a step of any job that succeeded."),
        (P, "`pytest -q` ran in job `test`."),
    ]


def test_an_unreadable_log_makes_the_rest_wait() -> None:
    result = _check(run(job(log=UNREAD)), rules=CiRequirement(commands=("pytest -q",)), late=True)
    assert [each[:2] for each in _reasons(result)] == [("ci.logs", E), ("ci.commands", OPEN), ("ci.tests", OPEN)]


# Workflow files (tricks 17, 24, 25, 58).


def test_a_changed_workflow_file_fails_once_a_path() -> None:
    runs = (run(), run(job(id=5_002, log=log(checked_out=None)), id=502, event="push"))
    result = _check(*runs, workflows=(build.workflow(head=OTHER),), rules=CiRequirement(allow_push=True))
    assert [each[:2] for each in _reasons(result)] == [("ci.workflow-files", F)]
    assert result.findings[0].check == "ci.workflow-files"


def test_only_files_that_ran_are_compared() -> None:
    other = build.workflow(".github/workflows/other.yml", head=OTHER)
    assert worst(_check(run(), workflows=(other, build.workflow())).findings) == []


# Merge groups.


def test_a_group_s_own_runs_count() -> None:
    result = check_group(build.group(), CiRequirement(jobs=("test",), commands=("pytest -q",)))
    assert worst(result.findings) == []
    assert seen(result.findings) == {
        (f"ci.{name}", P) for name in ("workflow-files", "runs", "jobs", "logs", "commands", "tests")
    }


@pytest.mark.parametrize("changes", [{"event": "pull_request"}, {"event": "push"}, {"head_sha": OTHER}])
def test_other_runs_do_not_count_for_a_group(changes: dict[str, Any]) -> None:
    group = build.group(runs=(run(**{"event": "merge_group", **changes}),))
    result = check_group(group, CiRequirement(allow_push=True))
    assert [each.status for each in result.findings] == [OPEN]
    assert result.findings[0].reason.startswith("No workflow run of merge_group is there yet on this head.")


def test_a_group_s_checkout_line_is_compared_where_it_is() -> None:
    unnamed = build.group(runs=(run(job(log=log(checked_out=None)), event="merge_group"),))
    assert worst(check_group(unnamed, CiRequirement()).findings) == []
    other = build.group(runs=(run(job(log=log(checked_out=(OTHER, HEAD))), event="merge_group"),))
    assert _reasons(check_group(other, CiRequirement()))[0][:2] == ("ci.logs", F)


@pytest.mark.parametrize(("seen_at", "status"), [(None, OPEN), (NOON, OPEN), (LATE, F)])
def test_a_group_s_missing_run_is_awaited(seen_at: Any, status: Status) -> None:
    result = check_group(build.group(runs=(), head_seen_at=seen_at), CiRequirement())
    assert [each.status for each in result.findings] == [status]


def test_a_group_s_workflow_file_may_change_where_a_person_s_member_changes_it() -> None:
    group = build.group(workflows=(build.workflow(head=OTHER),))
    assert [each[:2] for each in _reasons(check_group(group, CiRequirement()))] == [("ci.workflow-files", F)]
    assert worst(check_group(group, CiRequirement(), {CI_YML}).findings) == []


def test_a_group_s_runs_that_could_not_be_read() -> None:
    result = check_group(build.group(runs=UNREAD), CiRequirement())
    assert [each.status for each in result.findings] == [E]


def test_a_group_of_a_fork_s_member_has_runs_of_the_repository() -> None:
    group = build.group(runs=(run(event="merge_group", head_repository_id=701),))
    assert [each.status for each in check_group(group, CiRequirement()).findings] == [OPEN]


def test_the_worst_finding_stands_first() -> None:
    bad = run(job(conclusion="failure"), LINT, conclusion="failure")
    findings = _check(bad, run(job("docs", id=9, log=UNREAD), id=502, path=".github/workflows/d.yml")).findings
    order = [Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED]
    assert [each.status for each in findings] == sorted((each.status for each in findings), key=order.index)


def test_findings_name_the_first_five() -> None:
    runs = [
        run(job(id=number), id=number, name=f"W{number}", path=f".github/workflows/{number}.yml")
        for number in range(1, 8)
    ]
    files = tuple(build.workflow(f".github/workflows/{number}.yml") for number in range(1, 8))
    findings = _check(*runs, workflows=files).findings
    assert "W5 (attempt 1)." in only(findings, "ci.runs").reason
    assert "/5.yml." in only(findings, "ci.workflow-files").reason
    assert only(findings, "ci.tests").reason.count("`test`") == 5
    assert len(only(findings, "ci.tests").evidence) == 5
    assert len(only(findings, "ci.runs").evidence) == 7
    others = [replace(each, event="push") for each in runs]
    assert "W5 ran" in _check(*others).findings[0].reason
    assert "W6 ran" not in _check(*others).findings[0].reason


def test_what_is_awaited_says_so() -> None:
    assert _check().findings[0].fix == WAIT
    assert _check(late=True).findings[0].fix == Fix(
        "push", "Look for `[skip ci]` in the commit message, path filters and disabled workflows; push again."
    )


def _finding(snapshot: Snapshot) -> Finding:
    return check(snapshot, CiRequirement()).findings[0]


def test_offline_is_said_with_the_next_step() -> None:
    assert _finding(build.snapshot(runs=OFFLINE)).fix == Fix(
        "open-pull-request", "Open a pull request; only GitHub runs the workflows that count."
    )
    assert _finding(build.snapshot(runs=UNREAD)).fix == Fix(
        "wait", "Nothing to do; the gate reads them again by itself."
    )
