"""Jobs and reports by their numbers alone."""

from __future__ import annotations

from typing import Any

from checks.reports.report import TestReport
from checks.runs import Job
from tests.checks import build


def ran(tests: int | None, skipped: int | None = 0, name: str = "test", **changes: Any) -> Job:
    """A job that ran so many tests, skipped ones included."""
    passed = None if tests is None else tests - (skipped or 0)
    log = build.log(build.report(passed=passed, skipped=skipped, summaries=()))
    return build.job(name, id=changes.pop("id", 5_001), log=log, **changes)


def holds(tests: int, skipped: int = 0, names: tuple[str, ...] | None = None) -> TestReport:
    return TestReport("junit", "junit", tests - skipped, 0, 0, skipped, tests=names)
