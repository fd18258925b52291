"""Level `ci` as a whole, workflow files, merge groups.

Numbers of tricks here and beside are those of a catalogue of known ways to fake evidence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement, check, check_group
from checks.finding import Evidence, Finding, Fix, Status
from checks.paths import PathPatterns
from checks.snapshot import Snapshot
from tests.checks import build
from tests.checks.build import CI_YML, HEAD, NOON, OTHER, job, log, only, run, seen, worst
from tests.checks.ci_case import LATE, LINT, OFFLINE, OPEN, UNREAD, WAIT, E, F, P, judge, reasons


def test_everything_proven() -> None:
    result = judge(run(), rules=CiRequirement(PathPatterns([CI_YML]), ("test",), ("pytest -q",)))
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
    findings = judge(run()).findings
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


# Workflow files (tricks 17, 24, 25, 58).


def test_a_changed_workflow_file_fails_once_a_path() -> None:
    runs = (run(), run(job(id=5_002, log=log(checked_out=None)), id=502, event="push"))
    result = judge(*runs, workflows=(build.workflow(head=OTHER),), rules=CiRequirement(allow_push=True))
    assert [each[:2] for each in reasons(result)] == [("ci.workflow-files", F)]
    assert result.findings[0].check == "ci.workflow-files"


def test_only_files_that_ran_are_compared() -> None:
    other = build.workflow(".github/workflows/other.yml", head=OTHER)
    assert worst(judge(run(), workflows=(other, build.workflow())).findings) == []


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
    assert reasons(check_group(other, CiRequirement()))[0][:2] == ("ci.logs", F)


@pytest.mark.parametrize(("seen_at", "status"), [(None, OPEN), (NOON, OPEN), (LATE, F)])
def test_a_group_s_missing_run_is_awaited(seen_at: Any, status: Status) -> None:
    result = check_group(build.group(runs=(), head_seen_at=seen_at), CiRequirement())
    assert [each.status for each in result.findings] == [status]


def test_a_group_s_workflow_file_may_change_where_a_person_s_member_changes_it() -> None:
    group = build.group(workflows=(build.workflow(head=OTHER),))
    assert [each[:2] for each in reasons(check_group(group, CiRequirement()))] == [("ci.workflow-files", F)]
    assert worst(check_group(group, CiRequirement(), {CI_YML}).findings) == []


def test_a_group_s_runs_are_of_allowed_workflows() -> None:
    rules = CiRequirement(PathPatterns([".github/workflows/other.yml"]))
    assert [each.status for each in check_group(build.group(), rules).findings] == [OPEN]
    assert worst(check_group(build.group(), CiRequirement(PathPatterns([CI_YML]))).findings) == []


def test_a_group_s_runs_that_could_not_be_read() -> None:
    result = check_group(build.group(runs=UNREAD), CiRequirement())
    assert [each.status for each in result.findings] == [E]


def test_a_group_of_a_fork_s_member_has_runs_of_the_repository() -> None:
    group = build.group(runs=(run(event="merge_group", head_repository_id=701),))
    assert [each.status for each in check_group(group, CiRequirement()).findings] == [OPEN]


def test_the_worst_finding_stands_first() -> None:
    bad = run(job(conclusion="failure"), LINT, conclusion="failure")
    findings = judge(bad, run(job("docs", id=9, log=UNREAD), id=502, path=".github/workflows/d.yml")).findings
    order = [Status.FAILED, Status.ERRORED, Status.PENDING, Status.PASSED]
    assert [each.status for each in findings] == sorted((each.status for each in findings), key=order.index)


def test_findings_name_the_first_five() -> None:
    runs = [
        run(job(id=number), id=number, name=f"W{number}", path=f".github/workflows/{number}.yml")
        for number in range(1, 8)
    ]
    files = tuple(build.workflow(f".github/workflows/{number}.yml") for number in range(1, 8))
    findings = judge(*runs, workflows=files).findings
    assert "W5 (attempt 1)." in only(findings, "ci.runs").reason
    assert "/5.yml." in only(findings, "ci.workflow-files").reason
    assert only(findings, "ci.tests").reason.count("`test`") == 5
    assert len(only(findings, "ci.tests").evidence) == 5
    assert len(only(findings, "ci.runs").evidence) == 7
    others = [replace(each, event="push") for each in runs]
    assert "W4 ran on the event push; W5 ran on" in judge(*others).findings[0].reason
    assert "W6 ran" not in judge(*others).findings[0].reason


def test_what_is_awaited_says_so() -> None:
    assert judge().findings[0].fix == WAIT
    assert judge(late=True).findings[0].fix == Fix(
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
