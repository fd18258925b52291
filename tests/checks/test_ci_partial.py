"""Jobs that may run only what is affected, or nothing because it is cached, where the policy names them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement, check_group
from checks.finding import Status
from checks.logs.report import LogReport, Summary
from tests.checks import build
from tests.checks.build import NO_TESTS, job, log, run
from tests.checks.ci_case import F, P, judge

PARTIAL = CiRequirement(partial=("test",))
CACHED = Summary("go test", 9, "ok  p (cached)", 3, 0, 0, 0, False, ("it was cached",), cached=True)
NOTHING = Summary("jest", 9, "No tests found", 0, 0, 0, 0, False, ("no tests were found",))


def said(report: LogReport, rules: CiRequirement = PARTIAL, name: str = "test") -> dict[str, Status]:
    result = judge(run(job(name, log=log(report))), rules=rules, late=True)
    return {one.check: one.status for one in result.findings if one.check in ("ci.logs", "ci.tests")}


def red(*summaries: Summary, **changes: Any) -> LogReport:
    reasons = tuple(f"line {one.line}: {reason}" for one in summaries for reason in one.reasons)
    return replace(build.report(False, summaries=summaries, reasons=reasons), **changes)


BOTH_PASS = {"ci.logs": P, "ci.tests": P}


@pytest.mark.parametrize(
    "report", [NO_TESTS, red(CACHED), red(NOTHING), red(NOTHING, CACHED), red(NOTHING, reasons=())]
)
def test_nothing_affected_or_all_cached(report: LogReport) -> None:
    assert said(report) == BOTH_PASS
    assert F in said(report, CiRequirement()).values()
    assert F in said(report, name="e2e").values()


@pytest.mark.parametrize(
    ("report", "action"),
    [(red(CACHED), "ask-person"), (red(NOTHING), "push"), (red(CACHED, replace(NOTHING, failed=1)), "push")],
)
def test_the_next_step_where_only_a_cache_spoke(report: LogReport, action: str) -> None:
    found = judge(run(job("test", log=log(report))), rules=CiRequirement(), late=True).findings[0]
    assert (found.check, found.fix and found.fix.action) == ("ci.logs", action)


def test_a_leg_of_a_named_matrix_is_partial_too() -> None:
    assert said(NO_TESTS, name="test (3.12)") == BOTH_PASS


def test_what_ran_is_shown() -> None:
    found = judge(run(job(log=log(NO_TESTS))), rules=PARTIAL).findings[-1]
    assert found.reason == (
        "Tests passed at this head: `test` (only what is affected or not cached, which the policy allows)."
    )


@pytest.mark.parametrize(
    "report",
    [
        red(replace(NOTHING, failed=1)),
        red(replace(CACHED, errors=1)),
        red(replace(CACHED, interrupted=True)),
        red(replace(CACHED, cached=False)),
        red(CACHED, replace(CACHED, cached=False, line=12)),
        red(CACHED, reasons=("line 9: it was cached", "line 12: ##[error]Process completed with exit code 1.")),
        red(CACHED, truncated=True),
        red(CACHED, complete=False),
        replace(NO_TESTS, truncated=True),
    ],
)
def test_everything_else_that_is_red_stays_red(report: LogReport) -> None:
    assert said(report)["ci.logs"] is F


def test_an_unknown_number_of_tests_is_no_failure_in_a_partial_job() -> None:
    silent = build.report(None, passed=None, summaries=(), reasons=("go test printed no number of passed tests",))
    assert said(silent) == BOTH_PASS
    assert said(silent, CiRequirement())["ci.logs"] is F


def test_green_tests_are_green_as_ever() -> None:
    assert said(build.report()) == BOTH_PASS


def test_a_partial_job_must_check_out_this_head() -> None:
    elsewhere = run(job(log=log(NO_TESTS, checked_out=(build.OTHER, build.BASE))))
    assert judge(elsewhere, rules=PARTIAL).findings[0].status is F
    nowhere = run(job(log=log(NO_TESTS, checked_out=None)))
    assert [one.status for one in judge(nowhere, rules=PARTIAL, late=True).findings if one.check == "ci.tests"] == [F]


def test_in_a_group_too() -> None:
    partial = build.group(runs=(run(job(log=log(NO_TESTS, checked_out=None)), event="merge_group"),))
    assert {one.status for one in check_group(partial, PARTIAL).findings} == {P}
