"""ctest, in the wording of 3.25; the project is made up."""

from __future__ import annotations

import pytest

from checks.logs.ctest import CtestReader, Span
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

START = "Test project /project/b"
TOTAL = "100% tests passed, 0 tests failed out of 2"
NOTHING = "No tests were found!!!"
ERRORS = "Errors while running CTest"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def passes(test: int, place: str = "1/2") -> str:
    return f"{place} Test  #{test}: cart_of_a_shop ..................   Passed    0.02 sec"


def fails(test: int, word: str = "Failed", tail: str = "    0.02 sec", place: str = "1/2") -> str:
    return f"{place} Test  #{test}: cart_of_a_shop ..................***{word}{tail}"


def total(failed: int, tests: int) -> str:
    return f"{100 * (tests - failed) // tests}% tests passed, {failed} tests failed out of {tests}"


def test_a_green_run_wholly() -> None:
    found = report(START, "    Start 1: cart", passes(1), passes(2), TOTAL, "Total Test time (real) =   0.03 sec")
    summary = Summary("ctest", 5, TOTAL, 2, 0, 0, 0, green=True)
    assert found == LogReport("ctest", 2, 0, 0, 0, True, True, (summary,), 6, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((passes(1), fails(2), total(1, 2)), (1, 1, 0, 0), False, "line 4: 1 failed"),
        ((passes(1), fails(2, "Skipped"), total(0, 2)), (1, 0, 0, 1), True, None),
        ((fails(1, "Skipped"), total(0, 1)), (0, 0, 0, 1), False, "line 3: no test passed"),
        ((passes(1), fails(2, "Not Run (Disabled)"), total(0, 1)), (1, 0, 0, 0), True, None),
        ((passes(1), fails(2, "Not Run"), total(1, 2)), (1, 1, 0, 0), False, "line 4: 1 failed"),
        ((passes(1), fails(2, "Exception: SegFault"), total(1, 2)), (1, 1, 0, 0), False, "line 4: 1 failed"),
        ((passes(1), fails(2, "Timeout"), total(1, 2)), (1, 1, 0, 0), False, "line 4: 1 failed"),
        (
            (passes(1), fails(2, tail="  Required regular expression not found. Regex=[x"), "]  0.01 sec", total(1, 2)),
            (1, 1, 0, 0),
            False,
            "line 5: 1 failed",
        ),
        (
            (passes(1), fails(2), TOTAL),
            (2, 0, 0, 0),
            False,
            "line 4: the total names no failure, but 1 of the result lines do",
        ),
        (
            (passes(1), TOTAL),
            (2, 0, 0, 0),
            False,
            "line 3: 2 tests are in the total, but 1 have a result line",
        ),
        ((TOTAL,), (2, 0, 0, 0), False, "line 2: 2 tests are in the total, but 0 have a result line"),
        ((passes(1), passes(2), passes(1), TOTAL), (2, 0, 0, 0), True, None),
        ((passes(1), "100% tests passed, 0 test failed out of 1"), (1, 0, 0, 0), True, None),
        ((fails(1), "0% tests passed, 1 test failed out of 1"), (0, 1, 0, 0), False, "line 3: 1 failed"),
        ((NOTHING,), (0, 0, 0, 0), False, "line 2: no tests were found"),
        ((fails(1, "Not Run (Disabled)"), NOTHING), (0, 0, 0, 0), False, "line 3: no tests were found"),
        (("  Test #1: cart", "Total Tests: 1"), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("  Test #1: cart", "Total Tests: 1", START, passes(1), total(0, 1)), (1, 0, 0, 0), True, None),
        (
            (passes(1), passes(2), TOTAL, ERRORS),
            (2, 0, 0, 0),
            False,
            "line 5: ctest says that there were errors",
        ),
        ((passes(1), total(0, 1), START, fails(1), total(1, 1)), (1, 1, 0, 0), False, "line 6: 1 failed"),
        ((fails(1), total(1, 1), START, passes(1), total(0, 1)), (1, 1, 0, 0), False, "line 3: 1 failed"),
    ],
)
def test_ctest(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(START, *lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "ctest", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


def test_more_failures_than_tests_are_no_negative_number() -> None:
    assert report(START, "0% tests passed, 3 tests failed out of 2").passed == 0


def test_a_test_that_passes_on_another_try_is_flaky() -> None:
    again = "    Test #13: flaky ............................   Passed    0.00 sec"
    found = report(START, passes(1), fails(13, place="2/2"), "    Start 13: flaky", again, TOTAL)
    assert (counts(found), found.green, found.summaries[0].flaky) == ((2, 0, 0, 0), True, 1)
    found = report(START, passes(1), fails(13), fails(13, place="   "), total(1, 2))
    assert (found.failed, found.summaries[0].flaky) == (1, 0)
    found = report(START, passes(1), fails(13), again, total(0, 2), START, again, total(0, 1))
    assert [one.flaky for one in found.summaries] == [1, 0]


def test_disabled_tests_are_deselected() -> None:
    found = report(START, fails(1, "Not Run (Disabled)"), passes(2), fails(3, "Not Run (Disabled)"), total(0, 1))
    assert (found.green, found.summaries[0].deselected) == (True, 2)
    assert report(START, fails(1, "Not Run (Disabled)"), NOTHING).summaries[0].deselected == 1


@pytest.mark.parametrize("end", [(), ("##[group]Run ctest",), (START, passes(1), total(0, 1))])
def test_a_run_without_a_total_is_unfinished(end: tuple[str, ...]) -> None:
    found = report(START, passes(1), fails(2), fails(3, "Skipped"), "    Start 4: slow", *end)
    more = len(end) == 3
    assert counts(found) == (1 + more, 1, 0, 1)
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 1: the run of ctest has no total")


@pytest.mark.parametrize(
    "line",
    [
        "Test project of a student",
        "Test projects /b",
        "tests passed, 0 tests failed out of 2",
        "x 100% tests passed, 0 tests failed out of 2",
        "100% tests passed, 0 tests failed out of 2.",
        "  Test #1: cart",
        "Total Tests: many",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_a_windows_project() -> None:
    assert report("Test project C:/shop/b", passes(1), total(0, 1)).green is True
    assert report("Test project D:/shop/b").complete is False


def test_a_total_outside_of_a_run_has_no_result_lines() -> None:
    assert report(TOTAL).green is False
    assert report("Total Tests: 5").runner is None


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = CtestReader()
    for number, line in enumerate(("anything", "", "Total Tests: 1", START, "x", passes(1), "", total(0, 1)), 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((Summary("ctest", 8, total(0, 1), 1, 0, 0, 0, green=True),), ())


def test_the_results_of_too_many_tests_are_not_kept() -> None:
    reader = CtestReader()
    reader.feed(1, START)
    for test in range(100_001):
        reader.feed(2, f"Test #{test}: a   Passed  1 sec")
    reader.feed(3, "Test #7: a ***Failed 1 sec")
    reader.feed(4, "100% tests passed, 0 tests failed out of 100000")
    assert reader.finish().summaries[0].reasons == ("the total names no failure, but 1 of the result lines do",)


def test_few_of_the_runs_inside_are_kept() -> None:
    span = Span()
    span.feed(START)
    for line in range(1001):
        span.hold(Summary("googletest", line, "", 0, 0, 0, 0, green=False))
    assert [one.line for one in span.take()] == list(range(1000))
    assert span.take() == []
