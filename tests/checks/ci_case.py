"""A judgement of workflow runs in one line, for the tests of level `ci`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from checks.ci import CiRequirement, CiResult, check
from checks.finding import Fix, Status
from checks.runs import WorkflowRun
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import NO_TESTS, NOON, job, log, worst

UNREAD = Unread("HTTP 502")
OFFLINE = Unread("judged locally", offline=True)
WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
RERUN = Fix("rerun", "Run the workflow again, or push a new commit.")
P, F, OPEN, E = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED
LATE = NOON - timedelta(minutes=6)
LINT = job(
    "lint",
    id=5_002,
    steps=(build.step("Run ruff check"),),
    log=log(NO_TESTS, commands=("actions/checkout@v4", "ruff check")),
)


def judge(*runs: WorkflowRun, late: bool = False, rules: CiRequirement | None = None, **changes: Any) -> CiResult:
    seen_at = LATE if late else NOON - timedelta(minutes=3)
    return check(build.snapshot(runs=runs, head_seen_at=seen_at, **changes), rules or CiRequirement())


def reasons(result: CiResult) -> list[tuple[str, Status, str]]:
    return [(each.check, each.status, each.reason) for each in worst(result.findings)]
