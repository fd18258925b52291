"""`deno test` in the wording of deno 2; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

START = "running 3 tests from ./green_test.ts"
GREEN = "ok | 2 passed (2 steps) | 0 failed | 1 ignored (23ms)"


def test_a_green_run_wholly() -> None:
    one = Summary("deno test", 2, GREEN, 2, 0, 0, 1, green=True)
    assert report(START, GREEN) == LogReport("deno test", 2, 0, 0, 1, True, True, (one,), 2, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "reasons"),
    [
        ("ok | 3 passed | 0 failed (5ms)", (3, 0, 0, 0), ()),
        ("FAILED | 1 passed (1 step) | 2 failed (1 step) (30ms)", (1, 2, 0, 0), ("2 failed",)),
        ("FAILED | 3 passed | 0 failed (1s)", (3, 0, 0, 0), ("deno says FAILED",)),
        ("ok | 1 passed | 0 failed | 2 ignored (2 steps) | 1 measured | 4 filtered out (1m2s)", (1, 0, 0, 2), ()),
        ("ok | 0 passed | 0 failed | 3 ignored (1ms)", (0, 0, 0, 3), ("no test passed",)),
        ("ok | 3 passed | 1 failed (1ms)", (3, 1, 0, 0), ("1 failed",)),
    ],
)
def test_closings(line: str, expected: tuple[int, ...], reasons: tuple[str, ...]) -> None:
    one = only(line)
    assert (counts(one), one.reasons) == (expected, reasons)
    assert one.deselected == (4 if "filtered" in line else 0)


@pytest.mark.parametrize(
    "line",
    [
        "ok | 3 passed",
        "OK | 3 passed | 0 failed (5ms)",
        "ok | 3 passed | 0 failed",
        "ok | x passed | 0 failed (5ms)",
        "ok | 1234567890 passed | 0 failed (5ms)",
        "ok | 3 passed | 0 failed (5ms) x",
    ],
)
def test_lines_that_close_nothing(line: str) -> None:
    assert report(line).runner is None
    assert report(START, line).complete is False


def test_the_announced_number_must_be_met() -> None:
    doubt = "4 tests were to run, but the summary has 3"
    assert only(START, "running 1 test from ./b_test.ts", GREEN).reasons == (doubt,)
    assert only("running 2 tests from ./a_test.ts", "running 1 test from ./b_test.ts", GREEN).green is True
    assert only(START, "FAILED | 0 passed | 1 failed (9ms)").reasons[0] == "1 failed"
    assert report(START, "ok | 250 passed | 0 failed (3s)", GREEN).green is False


def test_a_file_that_breaks_outside_its_tests() -> None:
    broken = "Uncaught error from ./throws_test.ts FAILED"
    assert counts(only(broken, START, "FAILED | 2 passed | 1 failed | 1 ignored (20ms)")) == (2, 0, 1, 1)
    assert counts(only(broken, broken, "FAILED | 2 passed | 3 failed (20ms)")) == (2, 1, 2, 0)
    assert counts(only(broken, "ok | 2 passed | 0 failed (20ms)")) == (2, 0, 0, 0)
    found = report(broken)
    assert (counts(found), found.complete) == ((0, 0, 1, 0), False)


def test_a_run_without_a_summary() -> None:
    for lines in ((START, GROUP), (START, "adds ... ok (810µs)")):
        found = report(*lines)
        assert (found.complete, found.reasons[0]) == (False, "line 1: deno test began, but printed no summary")
    assert report(START, START, GROUP, GREEN).complete is False


def test_each_run_by_itself() -> None:
    assert counts(report(START, GREEN, START, GREEN)) == (4, 0, 0, 2)


def test_all_that_ran_passed_and_deno_failed_all_the_same() -> None:
    line = 'error: Test failed because the "only" option was used'
    found = report("running 1 test from ./a_test.ts", "ok | 1 passed | 0 failed | 1 filtered out (18ms)", line)
    assert (found.green, found.reasons) == (False, (f"line 3: {line}",))
    assert report(GREEN, "error: Test failed" + "x" * 300).reasons == (f"line 2: error: Test failed{'x' * 182}",)
    assert report(GREEN, "error: Module not found").green is True
