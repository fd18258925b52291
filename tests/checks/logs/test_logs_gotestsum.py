"""gotestsum, in the wording of 1.8 with go 1.19; the packages are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Summary

GROUP = "##[group]Run gotestsum"
PACKAGE = "✓  cart (7ms)"
DONE = "DONE 4 tests, 1 skipped in 0.321s"
OK = "ok  \texample.test/shop/cart\t0.005s"
RUN, PASSED, FAILED = "=== RUN   TestA", "--- PASS: TestA (0.00s)", "--- FAIL: TestA (0.00s)"
LISTED = "=== Failed"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(PACKAGE, "∅  empty", DONE)
    summary = Summary("gotestsum", 3, DONE, 3, 0, 0, 1, green=True)
    assert found == LogReport("gotestsum", 3, 0, 0, 1, True, True, (summary,), 3, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        (("DONE 1 tests in 0.001s",), (1, 0, 0, 0), True, None),
        (("DONE 1 test in 10ms",), (1, 0, 0, 0), True, None),
        (("DONE 8 tests, 1 skipped, 2 failures in 1.660s",), (5, 2, 0, 1), False, "line 1: 2 failed or broke"),
        (("DONE 8 tests, 1 failure in 1.660s",), (7, 1, 0, 0), False, "line 1: 1 failed or broke"),
        (("DONE 3 tests, 1 error in 1.660s",), (3, 0, 1, 0), False, "line 1: 1 failed or broke"),
        (("DONE 0 tests, 2 errors in 1.660s",), (0, 0, 2, 0), False, "line 1: 2 failed or broke"),
        (("DONE 3 tests, 3 skipped in 1.660s",), (0, 0, 0, 3), False, "no package of the log has tests"),
        (("DONE 0 tests in 0.623s",), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("DONE 8 tests, 1 failure in 1.660s", DONE), (10, 1, 0, 1), False, "line 1: 1 failed or broke"),
        (
            ("✓  cart (cached)", DONE),
            (3, 0, 0, 1),
            False,
            "line 2: results were served from the test cache, it is not a fresh run",
        ),
        (
            ("PASS cart (cached)", DONE),
            (3, 0, 0, 1),
            False,
            "line 2: results were served from the test cache, it is not a fresh run",
        ),
        (("✓  cart (cached)", DONE, PACKAGE, DONE), (6, 0, 0, 2), False, None),
        ((PACKAGE, DONE, GROUP, PACKAGE, DONE), (6, 0, 0, 2), True, None),
    ],
)
def test_gotestsum(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "gotestsum", True)
    if reason or green:
        assert found.reasons[:1] == (() if reason is None else (reason,))


def test_a_cached_run_is_said_to_be_one() -> None:
    assert [one.cached for one in report("✓  cart (cached)", DONE, PACKAGE, DONE).summaries] == [True, False]


def test_what_go_says_is_not_counted_beside_the_closing_line() -> None:
    verbose = report(RUN, PASSED, OK, "?   \texample.test/shop/empty\t[no test files]", DONE)
    assert (counts(verbose), verbose.green, verbose.complete) == ((3, 0, 0, 1), True, True)
    assert [one.counted for one in verbose.summaries] == [False, False, True]
    quiet = report(OK, DONE)
    assert (counts(quiet), quiet.green) == ((3, 0, 0, 1), True)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            (RUN, FAILED, "FAIL\texample.test/shop/cart\t0.005s"),
            "the closing line names no failure, but lines of go test do",
        ),
        (
            ("FAIL\texample.test/shop/cart [build failed]",),
            "the closing line names no failure, but lines of go test do",
        ),
        ((RUN, FAILED), "the closing line names no failure, but lines of go test do"),
        ((RUN,), "the closing line came while tests were still running"),
    ],
)
def test_the_closing_line_must_not_deny_what_go_says(lines: tuple[str, ...], reason: str) -> None:
    found = report(*lines, DONE)
    assert (found.green, found.summaries[-1].reasons) == (False, (reason,))


def test_what_go_has_against_green_stands() -> None:
    found = report(RUN, PASSED, "ok  \tx\t(cached)", DONE)
    assert found.reasons == ("line 3: the result was served from the test cache, it is not a fresh run",)
    assert report("FAIL", OK, DONE).reasons == ("line 1: go test says FAIL, but no package of the log failed",)


def test_without_a_closing_line_go_is_read_as_ever() -> None:
    found = report(RUN, PASSED, OK, GROUP, RUN, PASSED, OK)
    assert (counts(found), found.runner, found.green) == ((2, 0, 0, 0), "go test", True)
    assert report(RUN, PASSED, OK, GROUP, PACKAGE, DONE).passed == 4
    assert report(RUN, PASSED).complete is False


@pytest.mark.parametrize("first", [PACKAGE, "✖  cart (7ms)", "∅  empty"])
@pytest.mark.parametrize("end", [(), (GROUP,), ("✓  till (1ms)",)])
def test_packages_without_a_closing_line_are_unfinished(first: str, end: tuple[str, ...]) -> None:
    found = report("x", first, *end)
    assert (found.runner, found.green, found.complete) == ("gotestsum", False, False)
    assert found.reasons[0] == "line 2: the run of gotestsum has no closing line"


FIRST = "DONE 2 tests, 1 failure in 0.250s"
AGAIN = "DONE 2 runs, 3 tests, 1 failure in 0.498s"
ENTRY = "=== FAIL: price TestFlaky (0.00s)"


def entry(run: int) -> str:
    return f"=== FAIL: price TestFlaky (re-run {run}) (0.00s)"


def test_tests_that_pass_in_another_run_are_flaky() -> None:
    go_lines = (RUN, FAILED, "FAIL price.TestA (0.00s)")
    found = report(*go_lines, FIRST, "PASS price.TestA (re-run 1) (0.00s)", LISTED, ENTRY, AGAIN)
    assert (counts(found), found.green, found.complete) == ((2, 0, 0, 0), True, True)
    assert [(one.counted, one.green, one.flaky) for one in found.summaries] == [(False, None, 0), (True, True, 1)]
    verbose = (RUN, FAILED, "FAIL\texample.test/shop\t0.005s", FIRST, RUN, PASSED, OK, LISTED, ENTRY, AGAIN)
    found = report(*verbose)
    assert (counts(found), found.green, found.reasons) == ((2, 0, 0, 0), True, ())
    third = report(
        "DONE 2 tests, 1 failure in 1s", AGAIN, LISTED, ENTRY, entry(1), "DONE 3 runs, 4 tests, 2 failures in 1s"
    )
    assert (counts(third), third.green, third.summaries[-1].flaky) == ((2, 0, 0, 0), True, 2)


@pytest.mark.parametrize(
    ("lines", "failed"),
    [
        ((LISTED, ENTRY, entry(1), AGAIN), 1),
        ((LISTED, entry(1), ENTRY, AGAIN), 1),
        ((AGAIN,), 1),
        ((LISTED, ENTRY, "DONE 2 runs, 3 tests, 1 failure, 1 error in 0.498s"), 1),
        ((LISTED, ENTRY, AGAIN.replace("2 runs", "1 runs")), 1),
        ((LISTED, ENTRY, entry(1), entry(2), "DONE 3 runs, 4 tests, 3 failures in 0.7s"), 3),
    ],
)
def test_tests_that_fail_in_the_last_run_are_red(lines: tuple[str, ...], failed: int) -> None:
    found = report(FIRST, *lines)
    assert (found.failed, found.green) == (failed, False)
    assert [one.counted for one in found.summaries] == [False, True]


def test_only_the_runs_that_it_repeats_are_replaced() -> None:
    earlier = report("DONE 5 tests, 2 failures in 1s", FIRST, LISTED, ENTRY, AGAIN)
    assert (earlier.failed, earlier.green, [one.counted for one in earlier.summaries]) == (
        2,
        False,
        [True, False, True],
    )
    step = report(FIRST, GROUP, LISTED, ENTRY, AGAIN)
    assert (step.failed, step.green) == (1, False)
    # What was cached stays so.
    cached = report("✓  cart (cached)", "DONE 5 tests in 1s", LISTED, ENTRY, AGAIN)
    assert cached.green is False


def test_a_flaky_run_is_held_to_the_rest_too() -> None:
    cached = report(FIRST, "✓  till (cached)", LISTED, ENTRY, AGAIN)
    assert cached.reasons == ("line 5: results were served from the test cache, it is not a fresh run",)
    denied = report(FIRST, RUN, FAILED, LISTED, ENTRY, AGAIN)
    assert denied.reasons == ("line 6: the closing line names no failure, but lines of go test do",)


def test_all_runs_without_a_failure() -> None:
    found = report("DONE 2 runs, 3 tests in 0.498s")
    assert (counts(found), found.green, found.summaries[0].flaky) == ((3, 0, 0, 0), True, 0)


@pytest.mark.parametrize(
    "line", ["DONE", "DONE 4 tests", "x DONE 4 tests in 1s", "DONE 4 tests in 1s now", LISTED, ENTRY, "✓ cart"]
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_more_skips_than_tests_are_no_negative_number() -> None:
    assert report("DONE 1 tests, 5 skipped in 1s").passed == 0
