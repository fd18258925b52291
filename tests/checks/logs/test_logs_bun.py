"""`bun test` in the wording of bun 1; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

START = "bun test v1.4.5 (a7733435c)"
RAN = "Ran 2 tests across 1 file. [54.00ms]"
GREEN = (" 2 pass", " 0 fail", " 2 expect() calls", RAN)
NO_START = "no line says that bun test began: the beginning is missing, or something else printed this"


def test_a_green_run_wholly() -> None:
    one = Summary("bun test", 5, RAN, 2, 0, 0, 0, green=True)
    assert report(START, *GREEN) == LogReport("bun test", 2, 0, 0, 0, True, True, (one,), 5, False, ())


def ran(number: int, *lines: str) -> Summary:
    return only(START, *lines, f"Ran {number} tests across 2 files. [5.00ms]")


def test_counts() -> None:
    one = ran(10, " 3 pass", " 5 filtered out", " 2 skip", " 1 todo", " 4 fail")
    assert (counts(one), one.deselected) == ((3, 4, 0, 2), 5)
    assert one.reasons == ("4 failed",)
    assert counts(ran(4, "3 pass", "1 skip", "0 fail")) == (3, 0, 0, 1)
    assert ran(2, " 0 pass", " 1 skip", " 1 todo", " 0 fail").reasons == ("no test passed",)
    assert ran(0, " 0 pass", " 0 fail").reasons == ("no test passed",)


@pytest.mark.parametrize("number", [1, 3])
def test_counts_that_do_not_add_up(number: int) -> None:
    assert ran(number, " 2 pass", " 0 fail").reasons == (f"{number} tests ran, but the counts do not add up to them",)


def test_a_file_that_cannot_be_loaded_is_counted_twice() -> None:
    assert counts(ran(3, " 2 pass", " 1 fail", " 1 error")) == (2, 0, 1, 0)
    assert counts(ran(5, "(fail) a", " 2 pass", " 3 fail", " 2 errors")) == (2, 1, 2, 0)
    assert counts(ran(3, "(fail) a [0.1ms]", " 2 pass", " 1 fail", " 1 error")) == (2, 1, 1, 0)
    assert counts(ran(4, "(fail) a", "(fail) b", "(fail) c", " 3 pass", " 1 fail", " 1 error")) == (3, 1, 1, 0)


def test_a_failure_speaks_against_green_counts() -> None:
    assert ran(2, "(fail) a [0.1ms]", " 2 pass", " 0 fail").reasons == (
        "the summary names no failure, but a line above does",
    )
    assert ran(2, " (fail) a", " 2 pass", " 0 fail").green is True


def test_a_run_that_ended_early_prints_no_counts() -> None:
    one = only(START, "(fail) total [0.19ms]", "Ran 1 test across 1 file. [24.00ms]", "Bailed out after 1 failure")
    assert (counts(one), one.green) == ((None, 1, 0, None), False)


def test_flaky() -> None:
    assert ran(2, "(pass) a (attempt 2) [0.01ms]", "(pass) b [0.01ms]", " 2 pass", " 0 fail").flaky == 1


@pytest.mark.parametrize("lines", [(), GREEN[:2], ("(pass) before [0.05ms]",)])
def test_a_run_without_a_summary(lines: tuple[str, ...]) -> None:
    for rest in ((), (GROUP, RAN), (START, *GREEN)):
        found = report(START, *lines, *rest)
        assert found.complete is False
        assert "line 1: bun test began, but printed no summary" in found.reasons
    assert report(START, *lines).passed == (2 if lines == GREEN[:2] else 0)


def test_an_unfinished_run_keeps_its_failures() -> None:
    assert counts(report(START, "(fail) a", "(fail) b", " 3 pass")) == (3, 2, 0, 0)


def test_a_summary_without_a_beginning() -> None:
    one = only(*GREEN)
    assert (counts(one), one.reasons) == ((None, 0, 0, None), (NO_START, "no test passed"))
    assert [one.green for one in report(START, *GREEN, *GREEN).summaries] == [True, False]


@pytest.mark.parametrize(
    "line",
    [
        'Test filter "./nope.test.ts" had no matches',
        "The following filters did not match any test files:",
        'error: regex "nope" matched 0 tests. Searched 1 file (skipping 2 tests) [5.00ms]',
        "No tests found!",
    ],
)
def test_nothing_found(line: str) -> None:
    one = only(START, line)
    assert (counts(one), one.reasons) == ((0, 0, 0, 0), ("no tests were found", "no test passed"))
    assert report(line).runner is None


@pytest.mark.parametrize("line", ["  2 pass", " 2 passed", "2 pass x", " 1234567890 pass", "Ran 2 tests"])
def test_lines_that_are_no_counts(line: str) -> None:
    assert ran(0, line).passed is None
