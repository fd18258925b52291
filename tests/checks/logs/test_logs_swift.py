"""XCTest and Swift Testing, in the words of the sources of both (see checks/logs/swift.py); the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary
from checks.logs.swift import SwiftReader

GROUP = "##[group]Run swift test"
TIME = "at 2026-11-01 15:35:23.745"
TOTAL = "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.008) seconds"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def suite(name: str, word: str) -> str:
    return f"Test Suite '{name}' {word} {TIME}"


def executed(text: str) -> str:
    return f"\t Executed {text} (0 unexpected) in 0.002 (0.008) seconds"


def case(word: str) -> str:
    return f"Test Case 'CartTests.testAdds' {word} (0.001 seconds)"


def nested(total: str, *lines: str, word: str = "passed") -> tuple[str, ...]:
    """Three suites, one in the other, each with a total of its own."""
    names = ("All tests", "debug.xctest", "CartTests")
    ends = [line for name in reversed(names) for line in (suite(name, word), total)]
    return (*(suite(name, "started") for name in names), *lines, *ends)


def test_a_green_run_wholly() -> None:
    found = report(*nested(TOTAL, case("passed")))
    summary = Summary("xctest", 10, TOTAL.strip(), 3, 0, 0, 0, green=True)
    assert found == LogReport("xctest", 3, 0, 0, 0, True, True, (summary,), 10, False, ())


@pytest.mark.parametrize(
    ("total", "lines", "expected", "green", "reason"),
    [
        (executed("1 test, with 0 failures"), (), (1, 0, 0, 0), True, None),
        (executed("3 tests, with 1 test skipped and 0 failures"), (case("skipped"),), (2, 0, 0, 1), True, None),
        (executed("5 tests, with 2 tests skipped and 1 failure"), (), (2, 1, 0, 2), False, "line 9: 1 failed"),
        # A test may fail more than once.
        (executed("3 tests, with 4 failures"), (case("failed"),), (2, 1, 0, 0), False, "line 9: 1 failed"),
        (executed("3 tests, with 4 failures"), (), (0, 3, 0, 0), False, "line 9: 3 failed"),
        (TOTAL, (case("failed"), case("failed")), (1, 2, 0, 0), False, "line 9: 2 failed"),
        (executed("0 tests, with 0 failures"), (), (0, 0, 0, 0), False, "no package of the log has tests"),
        (
            executed("1 test, with 1 test skipped and 0 failures"),
            (case("skipped"),),
            (0, 0, 0, 1),
            False,
            "no package of the log has tests",
        ),
    ],
)
def test_xctest(total: str, lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(*nested(total, *lines))
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "xctest", True)
    line = f"line {9 + len(lines)}" if reason and reason.startswith("line") else None
    assert found.reasons[:1] == (() if reason is None else (reason.replace("line 9", line or "", 1),))


def test_failures_of_one_run_are_not_those_of_the_next() -> None:
    found = report(*nested(executed("1 test, with 1 failure"), case("failed"), word="failed"), *nested(TOTAL))
    assert (counts(found), found.green, found.reasons) == ((3, 1, 0, 0), False, ("line 10: 1 failed",))


def test_a_total_without_its_suites() -> None:
    reason = "the total has no start: the beginning is missing, or something else printed it"
    assert report(TOTAL).reasons == (f"line 1: {reason}",)
    assert report(suite("All tests", "passed"), TOTAL).reasons == (f"line 2: {reason}",)
    assert report(TOTAL.replace("0 failures", "2 failures")).reasons == ("line 1: 2 failed",)


@pytest.mark.parametrize("end", [(), (GROUP,), (GROUP, *nested(TOTAL))])
def test_suites_without_a_total_are_unfinished(end: tuple[str, ...]) -> None:
    inner = (suite("All tests", "started"), suite("CartTests", "started"))
    found = report(
        "x", *inner, case("passed"), case("failed"), case("skipped"), suite("CartTests", "failed"), TOTAL, *end
    )
    assert counts(found) == (1 + 3 * (len(end) > 1), 1, 0, 1)
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 2: the run has no total")


STARTED = "◇ Test run started."


def run(text: str, sign: str = "✔") -> str:
    return f"{sign} Test run with {text}."


def test_a_green_run_of_swift_testing_wholly() -> None:
    line = run("4 tests passed after 0.001 seconds")
    found = report(STARTED, "◇ Test adds() started.", "✔ Test adds() passed after 0.001 seconds.", line)
    summary = Summary("swift testing", 4, line, 4, 0, 0, 0, green=True)
    assert found == LogReport("swift testing", 4, 0, 0, 0, True, True, (summary,), 4, False, ())


FAILED = "✘ Test rounds() failed after 0.001 seconds with 1 issue."


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((run("1 test in 1 suite passed after 0.001 seconds"),), (1, 0, 0, 0), True, None),
        ((run("4 tests in 2 suites passed after 1.0 seconds with 1 known issue"),), (4, 0, 0, 0), True, None),
        (
            ("➜ Test later() skipped.", '➜ Test "a name" skipped: "no network"', run("4 tests passed after 1 seconds")),
            (2, 0, 0, 2),
            True,
            None,
        ),
        (
            (FAILED, FAILED, run("4 tests failed after 0.001 seconds with 2 issues (including 1 known issue)", "✘")),
            (2, 2, 0, 0),
            False,
            "line 4: 2 failed",
        ),
        ((run("4 tests failed after 0.001 seconds with 2 issues", "✘"),), (4, 0, 1, 0), False, "line 2: 0 failed"),
        ((FAILED, run("4 tests passed after 0.001 seconds")), (3, 1, 0, 0), False, "line 3: 1 failed"),
        (
            ("✘ Suite Cart failed after 0.001 seconds with 1 issue.", run("4 tests passed after 0.001 seconds")),
            (4, 0, 0, 0),
            True,
            None,
        ),
        ((run("0 tests passed after 0.001 seconds"),), (0, 0, 0, 0), False, "no package of the log has tests"),
    ],
)
def test_swift_testing(lines: tuple[str, ...], expected: tuple[int, ...], green: bool, reason: str | None) -> None:
    found = report(STARTED, *lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "swift testing", True)
    assert found.reasons[:1] == (() if reason is None else (reason,))


def test_a_total_of_swift_testing_without_its_start() -> None:
    reason = "the total has no start: the beginning is missing, or something else printed it"
    assert report(run("4 tests passed after 0.001 seconds")).reasons == (f"line 1: {reason}",)
    assert report(STARTED, *[run("4 tests passed after 0.001 seconds")] * 2).reasons == (f"line 3: {reason}",)


@pytest.mark.parametrize("end", [(), (GROUP,), (STARTED, run("4 tests passed after 0.001 seconds"))])
def test_a_run_of_swift_testing_without_a_total_is_unfinished(end: tuple[str, ...]) -> None:
    lines = ("✔ Test adds() passed after 0.001 seconds.", FAILED, "➜ Test later() skipped.")
    found = report(STARTED, *lines, *end)
    assert counts(found) == (1 + 4 * (len(end) > 1), 1, 0, 1)
    assert (found.green, found.complete, found.reasons[0]) == (False, False, "line 1: the run has no total")


def test_both_in_one_run() -> None:
    empty = nested(executed("0 tests, with 0 failures"))
    found = report(*empty, STARTED, run("4 tests passed after 0.001 seconds"))
    assert (counts(found), found.green, found.runner) == ((4, 0, 0, 0), True, "xctest, swift testing")
    found = report(suite("All tests", "started"), STARTED)
    assert found.reasons[:2] == ("line 1: the run has no total", "line 2: the run has no total")


@pytest.mark.parametrize(
    "line",
    [
        "error: Exited with unexpected signal code 11",
        "error: Exited with signal code 6",
        "Process 'ShopTests.xctest' exited with unexpected signal code 11",
        "** TEST FAILED **",
    ],
)
def test_a_test_program_that_failed(line: str) -> None:
    found = report(*nested(TOTAL), line)
    assert (found.green, found.reasons) == (False, (f"line 10: the test program failed: {line}",))


@pytest.mark.parametrize(
    "line",
    [
        "Executed 3 tests",
        "Test run started.",
        case("started"),
        case("passed"),
        "✔ Test adds() passed",
        "TEST FAILED",
        "x" + TOTAL,
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = SwiftReader()
    for number, line in enumerate(("", "anything", "Test Suite", "✔ Test adds() passed"), 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((), ())
