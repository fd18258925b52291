"""Which workflow runs count, and how far they have come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from checks.ci import CiRequirement, check
from checks.finding import Fix, Status
from checks.paths import PathPatterns
from tests.checks import build
from tests.checks.build import CI_YML, HEAD, NOON, OTHER, job, log, only, run, worst
from tests.checks.ci_case import OPEN, RERUN, F, judge, reasons

# Which runs count (tricks 1, 3, 4, 23, 26, 28, 33).


def test_no_run_at_all_is_awaited_and_then_fails() -> None:
    awaited = "No workflow run of pull_request is there yet on this head."
    assert reasons(judge()) == [("ci.runs", OPEN, awaited)]
    assert reasons(judge(late=True)) == [
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
    result = judge(run(**changes), rules=CiRequirement(PathPatterns([CI_YML])))
    awaited = "No workflow run of pull_request is there yet on this head."
    assert reasons(result) == [("ci.runs", OPEN, f"{awaited} Seen, but not counted: CI {why}.")]
    beside = judge(run(**changes, id=900, conclusion="failure"), run(), rules=CiRequirement(PathPatterns([CI_YML])))
    assert reasons(beside) == []


def test_a_deleted_fork_s_runs_do_not_count() -> None:
    snapshot = build.snapshot(runs=(run(head_repository_id=None),))
    gone = replace(snapshot, head=replace(snapshot.head, repository_id=None))
    assert [each.status for each in check(gone, CiRequirement()).findings] == [OPEN]


def test_any_workflow_counts_where_policy_names_none() -> None:
    path = ".github/workflows/other.yml"
    result = judge(run(path=f"{path}@main"), workflows=(build.workflow(path),))
    assert worst(result.findings) == []


def test_push_counts_only_where_policy_says_so() -> None:
    pushed = run(job(log=log(checked_out=None)), event="push")
    assert reasons(judge(pushed))[0][1] is OPEN
    assert worst(judge(pushed, rules=CiRequirement(allow_push=True)).findings) == []
    late = judge(rules=CiRequirement(allow_push=True))
    assert late.findings[0].reason == "No workflow run of pull_request or push is there yet on this head."


@pytest.mark.parametrize("count", [1, 7])
def test_a_head_shared_with_another_base_proves_nothing(count: int) -> None:
    numbers = ", ".join(f"#{number}" for number in range(20, 20 + min(count, 5)))
    result = judge(run(), shared_head=tuple(range(20, 20 + count)))
    assert reasons(result) == [
        ("ci.runs", F, f"No workflow run counts, because the same commit is the head of {numbers} too.")
    ]
    assert result.findings[0].fix == Fix(
        "push", "Close the other pull request and push a new commit, so that this head is its alone."
    )


def test_a_shared_head_without_a_run_is_awaited() -> None:
    assert [each[1] for each in reasons(judge(shared_head=(20,)))] == [OPEN]
    assert [each[1] for each in reasons(judge(run(event="schedule"), shared_head=(20,)))] == [OPEN]


def test_a_shared_head_s_push_still_counts() -> None:
    pushed = run(job(log=log(checked_out=None)), event="push")
    result = judge(pushed, run(id=502), shared_head=(20,), rules=CiRequirement(allow_push=True))
    assert worst(result.findings) == []


def test_a_run_that_was_seen_and_is_gone_fails() -> None:
    result = judge(run(), seen_runs=(501, 499))
    assert reasons(result) == [("ci.runs", F, "The workflow run 499 was here before and is gone now.")]
    assert result.findings[0].fix == RERUN
    assert [each[1] for each in reasons(judge(seen_runs=(499,)))] == [F, OPEN]


def test_the_newest_run_of_a_file_and_event_decides() -> None:
    bad = run(job(conclusion="failure"), conclusion="failure")
    assert worst(judge(bad, run(id=502)).findings) == []
    assert [each[0] for each in reasons(judge(replace(bad, id=502), run()))] == ["ci.jobs", "ci.tests"]
    other = run(job("docs", id=5_003, conclusion="failure"), id=400, path=".github/workflows/docs.yml")
    files = (build.workflow(), build.workflow(".github/workflows/docs.yml"))
    assert [each[0] for each in reasons(judge(other, run(), workflows=files))] == ["ci.jobs"]


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
    finding = only(judge(replace(run(), **changes)).findings, "ci.runs")
    assert (finding.status, finding.reason) == (status, reason)
    assert finding.fix is not None
    assert finding.fix.action == action
    assert [each.label for each in finding.evidence] == ["run 501, attempt 1"]


@pytest.mark.parametrize(
    ("conclusion", "text"),
    [
        (
            "action_required",
            (
                "Ask somebody with write permission to approve the workflow run on the pull request's page; "
                "for Copilot's runs an administrator can take that step away."
            ),
        ),
        (
            "startup_failure",
            (
                "Ask an administrator to approve the account and the event in the Actions policies, "
                "or to look at the run's page."
            ),
        ),
    ],
)
def test_who_can_let_a_run_start(conclusion: str, text: str) -> None:
    finding = only(judge(replace(run(), conclusion=conclusion, jobs=())).findings, "ci.runs")
    assert (finding.status, finding.fix) == (OPEN, Fix("ask-person", text))


def test_a_run_s_failure_is_told_by_its_jobs_where_they_say_it() -> None:
    jobs = (job(conclusion="failure"), job("lint", id=5_002, conclusion="skipped"))
    result = judge(run(*jobs, conclusion="failure"))
    assert "ci.runs" not in {each[0] for each in reasons(result)}
    skipped = run(job(), job("lint", id=5_002, conclusion="skipped"), conclusion="failure")
    assert "ci.runs" in {each[0] for each in reasons(judge(skipped))}


def test_runs_from_before_the_base_was_changed_do_not_count() -> None:
    before, after = (run(created_at=NOON + timedelta(seconds=second)) for second in (0, 1))
    assert worst(judge(after, base_changed_at=NOON).findings) == []
    for early in (before, run()):
        (found,) = worst(judge(early, base_changed_at=NOON, late=True).findings)
        assert "before the base branch was changed" in found.reason


def test_a_merge_into_a_commit_that_the_target_does_not_hold_is_no_proof() -> None:
    elsewhere = run(job(log=log(checked_out=(HEAD, OTHER))))
    assert worst(judge(elsewhere, tested_bases=frozenset({OTHER})).findings) == []
    found = worst(judge(elsewhere).findings)
    assert found[0].check == "ci.logs"
    assert "not in the target branch's history" in found[0].reason
