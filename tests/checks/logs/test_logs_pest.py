"""Pest and the printer of Laravel's `artisan test` (Collision), in their wording; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.pest import PestReader
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run php artisan test"
TESTS = "  Tests:    2 passed (3 assertions)"
TIME = "  Duration: 0.12s"
GREEN = ("   PASS  Tests\\Unit\\ExampleTest", "  ✓ adds", "  ✓ takes away  0.01s", "", TESTS, TIME)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(*GREEN)
    one = Summary("pest", 5, TESTS.strip(), 2, 0, 0, 0, green=True)
    assert found == LogReport("pest", 2, 0, 0, 0, True, True, (one,), 6, False, ())


@pytest.mark.parametrize(
    ("tests", "expected", "green"),
    [
        ("1 failed, 2 risky, 58 skipped, 465 passed (943 assertions)", (465, 1, 0, 58), False),
        ("1 passed (1 assertion)", (1, 0, 0, 0), True),
        ("3 skipped", (0, 0, 0, 3), False),
        ("1 incomplete, 1 todo, 2 todos, 5 passed", (5, 0, 0, 0), True),
        ("2 deprecated, 1 notice, 2 notices, 5 passed (9 assertions)", (10, 0, 0, 0), True),
        ("2 warnings, 1 passed", (1, 0, 0, 0), True),
        ("1 warning", (0, 0, 0, 0), False),
        ("1 failed, 4 pending, 5 passed", (5, 1, 0, 0), False),
        ("4 pending, 5 passed", (5, 0, 0, 0), False),
    ],
)
@pytest.mark.parametrize("time", [TIME, "  Time:   53.27s", "  Time:        0,05s"])
def test_summaries(tests: str, expected: tuple[int, ...], green: bool, time: str) -> None:
    found = report(f"  Tests:  {tests}", time)
    assert (counts(found), found.green, found.complete) == (expected, green, True)


def test_reasons() -> None:
    assert report("  Tests:  1 failed, 5 passed", TIME).reasons == ("line 1: 1 failed or broke",)
    assert report("  Tests:  4 pending, 5 passed", TIME).reasons == ("line 1: 4 tests did not run",)
    assert report("  Tests:  4 skipped", TIME).reasons == ("line 1: no test passed",)


@pytest.mark.parametrize(
    "line",
    [
        "Tests: 2 passed",
        "   Tests:    2 passed",
        "  Tests:    2 passed, 2 total",
        "  Tests:    2 lost",
        "  Tests:    1234567890 passed",
        "  Tests  2 passed (2)",
    ],
)
def test_lines_that_are_no_summary(line: str) -> None:
    assert report(line, TIME).runner is None


@pytest.mark.parametrize("after", [("x",), ("x", TIME), (GROUP, TIME), ("  Duration: long",)])
def test_a_summary_without_its_time_is_cut(after: tuple[str, ...]) -> None:
    found = report("x", TESTS, *after)
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 2: the summary is cut")


def test_a_file_that_fails_speaks_against_the_summary() -> None:
    for fail in ("   FAIL  Tests\\Unit\\ExampleTest", "  FAIL  Tests\\Unit\\ExampleTest"):
        found = report("x", fail, fail, *GREEN)
        assert found.reasons == ("line 8: the summary names no failure, but line 2 says FAIL",)
        red = report(fail, "  Tests:    1 failed, 1 passed", TIME)
        assert red.reasons == ("line 2: 1 failed or broke",)
    assert report("  FAILED  Tests\\Unit\\ExampleTest", *GREEN).green is True


DOUBT = "several summaries in one step, and the check marks do not account for each"


def test_several_runs_in_one_step() -> None:
    assert (report(*GREEN, *GREEN).green, report(*GREEN, *GREEN).passed) == (True, 4)
    for lines in ((*GREEN, TESTS, TIME), (TESTS, TIME, *GREEN)):
        found = report(*lines)
        assert (found.green, found.summaries[1].reasons, found.summaries[0].green) == (False, (DOUBT,), True)
    assert report(TESTS, TIME, GROUP, TESTS, TIME).green is True
    red = ("  ✓ adds", "  ⨯ breaks", "  Tests:    1 failed, 1 passed", TIME)
    assert [one.green for one in report(*red, *GREEN).summaries] == [False, True]


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = PestReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("  Tests: " + "1 passed, " * 90_000, "  ✓ " * 200_000, "   FAILURE" * 90_000, "  Time: 1" * 100_000):
        assert report(line, TESTS, TIME).passed == 2
