"""GoogleTest, in the wording of 1.12; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.googletest import GoogletestReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

CTEST = "Test project /project/b"
GROUP = "##[group]Run ./t"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def start(tests: int) -> str:
    return f"[==========] Running {tests} tests from 2 test suites."


def ran(tests: int) -> str:
    return f"[==========] {tests} tests from 2 test suites ran. (0 ms total)"


def passed(tests: int) -> str:
    return f"[  PASSED  ] {tests} test{'' if tests == 1 else 's'}."


def listed(kind: str, tests: int) -> str:
    return f"[  {kind:<8}] {tests} test{'' if tests == 1 else 's'}, listed below:"


def total(failed: int) -> str:
    return f"{100 - 100 * failed}% tests passed, {failed} tests failed out of 1"


RUN = "[ RUN      ] Cart.Adds"
OK = "[       OK ] Cart.Adds (0 ms)"
FAILED = "[  FAILED  ] Cart.Adds (0 ms)"
SKIPPED = "[  SKIPPED ] Cart.Adds (0 ms)"
DISABLED = "  YOU HAVE 3 DISABLED TESTS"


def test_a_green_run_wholly() -> None:
    found = report(start(2), "[----------] 2 tests from Cart", RUN, OK, RUN, OK, ran(2), passed(2))
    summary = Summary("googletest", 7, passed(2), 2, 0, 0, 0, green=True)
    assert found == LogReport("googletest", 2, 0, 0, 0, True, True, (summary,), 8, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((start(1), OK, ran(1), passed(1)), (1, 0, 0, 0), True, None),
        (
            (start(2), OK, SKIPPED, ran(2), passed(1), listed("SKIPPED", 1), "[  SKIPPED ] Cart.Adds"),
            (1, 0, 0, 1),
            True,
            None,
        ),
        (
            (start(2), OK, FAILED, ran(2), passed(1), listed("FAILED", 1), "[  FAILED  ] Cart.Adds", " 1 FAILED TEST"),
            (1, 1, 0, 0),
            False,
            "line 4: 1 tests and 0 suites failed",
        ),
        ((ran(3), passed(3)), (3, 0, 0, 0), True, None),
        ((start(3), SKIPPED, OK, SKIPPED, ran(3), passed(1), listed("SKIPPED", 2)), (1, 0, 0, 2), True, None),
        ((FAILED, ran(3), passed(2)), (2, 1, 0, 0), False, "line 2: 1 tests and 0 suites failed"),
        ((ran(3), passed(2)), (2, 0, 0, 0), False, "line 1: 3 tests ran, but 2 passed and 0 were skipped"),
        ((ran(1), passed(1), " 12 FAILED TESTS"), (1, 12, 0, 0), False, "line 1: 12 tests and 0 suites failed"),
        (
            (start(1), OK, ran(1), passed(1), " 1 FAILED TEST SUITE"),
            (1, 0, 1, 0),
            False,
            "line 3: 0 tests and 1 suites failed",
        ),
        (
            (start(3), OK, OK, ran(3), passed(3)),
            (3, 0, 0, 0),
            False,
            "line 4: 3 tests ran, but 2 have a result line",
        ),
        (
            (start(3), OK, OK, ran(2), passed(2)),
            (2, 0, 0, 0),
            False,
            "line 4: 3 tests were announced, but 2 ran",
        ),
        (
            (start(2), OK, SKIPPED, ran(2), passed(2), listed("SKIPPED", 1)),
            (2, 0, 0, 1),
            False,
            "line 4: 2 tests ran, but 2 passed and 1 were skipped",
        ),
        ((start(0), ran(0), passed(0)), (0, 0, 0, 0), False, "no package of the log has tests"),
        (
            (start(1), SKIPPED, ran(1), passed(0), listed("SKIPPED", 1)),
            (0, 0, 0, 1),
            False,
            "no package of the log has tests",
        ),
        ((start(0), ran(0), passed(0), start(1), OK, ran(1), passed(1)), (1, 0, 0, 0), True, None),
        (
            (start(1), FAILED, ran(1), passed(0), listed("FAILED", 1), start(1), OK, ran(1), passed(1)),
            (1, 1, 0, 0),
            False,
            "line 3: 1 tests and 0 suites failed",
        ),
        ((ran(1), passed(1), ran(2), passed(2)), (3, 0, 0, 0), True, None),
    ],
)
def test_googletest(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "googletest", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


@pytest.mark.parametrize(
    "result",
    [
        OK,
        "[       OK ] Cart.Adds",
        "no line end[       OK ] Cart.Adds (12 ms)",
        "[       OK ] Sizes/Cart.Adds/0 (0 ms)",
    ],
)
def test_result_lines(result: str) -> None:
    assert report(start(1), result, ran(1), passed(1)).green is True


@pytest.mark.parametrize(
    "noise",
    [
        "[       OK ] ",
        "[       OK ] Cart.Adds and more",
        "[       OK ] Cart.Adds (0 ms) x",
        listed("FAILED", 1),
        passed(99),
        " 1 FAILED TEST",
        DISABLED,
    ],
)
def test_output_of_a_test_is_no_result(noise: str) -> None:
    found = report(start(1), noise, OK, ran(1), passed(1))
    assert (counts(found), found.green) == ((1, 0, 0, 0), True)


def test_failures_name_their_parameter() -> None:
    line = "[  FAILED  ] Sizes/Cart.Adds/0, where GetParam() = 4-byte object <01-00 00-00> (3 ms)"
    assert report(line, ran(2), passed(1)).failed == 1
    assert report(line, ran(2), passed(1), listed("FAILED", 1)).failed == 1


def test_the_greater_of_two_numbers_of_failures_counts() -> None:
    tail = (ran(3), passed(1), listed("FAILED", 2), " 1 FAILED TEST", " 2 FAILED TEST SUITES", " 1 FAILED TEST SUITE")
    assert (report(*tail).failed, report(*tail).errors) == (2, 2)


def test_disabled_tests_are_deselected() -> None:
    found = report(ran(1), passed(1), DISABLED, "  YOU HAVE 1 DISABLED TEST", " 0 FAILED TESTS")
    assert (found.green, found.summaries[0].deselected) == (True, 1)
    assert report(ran(1), passed(1), DISABLED, " 0 FAILED TESTS").summaries[0].deselected == 3


@pytest.mark.parametrize(
    "lines", [(), (GROUP,), (start(1), OK, ran(1), passed(1)), (ran(9),), (ran(9), GROUP), (ran(9), start(0))]
)
def test_a_run_without_its_closing_is_unfinished(lines: tuple[str, ...]) -> None:
    found = report(start(9), OK, OK, FAILED, SKIPPED, RUN, *lines)
    assert (found.failed, found.skipped, found.green, found.complete) == (1, 1, False, False)
    assert found.reasons[0] == "line 1: the test program ended without saying how many tests passed"
    assert found.passed == 2 + (passed(1) in lines)


def test_a_brief_run_without_its_closing_is_unfinished() -> None:
    assert report("x", ran(2)).reasons[0] == "line 2: the test program ended without saying how many tests passed"


def test_old_words_for_suites() -> None:
    old = ("[==========] Running 1 test from 1 test case.", OK, "[==========] 1 test from 1 test case ran.", passed(1))
    assert report(*old).green is True


def test_runs_that_ctest_shows_are_not_counted() -> None:
    inside = (start(2), OK, FAILED, ran(2), passed(1), listed("FAILED", 1))
    ctest = "1/1 Test #1: cart ...***Failed    0.02 sec"
    found = report(CTEST, ctest, *inside, total(1))
    assert (counts(found), found.green, found.runner) == ((0, 1, 0, 0), False, "googletest, ctest")
    assert found.summaries[0].counted is False
    cut = report(CTEST, ctest, start(2), OK, start(3), total(1), start(1), OK, ran(1), passed(1))
    assert (counts(cut), cut.complete) == ((1, 1, 0, 0), True)  # that a test of ctest failed explains them
    later = report(
        CTEST, ctest, start(2), OK, total(1), CTEST, start(3), OK, ctest.replace("***Failed", "   Passed"), total(0)
    )
    assert (counts(later), later.complete) == ((2, 1, 0, 0), False)
    assert report(CTEST, start(2), OK, total(0)).complete is False
    assert report(CTEST, start(2), OK, GROUP).complete is False
    assert report(start(2), OK, CTEST, ctest, total(1)).complete is False  # it began outside
    assert report(CTEST, GROUP, ran(1), passed(1)).summaries[0].counted is True


@pytest.mark.parametrize(
    "line", [OK, FAILED, passed(3), listed("FAILED", 1), " 1 FAILED TEST", DISABLED, f"x {ran(1)}", "[==========] ran"]
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = GoogletestReader()
    for number, line in enumerate(("anything", start(1), "", "x", OK, "y", ran(1), "z", passed(1), "w"), 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((Summary("googletest", 7, passed(1), 1, 0, 0, 0, green=True),), ())
