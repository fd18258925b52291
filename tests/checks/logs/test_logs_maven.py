"""Maven with surefire and failsafe, in the wording of surefire 2.5 to 3.5 and Maven 3; the projects are made up."""

from __future__ import annotations

import pytest

from checks.logs.maven import MavenReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

START = "[INFO] Scanning for projects..."
GOAL = "[INFO] --- maven-surefire-plugin:2.22.3:test (default-test) @ demo ---"
HEADLINE = "[INFO]  T E S T S"
RESULTS = "[INFO] Results:"
TOTAL = "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1"
RED_TOTAL = "[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1"
CLASS = "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.5 s - in demo.ATest"
RED_CLASS = "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.5 s <<< FAILURE! - in demo.ATest"
SUCCESS = "[INFO] BUILD SUCCESS"
FAILURE = "[INFO] BUILD FAILURE"
NO_TESTS_FAILED = (
    "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test (default-test)"
)
MODULE = (GOAL, HEADLINE, CLASS, RESULTS, "", TOTAL)
GREEN = (START, *MODULE, SUCCESS)
RED = (START, GOAL, HEADLINE, RED_CLASS, RESULTS, RED_TOTAL, FAILURE)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_build_wholly() -> None:
    found = report(*GREEN)
    one = Summary("maven", 7, TOTAL.removeprefix("[INFO] "), 2, 0, 0, 1, green=True)
    assert found == LogReport("maven", 2, 0, 0, 1, True, True, (one,), 8, False, ())


def test_a_red_build() -> None:
    found = report(*RED, NO_TESTS_FAILED + " on project demo: There are test failures.")
    assert (counts(found), found.green, found.complete) == ((1, 1, 1, 1), False, True)
    assert found.reasons == ("line 6: 2 failed or broke",)


@pytest.mark.parametrize(
    "total",
    [
        "Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
        "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
        "[\x1b[1;33mWARNING\x1b[m] \x1b[1;33mTests run: 3, Failures: 0, Errors: 0, Skipped: 1\x1b[m",
        "2022-08-17T18:43:52.1853147Z [WARN] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
    ],
)
@pytest.mark.parametrize("results", ["Results :", "[INFO] Results:", "[ERROR] Results:"])
def test_wordings_of_the_total(total: str, results: str) -> None:
    found = report(" T E S T S", results, total, "[INFO] BUILD SUCCESS")
    assert (counts(found), found.green, found.complete) == ((2, 0, 0, 1), True, True)


@pytest.mark.parametrize(
    "line",
    [
        CLASS,
        "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 4.25 sec",
        "Tests run: 3,  Failures: 0",
        "Tests run: 1234567890, Failures: 0, Errors: 0, Skipped: 0",
        "x Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
        "[DEBUG2] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
    ],
)
def test_lines_that_are_no_total(line: str) -> None:
    found = report(START, HEADLINE, RESULTS, line, SUCCESS)
    assert found.reasons[0] == "line 1: a test run of the build has no total"
    assert found.green is False


def test_flaky_tests_are_counted_beside_the_passed_ones() -> None:
    flaky = "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Flakes: 2"
    found = report(START, HEADLINE, RED_CLASS, RESULTS, flaky, SUCCESS)
    assert (counts(found), found.green, found.summaries[0].flaky) == ((3, 0, 0, 0), True, 2)


def test_modules_are_added_up() -> None:
    found = report(START, *MODULE, *MODULE, *MODULE, SUCCESS)
    assert (counts(found), found.green, len(found.summaries)) == ((6, 0, 0, 3), True, 3)


def test_modules_side_by_side() -> None:
    found = report(START, HEADLINE, HEADLINE, RESULTS, RESULTS, TOTAL, TOTAL, SUCCESS)
    assert (counts(found), found.green, found.complete) == ((4, 0, 0, 2), True, True)


@pytest.mark.parametrize(
    "total",
    ["Tests run: 0, Failures: 0, Errors: 0, Skipped: 0", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2"],
)
def test_a_module_without_a_passed_test_says_nothing_of_the_others(total: str) -> None:
    empty = (HEADLINE, RESULTS, total)
    assert report(START, *empty, *MODULE, SUCCESS).green is True
    found = report(START, *empty, SUCCESS)
    assert (found.green, found.passed, found.complete) == (False, 0, True)


@pytest.mark.parametrize("goal", [GOAL, "[INFO] --- surefire:3.2.5:test (default-test) @ demo ---"])
def test_a_build_whose_goal_found_no_tests(goal: str) -> None:
    found = report(START, goal, SUCCESS)
    assert (counts(found), found.green, found.complete) == ((0, 0, 0, 0), False, True)
    assert found.summaries[0] == Summary("maven", 3, "BUILD SUCCESS", 0, 0, 0, 0, green=None)
    assert report(START, goal, SUCCESS, *GREEN).green is True


@pytest.mark.parametrize(
    "goal",
    [
        "[INFO] --- maven-compiler-plugin:3.10.1:compile (default-compile) @ demo ---",
        "[INFO] --- surefire-report:3.2.5:report (default) @ demo ---",
        "[INFO] --- maven-failsafe-plugin:2.22.2:verify (default) @ demo ---",
    ],
)
def test_a_build_that_was_not_asked_for_tests_says_nothing(goal: str) -> None:
    assert report(START, goal, SUCCESS).runner is None
    assert report(START, goal).runner is None
    assert report(SUCCESS).runner is None


def test_failsafe_has_totals_of_its_own() -> None:
    goal = "[INFO] --- maven-failsafe-plugin:2.22.2:integration-test (default) @ demo ---"
    found = report(START, *MODULE, goal, HEADLINE, RESULTS, RED_TOTAL, SUCCESS)
    assert (counts(found), found.green) == ((3, 1, 1, 2), False)
    assert report(START, goal, SUCCESS).complete is True


@pytest.mark.parametrize("lines", [(GOAL,), (GOAL, HEADLINE), MODULE, (HEADLINE, RESULTS, TOTAL)])
@pytest.mark.parametrize("end", ["", "##[group]Run next", START])
def test_a_build_that_does_not_close(lines: tuple[str, ...], end: str) -> None:
    found = report("x", START, *lines, end, *((SUCCESS,) if end == START else ()))
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the build has no closing line"


def test_a_test_run_without_a_total() -> None:
    found = report("x", START, *MODULE, HEADLINE, SUCCESS)
    assert (found.green, found.complete, counts(found)) == (False, False, (2, 0, 0, 1))
    assert found.reasons == ("line 2: a test run of the build has no total",)


def test_a_failed_class_without_a_failed_total() -> None:
    for line in (RED_CLASS, "[ERROR] bad  Time elapsed: 0.001 s  <<< ERROR!"):
        found = report(START, HEADLINE, CLASS, line, line, RESULTS, TOTAL, SUCCESS)
        assert (found.green, found.reasons) == (False, ("line 4: a test failed, but no total of the build says so",))
    assert report(START, HEADLINE, "prints <<< FAILURE!", RESULTS, TOTAL, SUCCESS).green is True
    red = report(START, HEADLINE, RED_CLASS, RESULTS, RED_TOTAL, SUCCESS)
    assert red.reasons == ("line 5: 2 failed or broke",)


MORE = "more totals than test runs in one build"


def test_a_printed_total_is_one_too_many() -> None:
    forged = "Tests run: 9, Failures: 0, Errors: 0, Skipped: 0"
    early = report(START, HEADLINE, forged, RESULTS, TOTAL, SUCCESS)
    assert (early.passed, early.green) == (2, True)
    assert report(START, HEADLINE, "Results:", RESULTS, TOTAL, SUCCESS).green is True
    found = report(START, HEADLINE, "Results:", forged, RESULTS, TOTAL, SUCCESS)
    assert (found.green, found.complete, counts(found)) == (False, True, (2, 0, 0, 1))
    assert found.reasons == ("line 4: another total of the same test run follows it", f"line 6: {MORE}")
    assert [one.counted for one in found.summaries] == [False, True]
    assert report(RESULTS, forged, SUCCESS).reasons == (f"line 2: {MORE}",)


@pytest.mark.parametrize("before", [(), ("[ERROR] COMPILATION ERROR : ",), ("[ERROR] COMPILATION ERROR :",) * 2])
def test_a_build_that_breaks_before_its_tests(before: tuple[str, ...]) -> None:
    found = report(START, *before, FAILURE, "[ERROR] Failed to execute goal x:compiler:1:compile: Compilation failure")
    assert (counts(found), found.green, found.complete) == ((0, 0, max(1, len(before)), 0), False, True)
    one = found.summaries[0]
    assert (one.line, one.text, one.reasons) == (
        len(before) + 2,
        "BUILD FAILURE",
        ("the build broke outside the tests",),
    )


def test_a_module_that_does_not_compile_after_one_that_was_tested() -> None:
    found = report(START, *MODULE, "[ERROR] COMPILATION ERROR : ", FAILURE)
    assert counts(found) == (2, 0, 1, 1)


def test_no_tests_were_executed() -> None:
    for words in ("No tests were executed!  (Set -DfailIfNoTests=false ...)", 'No tests matching pattern "A" were'):
        found = report(START, GOAL, FAILURE, f"{NO_TESTS_FAILED} on project demo: {words}")
        assert (counts(found), found.green) == ((0, 0, 0, 0), False)
        assert found.reasons == ("line 3: no tests were executed",)


def test_the_goal_of_the_tests_breaks_without_a_failed_test() -> None:
    for goal in (NO_TESTS_FAILED, "[ERROR] Failed to execute goal org.apache.maven.plugins:failsafe:3.2.5:verify"):
        found = report(START, *MODULE, FAILURE, goal)
        assert (counts(found), found.green) == ((2, 0, 1, 1), False)
        assert found.reasons == ("line 8: the build broke outside the tests",)


@pytest.mark.parametrize(
    "end", [("[ERROR] Failed to execute goal x:checkstyle:1:check (default)",), (), ("##[group]Run next",), GREEN]
)
def test_a_build_that_fails_after_green_tests(end: tuple[str, ...]) -> None:
    found = report(START, *MODULE, FAILURE, *end)
    assert (found.errors, found.green) == (0, False)
    assert found.reasons == ("line 8: the build failed",)


def test_two_builds_in_one_step() -> None:
    assert [one.green for one in report(*RED, *GREEN).summaries] == [False, True]
    assert report(*RED, *GREEN).green is False
    assert counts(report(*GREEN, *GREEN)) == (4, 0, 0, 2)
    found = report(START, FAILURE, FAILURE)
    assert (counts(found), found.complete) == ((0, 0, 1, 0), True)


def test_the_explanation_of_nothing() -> None:
    assert report(NO_TESTS_FAILED, "x").runner is None
    assert report(START, NO_TESTS_FAILED, *GREEN[1:]).green is True


def test_old_wordings_of_the_end() -> None:
    assert report(START, *MODULE, "[INFO] BUILD SUCCESSFUL").green is True
    assert report(START, *MODULE, "[INFO] BUILD ERROR").reasons == ("line 8: the build failed",)
    assert report(START, *MODULE, "BUILD SUCCESSFUL in 3s").complete is False


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = MavenReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("Tests run: " * 90_000, "[ERROR] " * 120_000, " Time elapsed: <<< " * 50_000, "-" * 1_000_000):
        assert report(START, HEADLINE, line, RESULTS, TOTAL, SUCCESS).green is True


def test_a_total_without_a_headline_opens_a_build() -> None:
    found = report(RESULTS, TOTAL, "##[group]Run next")
    assert (found.complete, found.passed) == (False, 2)
    assert found.reasons == (f"line 2: {MORE}", "line 1: the build has no closing line")
