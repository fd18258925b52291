"""Gradle's plain console, 4.4 to 9, and what test logger plugins and build scripts print; the projects are made up."""

from __future__ import annotations

import pytest

from checks.logs.gradle import GradleReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

TASK = "> Task :test"
SUCCESS = "BUILD SUCCESSFUL in 10s"
FAILED = "BUILD FAILED in 13s"
TOTAL = "5 tests completed, 2 failed, 1 skipped"
WHY = ("FAILURE: Build failed with an exception.", "* What went wrong:")
BROKEN = "Execution failed for task ':test'."
PASSED = "demo.ATest > adds() PASSED"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_failed_build_wholly() -> None:
    text = "demo.ATest > fails() FAILED"
    found = report(
        TASK, "", text, "    java.lang.AssertionError", "", TOTAL, "> Task :test FAILED", *WHY, BROKEN, FAILED
    )
    one = Summary("gradle", 6, TOTAL, 2, 2, 0, 1, green=False, reasons=("2 failed or broke",))
    assert found == LogReport("gradle", 2, 2, 0, 1, True, False, (one,), 11, False, ("line 6: 2 failed or broke",))


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        ("556 tests completed, 1 failed", (555, 1, 0, 0)),
        ("1 test completed, 1 failed", (0, 1, 0, 0)),
        ("347 tests completed, 10 failed, 57 skipped", (280, 10, 0, 57)),
        ("FAILURE: Executed 8 tests in 1m 12.3s (1 failed, 2 skipped)", (5, 1, 0, 2)),
        ("FAILURE: Executed 3 tests in 2s (2 failed)", (1, 2, 0, 0)),
        ("Results: FAILURE (260 tests, 246 passed, 14 failed, 0 skipped)", (246, 14, 0, 0)),
    ],
)
def test_red_totals(total: str, expected: tuple[int, ...]) -> None:
    for end in (FAILED, "BUILD FAILED", SUCCESS):
        found = report(TASK, total, *WHY, BROKEN, end)
        assert (counts(found), found.green, found.complete) == (expected, False, True)


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        ("SUCCESS: Executed 1 test in 703ms", (1, 0, 0, 0)),
        ("SUCCESS: Executed 39 tests in 12.1s", (39, 0, 0, 0)),
        ("SUCCESS: Executed 5 tests in 1.2s (2 skipped)", (3, 0, 0, 2)),
        ("Results: SUCCESS (2 tests, 2 successes, 0 failures, 0 skipped)", (2, 0, 0, 0)),
        ("|  Results: SUCCESS (3 tests, 2 passed, 0 failed, 1 skipped)  |", (2, 0, 0, 1)),
        ("Test Results: SUCCESS (1 test, 1 success, 0 failures, 0 skipped) in 18.548 seconds", (1, 0, 0, 0)),
        ("Test results: SUCCESS (2 tests, 2 successful, 0 failed, 0 skipped)", (2, 0, 0, 0)),
    ],
)
def test_green_totals(total: str, expected: tuple[int, ...]) -> None:
    found = report(TASK, total, SUCCESS)
    assert (counts(found), found.green, found.complete, found.runner) == (expected, True, True, "gradle")


@pytest.mark.parametrize(
    "line",
    [
        "5 tests completed",
        "    5 tests completed, 1 failed",
        "1234567890 tests completed, 1 failed",
        "SUCCESS: Executed many tests in 1s",
        "    SUCCESS: Executed 5 tests in 1s",
        "SUCCESS: Built 5 tests in 1s",
        "Results: 5 tests, 5 passed, 0 failed, 0 skipped",
        "    BUILD SUCCESSFUL in 1s",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    assert report(line).runner is None
    found = report(TASK, line, SUCCESS)
    assert (found.green, found.passed, found.complete) == (None, None, True)


SILENT = (
    "gradle printed no number of passed tests "
    "(it needs testLogging with the events passed, skipped and failed in the build script)"
)
UNKNOWN = (SILENT,)


@pytest.mark.parametrize(
    "task", [TASK, "> Task :app:integrationTest", ":test", ":app:testDebugUnitTest", "> Task :allTests"]
)
def test_a_successful_task_without_counts_is_unknown(task: str) -> None:
    found = report(":compileJava", task, SUCCESS)
    assert (counts(found), found.green, found.complete) == ((None,) * 4, None, True)
    assert found.reasons == UNKNOWN
    assert found.summaries[0] == Summary("gradle", 3, SUCCESS, None, 0, 0, None, green=None, counted=False, silent=True)
    assert report(task, SUCCESS, "=== test session starts ===", "=== 2 passed in 0.1s ===").green is None


@pytest.mark.parametrize(
    "task",
    [
        "> Task :compileTest",
        "> Task :checkstyleTest",
        "> Task :testClasses",
        "> Task :processTestResources NO-SOURCE",
        "> Task :jar",
        "> Task :app:lintTest",
        "> Task test",
        "Task :test",
    ],
)
def test_tasks_that_run_no_tests_say_nothing(task: str) -> None:
    assert report(task, SUCCESS).runner is None
    assert report(task, TASK, "SUCCESS: Executed 1 test in 1s", SUCCESS).green is True


@pytest.mark.parametrize("state", ["UP-TO-DATE", "FROM-CACHE"])
def test_a_result_that_was_not_made_anew(state: str) -> None:
    found = report(f"> Task :a:test {state}", "> Task :b:test NO-SOURCE", SUCCESS)
    assert (counts(found), found.green, found.complete) == ((None,) * 4, False, True)
    reason = "the tests were not run, their result was up to date or from the build cache"
    assert found.reasons == (f"line 3: {reason}", *UNKNOWN)
    assert (found.summaries[0].cached, found.summaries[0].counted) == (True, False)
    assert report(f"> Task :a:test {state}", "> Task :b:test", SUCCESS).reasons == UNKNOWN
    assert report(f"> Task :a:test {state}", TASK, "SUCCESS: Executed 1 test in 1s", SUCCESS).green is True


@pytest.mark.parametrize("state", ["NO-SOURCE", "SKIPPED"])
def test_a_task_that_had_nothing_to_run(state: str) -> None:
    found = report(f"> Task :test {state}", SUCCESS)
    assert (counts(found), found.green) == ((0, 0, 0, 0), False)
    assert found.summaries[0].green is None


def test_tests_that_are_shown_one_by_one() -> None:
    found = report(TASK, PASSED, "    prints", "demo.ATest > b > [1] x PASSED", "demo.BTest > c SKIPPED", SUCCESS)
    one = Summary("gradle", 6, ":test: test by test", 2, 0, 0, 1, green=True)
    assert (found.summaries, found.green, counts(found)) == ((one,), True, (2, 0, 0, 1))


def test_each_task_has_its_own() -> None:
    tasks = ("> Task :a:test", PASSED, "> Task :b:test", PASSED, PASSED, "> Task :a:test", PASSED)
    found = report(*tasks, SUCCESS)
    assert ([one.passed for one in found.summaries], found.passed, found.green) == ([2, 2], 4, True)
    red = report(*tasks, "3 tests completed, 1 failed", *WHY, "Execution failed for task ':a:test'.", FAILED)
    assert ([one.passed for one in red.summaries], counts(red)) == ([2, 2], (4, 1, 0, 0))


def test_a_task_without_a_shown_pass_has_no_counts() -> None:
    found = report(TASK, "demo.BTest > c SKIPPED", SUCCESS)
    assert (found.green, found.passed, found.reasons) == (None, None, UNKNOWN)


def test_shown_tests_without_a_task_are_of_something_else() -> None:
    assert report(PASSED, "x").runner is None
    assert report(PASSED, SUCCESS).runner is None


def test_a_shown_failure_speaks_against_success() -> None:
    found = report(TASK, PASSED, "demo.ATest > b FAILED", SUCCESS)
    assert (found.green, counts(found)) == (False, (1, 1, 0, 0))
    assert "line 4: a test failed, but the build says it was successful" in found.reasons
    ignored = report(TASK, PASSED, "demo.ATest > b FAILED", "2 tests completed, 1 failed", SUCCESS)
    assert ignored.reasons == ("line 4: 1 failed or broke",)


def test_a_started_test_must_end() -> None:
    started = "demo.ATest > adds() STARTED"
    assert report(TASK, started, PASSED, SUCCESS).green is True
    assert report(TASK, started, "demo.ATest > adds() SKIPPED", started, PASSED, SUCCESS).green is True
    found = report(TASK, started, PASSED, started, started, SUCCESS)
    assert (found.green, found.reasons, found.passed) == (False, ("line 6: 2 tests started and never ended",), 1)
    red = report(TASK, started, "demo.ATest > adds() FAILED", "1 test completed, 1 failed", SUCCESS)
    assert red.reasons == ("line 4: 1 failed or broke",)


def test_the_same_task_closed_in_several_grammars_counts_once() -> None:
    logger, own = "FAILURE: Executed 3 tests in 2s (2 failed)", "3 tests completed, 2 failed"
    found = report(TASK, PASSED, logger, own, *WHY, BROKEN, FAILED)
    assert ([one.counted for one in found.summaries], counts(found)) == ([False, True], (1, 2, 0, 0))
    assert counts(report(TASK, own, own, FAILED)) == (2, 4, 0, 0)
    assert counts(report("> Task :a:test", logger, "> Task :b:test", own, FAILED)) == (2, 4, 0, 0)


@pytest.mark.parametrize(
    ("broken", "tests", "expected"),
    [
        (("Execution failed for task ':compileJava'.",), (), (0, 0, 1, 0)),
        (("> Execution failed for task ':a:compileTestJava'.", BROKEN), ("> Task :a:test",), (0, 0, 2, 0)),
        ((BROKEN,), (TASK,), (0, 0, 1, 0)),
        ((BROKEN, BROKEN), (TASK, TOTAL), (2, 2, 0, 1)),
        (("Execution failed for task ':functionalTestLinux'.", BROKEN), (TASK, TOTAL), (2, 2, 1, 1)),
        (("Execution failed for task ':javadoc'.",), (), (0, 0, 1, 0)),
        ((), (), (0, 0, 1, 0)),
    ],
)
def test_what_breaks_outside_the_tests(
    broken: tuple[str, ...], tests: tuple[str, ...], expected: tuple[int, ...]
) -> None:
    found = report(*tests, *WHY, *broken, FAILED)
    assert (counts(found), found.green, found.complete) == (expected, False, True)
    if expected[2]:
        number = len(tests) + len(broken) + 3
        assert found.reasons[-1] == f"line {number}: the build broke outside the tests"


def test_several_failures() -> None:
    found = report("FAILURE: Build completed with 2 failures.", "BUILD FAILED")
    assert counts(found) == (0, 0, 1, 0)


def test_a_build_that_fails_beside_its_tests() -> None:
    found = report(TASK, PASSED, *WHY, "Execution failed for task ':checkstyleMain'.", FAILED)
    assert (counts(found), found.green, found.reasons) == ((1, 0, 0, 0), False, ("line 6: the build failed",))


def test_no_tests_were_found() -> None:
    found = report(TASK, *WHY, BROKEN, "> No tests found for given includes: [*Nope](--tests filter)", FAILED)
    assert (counts(found), found.green) == ((0, 0, 0, 0), False)
    assert found.reasons == ("line 6: no tests were found",)


def test_the_end_of_another_tool_says_nothing() -> None:
    for end in ("BUILD FAILED", "BUILD SUCCESSFUL"):
        assert report("x", end).runner is None


@pytest.mark.parametrize(
    "lines", [(TASK,), (":test",), (TASK, PASSED), ("SUCCESS: Executed 1 test in 1s",), (":jar", PASSED)]
)
@pytest.mark.parametrize("end", ["", "##[group]Run next"])
def test_a_build_that_does_not_close(lines: tuple[str, ...], end: str) -> None:
    found = report("x", *lines, end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the build has no closing line"
    assert found.passed == sum(PASSED in lines or "SUCCESS" in line for line in lines[-1:])


def test_builds_in_one_step() -> None:
    assert report(":compileJava", "BUILD SUCCESSFUL in 1s", TASK, PASSED, SUCCESS).green is True
    found = report(TASK, TOTAL, *WHY, BROKEN, FAILED, TASK, PASSED, SUCCESS)
    assert ([one.green for one in found.summaries], found.green, found.passed) == ([False, True], False, 3)


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = GradleReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in (
        "> Task :" * 120_000,
        "a > " * 250_000,
        "1 tests completed, " * 50_000,
        "| " * 500_000,
        ":a" * 500_000,
    ):
        assert report(TASK, line, PASSED, SUCCESS).passed == 1
