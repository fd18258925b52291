"""ExUnit and bats, whose closing lines share their words; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

GROUP = "##[group]Run mix test"
SEED = "Running ExUnit with seed: 77, max_cases: 8"
FINISHED = "Finished in 0.02 seconds (0.00s async, 0.02s sync)"
GOOD = "1 doctest, 4 tests, 0 failures, 1 skipped"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report("*....", FINISHED, GOOD, "Randomized with seed 437263")
    summary = Summary("exunit", 3, GOOD, 4, 0, 0, 1, green=True)
    assert found == LogReport("exunit", 4, 0, 0, 1, True, True, (summary,), 4, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "green", "excluded"),
    [
        ("1 test, 0 failures", (1, 0, 0, 0), True, 0),
        ("3 doctests, 0 failures", (3, 0, 0, 0), True, 0),
        ("2 doctests, 1 feature, 1 property, 4 tests, 0 failures", (8, 0, 0, 0), True, 0),
        ("5 properties, 7 tests, 2 failures", (10, 2, 0, 0), False, 0),
        ("1 test, 1 failure", (0, 1, 0, 0), False, 0),
        ("1 doctest, 6 tests, 0 failures, 2 invalid, 1 skipped", (4, 0, 2, 1), False, 0),
        ("1 doctest, 4 tests, 0 failures, 1 excluded, 1 skipped", (3, 0, 0, 1), True, 1),
        ("1 doctest, 4 tests, 0 failures, 5 excluded", (0, 0, 0, 0), False, 5),
        ("0 tests, 0 failures", (0, 0, 0, 0), False, 0),
        ("1 test, 3 failures", (0, 3, 0, 0), False, 0),
        ("Result: 10 passed", (10, 0, 0, 0), True, 0),
        ("Result: 405 passed (1 doctest, 404 tests)", (405, 0, 0, 0), True, 0),
        ("Result: 10 passed, 4 excluded", (10, 0, 0, 0), True, 4),
        ("Result: 9/10 passed, 4 excluded", (9, 1, 0, 0), False, 4),
        ("Result: 3/5 passed, 2 invalid", (3, 0, 2, 0), False, 0),
        ("Result: 3/4 passed, 2 invalid", (3, 0, 2, 0), False, 0),
        ("Result: 3 passed, 2 skipped", (3, 0, 0, 2), True, 0),
        ("Result: 0 passed, 4 excluded", (0, 0, 0, 0), False, 4),
    ],
)
def test_exunit(line: str, expected: tuple[int, ...], green: bool, excluded: int) -> None:
    for first in (FINISHED, SEED):
        found = report(first, line)
        assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "exunit", True)
        assert found.summaries[0].deselected == excluded


def test_reasons() -> None:
    assert report(FINISHED, "9 tests, 1 failure, 2 invalid").reasons == ("line 2: 3 failed or could not run",)
    assert report(FINISHED, "0 tests, 0 failures").reasons == ("no package of the log has tests",)
    # An application of an umbrella without tests.
    assert report(FINISHED, "0 tests, 0 failures", FINISHED, GOOD).green is True
    assert report(FINISHED, "1 test, 1 failure", FINISHED, GOOD).green is False


@pytest.mark.parametrize(
    "line", [".--max-failures reached, aborting test suite", "Aborting test suite, showing results so far..."]
)
def test_a_run_that_was_stopped(line: str) -> None:
    found = report(SEED, line, "2 tests, 0 failures", SEED, GOOD)
    assert (found.green, [one.interrupted for one in found.summaries]) == (False, [True, False])
    assert found.reasons == ("line 3: the run was stopped before its end",)


@pytest.mark.parametrize("end", [(), (GROUP,), (SEED, FINISHED, GOOD), (FINISHED,)])
def test_a_run_without_counts_is_unfinished(end: tuple[str, ...]) -> None:
    found = report(SEED, "...", *end)
    assert counts(found) == ((4, 0, 0, 1) if GOOD in end else (0, 0, 0, 0))
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 1: the run of ExUnit has no counts")


def test_a_file_that_does_not_compile() -> None:
    found = report("== Compilation error in file test/syntax_test.exs ==", "** (TokenMissingError)")
    assert (counts(found), found.green, found.reasons) == ((0, 0, 1, 0), False, ("line 1: a file did not compile",))
    assert found.summaries[0].text == "== Compilation error in file test/syntax_test.exs =="


def test_what_mix_has_against_a_green_suite() -> None:
    aborted = "ERROR! Test suite aborted after successful execution due to warnings while using --warnings-as-errors"
    assert report(FINISHED, GOOD, aborted).reasons == (
        "line 3: the suite passed, but mix counts its warnings as errors",
    )
    coverage = "Coverage test failed, threshold not met:"
    assert report(FINISHED, GOOD, coverage).reasons == ("line 3: the required test coverage was not reached",)


@pytest.mark.parametrize(
    "lines",
    [
        (GOOD,),
        (FINISHED, "3 examples, 0 failures"),
        (FINISHED, "4 tests, 5 assertions, 0 failures, 0 errors"),
        (FINISHED, "4 tests, 0 failures, 1 pending"),
        (FINISHED, "Result: 10 passed, 0 failed"),
        (FINISHED, "Result: PASS"),
        (FINISHED,),
        (FINISHED, GROUP, GOOD),
        ("Finished in 0.00276 seconds (files took 0.05 seconds to load)", GOOD),
        ("x" + SEED,),
    ],
)
def test_lines_that_say_nothing(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    assert (found.runner, found.green, found.complete) == (None, None, False)


OK, NOT_OK, SKIPPED = " ✓ adds", " ✗ rounds", " - later (skipped: no network)"


def test_a_green_run_of_bats_wholly() -> None:
    found = report("shop.bats", OK, " ✓ empty [17]", "2 tests, 0 failures in 0 seconds")
    summary = Summary("bats", 4, "2 tests, 0 failures in 0 seconds", 2, 0, 0, 0, green=True)
    assert found == LogReport("bats", 2, 0, 0, 0, True, True, (summary,), 4, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((OK, "1 test, 0 failures"), (1, 0, 0, 0), True, None),
        ((OK, SKIPPED, "2 tests, 0 failures, 1 skipped"), (1, 0, 0, 1), True, None),
        ((OK, " - later (skipped)", "2 tests, 0 failures, 1 skipped"), (1, 0, 0, 1), True, None),
        ((SKIPPED, "1 test, 0 failures, 1 skipped"), (0, 0, 0, 1), False, "no package of the log has tests"),
        ((OK, NOT_OK, "2 tests, 1 failure"), (1, 1, 0, 0), False, "line 3: 1 failed"),
        ((OK, NOT_OK, "2 tests, 0 failures, 1 timed out"), (1, 1, 0, 0), False, "line 3: 1 failed"),
        ((OK, NOT_OK, NOT_OK, "3 tests, 0 failures"), (3, 0, 0, 0), False, "line 4: 2 failed"),
        ((NOT_OK, "2 tests, 1 failure, 1 not run"), (0, 1, 0, 0), False, "line 2: 1 failed"),
        ((OK, "3 tests, 0 failures, 2 not run in 12 seconds"), (1, 0, 0, 0), False, "line 2: 2 did not run"),
        ((OK, "2 tests, 0 failures"), (2, 0, 0, 0), False, "line 2: 2 tests are in the total, but 1 have a mark"),
        ((OK, "1 test, 0 failures", NOT_OK, "1 test, 1 failure"), (1, 1, 0, 0), False, "line 4: 1 failed"),
        ((NOT_OK, "1 test, 1 failure", OK, "1 test, 0 failures"), (1, 1, 0, 0), False, "line 2: 1 failed"),
        ((NOT_OK, GROUP, OK, "1 test, 0 failures"), (1, 0, 0, 0), True, None),
        ((OK, "1 test, 4 failures, 9 skipped"), (0, 4, 0, 9), False, "line 2: 4 failed"),
    ],
)
def test_bats(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "bats", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


def test_tests_that_did_not_run_interrupt_bats() -> None:
    assert [
        one.interrupted for one in report(OK, "3 tests, 0 failures, 2 not run", OK, "1 test, 0 failures").summaries
    ] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("2 tests, 0 failures",),
        ("2 tests, 1 failure",),
        ("0 tests, 0 failures",),
        (OK,),
        (OK, GROUP, "1 test, 0 failures"),
    ],
)
def test_a_closing_without_marks_is_not_one_of_bats(lines: tuple[str, ...]) -> None:
    assert report(*lines).runner is None


def test_a_closing_of_exunit_is_not_one_of_bats() -> None:
    marked = report(OK, "Finished in 0.1 seconds", "2 tests, 0 failures")
    assert (marked.runner, counts(marked), marked.green) == ("exunit", (2, 0, 0, 0), True)
    found = report(OK, "1 test, 0 failures", FINISHED, "2 tests, 0 failures")
    assert (found.runner, counts(found)) == ("bats, exunit", (3, 0, 0, 0))
