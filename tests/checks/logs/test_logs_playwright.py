"""Playwright's closing lines; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

START = "Running 2 tests using 1 worker"
GREEN = "  2 passed (3.3s)"


def test_a_green_run_wholly() -> None:
    one = Summary("playwright", 2, "2 passed (3.3s)", 2, 0, 0, 0, green=True)
    assert report(START, GREEN) == LogReport("playwright", 2, 0, 0, 0, True, True, (one,), 2, False, ())


def test_all_outcomes() -> None:
    lines = ("1 failed", "  a.spec.js:3:1 › bad ───", "2 flaky", "4 skipped", "8 passed (1.5m)")
    one = only("Running 15 tests using 4 workers, shard 1 of 2", *(f"  {line}" for line in lines))
    assert (counts(one), one.flaky, one.line) == ((8, 1, 0, 4), 2, 6)
    assert one.reasons == ("1 failed",)
    assert not one.interrupted


@pytest.mark.parametrize("word", ["did not run", "interrupted"])
def test_tests_that_did_not_run(word: str) -> None:
    one = only(START, f"  1 {word}", "  1 passed (1ms)")
    assert (counts(one), one.interrupted) == ((1, 0, 0, 0), True)
    assert one.reasons == ("1 tests did not run or were interrupted",)


def test_both_kinds_of_tests_that_did_not_run_are_added() -> None:
    one = only("Running 6 tests using 1 worker", "  1 interrupted", "  2 did not run", "  3 passed (1s)")
    assert one.reasons == ("3 tests did not run or were interrupted",)


@pytest.mark.parametrize(
    "line",
    ["1 error was not a part of any test", "2 errors were not a part of any test"],
)
def test_errors_outside_tests(line: str) -> None:
    one = only(START, GREEN, f"  {line}, see above for details")
    assert counts(one) == (2, 0, int(line[0]), 0)


def test_only_skipped() -> None:
    assert only(START, "  2 skipped").reasons == ("no test passed",)


@pytest.mark.parametrize("announced", [1, 3])
def test_the_announced_number_must_be_met(announced: int) -> None:
    start = f"Running {announced} tests using 1 worker"
    assert only(start, GREEN).reasons == (f"{announced} tests were to run, but the summary has 2",)


def test_an_outcome_that_is_printed_twice() -> None:
    one = only(START, "  2 passed (1s)", GREEN)
    assert (counts(one), one.reasons) == ((2, 0, 0, 0), ("the run says twice how many tests passed",))


def test_a_run_without_a_summary() -> None:
    for lines in ((START,), (START, START, GREEN), (START, GROUP, GREEN)):
        found = report(*lines)
        assert (found.complete, found.reasons[0]) == (False, "line 1: Playwright began, but printed no summary")
    found = report(START, "  1 error was not a part of any test, see above for details")
    assert found.complete is False


def test_each_run_by_itself() -> None:
    assert counts(report(START, GREEN, START, GREEN)) == (4, 0, 0, 0)


def test_no_tests() -> None:
    one = only("Error: No tests found.")
    assert (counts(one), one.reasons) == ((0, 0, 0, 0), ("no tests were found", "no test passed"))


@pytest.mark.parametrize(
    "line",
    [
        "2 passed (3.3s)",
        "   2 passed (3.3s)",
        "  2 passed (3.3)",
        "  2 passed 3s",
        "  2 passing (3s)",
        "  1234567890 passed",
    ],
)
def test_lines_that_are_no_outcome(line: str) -> None:
    assert report(START, line).complete is False
    assert report(GREEN).runner is None
