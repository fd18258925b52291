"""lab's console reporter; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

DURATION = "Test duration: 12 ms"
GREEN = ("3 tests complete", DURATION, "Leaks: No issues")


def test_a_green_run_wholly() -> None:
    one = Summary("lab", 2, "3 tests complete", 3, 0, 0, 0, green=True)
    assert report("  ...", *GREEN) == LogReport("lab", 3, 0, 0, 0, True, True, (one,), 4, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        ("1 tests complete (2 skipped)", (1, 0, 0, 2), True),
        ("0 tests complete (2 skipped)", (0, 0, 0, 2), False),
        ("1 of 4 tests failed (3 skipped)", (3, 1, 0, 3), False),
        ("2 of 2 tests failed", (0, 2, 0, 0), False),
        ("3 of 2 tests failed", (0, 3, 0, 0), False),
    ],
)
def test_closings(line: str, expected: tuple[int, ...], green: bool) -> None:
    one = only(line, DURATION)
    assert (counts(one), one.green) == (expected, green)


@pytest.mark.parametrize("line", ["3 tests completed", " 3 tests complete", "3 test complete", "1 of 2 test failed"])
def test_lines_that_close_nothing(line: str) -> None:
    assert report(line, DURATION).runner is None
    assert report(DURATION).runner is None


def test_script_errors() -> None:
    errors = "There were 2 test script error(s)."
    found = report(errors, "1 of 3 tests failed", DURATION, *GREEN)
    assert [counts(one) for one in found.summaries] == [(2, 1, 2, 0), (3, 0, 0, 0)]
    assert counts(only(errors, GROUP, *GREEN)) == (3, 0, 0, 0)
    assert report(errors, *GREEN).green is False


@pytest.mark.parametrize(
    "line", ["The following leaks were detected: forgotten", "Code coverage below threshold: 80.00 < 90", "Types:"]
)
def test_what_lab_says_below_its_summary(line: str) -> None:
    found = report(*GREEN, line)
    assert (found.green, found.reasons) == (False, (f"line 4: lab says: {line}",))
    assert report(line, *GREEN).green is True
    assert report(*GREEN, GROUP, line).green is True
    assert report(*GREEN, f"{line} x" if line == "Types:" else f"x {line}").green is True


def test_what_lab_says_is_quoted_in_part() -> None:
    line = "The following leaks were detected: " + "a, " * 100
    assert report(*GREEN, line).reasons == (f"line 4: lab says: {line[:200]}",)


def test_a_cut_summary() -> None:
    found = report("1 of 4 tests failed (3 skipped)", GROUP, DURATION)
    assert (counts(found), found.complete, found.reasons[0]) == ((3, 1, 0, 3), False, "line 1: the summary is cut")
    assert found.summaries == ()


def test_a_file_that_cannot_be_loaded() -> None:
    found = report("x", "Error requiring file: /project/broken.js", "Cannot find module './missing'")
    assert (counts(found), found.complete) == ((0, 0, 1, 0), False)
    assert found.reasons[0] == "line 2: lab could not load a file"
    assert report("x Error requiring file: y").runner is None
