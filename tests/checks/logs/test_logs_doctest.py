"""doctest for C++, in the wording of 2.4.9; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.doctest import DoctestReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run ./t"
CTEST = "Test project /project/b"
START = '[doctest] doctest version is "2.4.9"'
CASES = "[doctest] test cases: 2 | 2 passed | 0 failed | 7 skipped"
BAD = "[doctest] test cases:  16 |  13 passed |  3 failed | 1 skipped"
SUCCESS = "[doctest] Status: SUCCESS!"
FAILURE = "[doctest] Status: FAILURE!"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(START, CASES, "[doctest] assertions: 3 | 3 passed | 0 failed |", SUCCESS)
    summary = Summary("doctest", 2, CASES, 2, 0, 0, 7, green=True)
    assert found == LogReport("doctest", 2, 0, 0, 7, True, True, (summary,), 4, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((START, "[doctest] test cases: 2 | 2 passed | 0 failed |", SUCCESS), (2, 0, 0, 0), True, None),
        ((START, BAD, FAILURE), (13, 3, 0, 1), False, "line 2: 3 failed"),
        ((START, BAD, SUCCESS), (13, 3, 0, 1), False, "line 2: 3 failed"),
        (
            (START, CASES, FAILURE),
            (2, 0, 0, 7),
            False,
            "line 2: the status is not success, though no test case failed",
        ),
        (
            (START, CASES.replace("2 passed", "1 passed"), SUCCESS),
            (1, 0, 0, 7),
            False,
            "line 2: 2 test cases ran, but 1 passed and 0 failed",
        ),
        (
            (CASES, SUCCESS),
            (2, 0, 0, 7),
            False,
            "line 1: the run has no first line: the beginning is missing, or something else printed the closing",
        ),
        (
            (START, CASES, SUCCESS, CASES, SUCCESS),
            (4, 0, 0, 14),
            False,
            "line 4: the run has no first line: the beginning is missing, or something else printed the closing",
        ),
        (
            (START, "[doctest] test cases: 0 | 0 passed | 0 failed | 9 skipped", SUCCESS),
            (0, 0, 0, 9),
            False,
            "no package of the log has tests",
        ),
        ((START, CASES, SUCCESS, START, CASES, SUCCESS), (4, 0, 0, 14), True, None),
        ((START, BAD, FAILURE, START, CASES, SUCCESS), (15, 3, 0, 8), False, "line 2: 3 failed"),
    ],
)
def test_doctest(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "doctest", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


@pytest.mark.parametrize(
    ("lines", "expected", "line"),
    [
        ((START,), (0, 0, 0, 0), 1),
        ((START, GROUP), (0, 0, 0, 0), 1),
        ((START, START, CASES, SUCCESS), (2, 0, 0, 7), 1),
        ((START, BAD), (13, 3, 0, 1), 1),
        ((BAD,), (13, 3, 0, 1), 1),
        (("x", BAD, START, CASES, SUCCESS), (15, 3, 0, 8), 2),
        ((START, BAD, CASES, SUCCESS), (15, 3, 0, 8), 1),
        (("x", SUCCESS), (0, 0, 0, 0), 2),
        (("x", START, SUCCESS), (0, 0, 0, 0), 2),
    ],
)
def test_a_run_without_a_part_of_its_closing_is_unfinished(
    lines: tuple[str, ...], expected: tuple[int, ...], line: int
) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.complete) == (expected, False, False)
    assert f"line {line}: the test program ended without a status" in found.reasons


def test_a_list_of_test_cases_is_no_run() -> None:
    listing = "[doctest] listing all test case names"
    assert report(START, listing).runner is None
    assert report(START, "[doctest] unskipped test cases passing the current filters: 8").runner is None


def test_runs_that_ctest_shows_are_not_counted() -> None:
    failed = "1/1 Test #1: cart ...***Failed    0.02 sec"
    total = "0% tests passed, 1 tests failed out of 1"
    found = report(CTEST, failed, START, BAD, FAILURE, total)
    assert (counts(found), found.green, found.runner) == ((0, 1, 0, 0), False, "doctest, ctest")
    for inside in ((START, BAD), (BAD,), (FAILURE,)):
        assert report(CTEST, failed, *inside, total).complete is True  # that a test of ctest failed explains it
        cut = report(CTEST, *inside, "100% tests passed, 0 tests failed out of 1")
        assert "line 2: the test program ended without a status" in cut.reasons
        assert report(*inside, CTEST, failed, total).complete is False  # it began outside
    assert report(CTEST, GROUP, START, CASES, SUCCESS).summaries[0].counted is True


@pytest.mark.parametrize("line", [f"x {START}", f"x {CASES}", f"x {SUCCESS}", "[doctest] run with --help"])
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = DoctestReader()
    for number, line in enumerate(("", "anything", START, "[doctest] test cases: x", CASES, "y", SUCCESS), 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((Summary("doctest", 5, CASES, 2, 0, 0, 7, green=True),), ())
