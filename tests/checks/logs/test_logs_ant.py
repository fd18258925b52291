"""Ant's junit and junitlauncher tasks, in the wording of Ant 1.10; the suites are made up."""

from __future__ import annotations

import pytest

from checks.logs.ant import AntReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

START = "Buildfile: /project/build.xml"
SUITE = "    [junit] Testsuite: demo.ATest"
RUNNING = "    [junit] Running demo.ATest"
COUNTS = "    [junit] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.158 sec"
RED_COUNTS = "    [junit] Tests run: 5, Failures: 1, Errors: 2, Skipped: 1, Time elapsed: 1,234.5 sec"
SUCCESS = "BUILD SUCCESSFUL"
FAILED = "BUILD FAILED"
GREEN = (START, SUITE, COUNTS, SUCCESS)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_build_wholly() -> None:
    found = report(*GREEN, "Total time: 1 second")
    text = "demo.ATest: Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.158 sec"
    one = Summary("ant junit", 3, text, 3, 0, 0, 1, green=True)
    assert found == LogReport("ant junit", 3, 0, 0, 1, True, True, (one,), 5, False, ())


def test_a_red_build() -> None:
    found = report(START, SUITE, RED_COUNTS, "    [junit] Test demo.ATest FAILED", FAILED)
    assert (counts(found), found.green, found.reasons) == ((1, 1, 2, 1), False, ("line 3: 3 failed or broke",))
    assert report(SUITE, RED_COUNTS, SUCCESS).green is False


def test_suites_are_added_up() -> None:
    other = "    [junit] Testsuite: demo.BTest"
    found = report(START, SUITE, COUNTS, other, COUNTS, SUITE, COUNTS, SUCCESS)
    assert (counts(found), found.green) == ((9, 0, 0, 3), True)


@pytest.mark.parametrize(
    "line",
    [
        "Tests run: 4, Failures: 0, Errors: 0, Time elapsed: 0.158 sec",
        "    [junit] Tests run: 4, Failures: 0, Errors: 0, Time elapsed: 3 sec",
    ],
)
def test_old_counts_without_skips(line: str) -> None:
    assert counts(report(SUITE, line, SUCCESS)) == (4, 0, 0, 0)


@pytest.mark.parametrize(
    "line",
    [
        "Tests run: 4, Failures: 0, Errors: 0, Skipped: 1",
        "Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.158 s - in demo.ATest",
        "Tests run: 1234567890, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 1 sec",
        "x Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 1 sec",
    ],
)
def test_lines_that_are_no_counts(line: str) -> None:
    found = report(SUITE, line, SUCCESS)
    assert (found.green, found.reasons[0]) == (False, "line 1: the suite demo.ATest has no counts")


def test_counts_follow_a_suite() -> None:
    assert report(COUNTS, SUCCESS).runner is None
    assert report("Running migrations:", COUNTS, SUCCESS).runner is None
    assert report("Running demo.ATest", SUCCESS).runner is None
    assert report("Running demo.ATest", "x").runner is None


def test_the_summary_of_the_task_alone() -> None:
    found = report(RUNNING, COUNTS, RUNNING, COUNTS, SUCCESS)
    assert (counts(found), found.green, found.complete) == ((6, 0, 0, 2), True, True)


def test_summary_and_formatter_print_the_same_counts() -> None:
    one = (RUNNING, SUITE, COUNTS, COUNTS)
    assert counts(report(*one, SUCCESS)) == (3, 0, 0, 1)
    assert counts(report(*one, *one, SUCCESS)) == (6, 0, 0, 2)
    crashed = (RUNNING, SUITE, SUITE, COUNTS, RUNNING, COUNTS)
    assert counts(report(*crashed, SUCCESS)) == (3, 0, 0, 1)
    assert counts(report(RUNNING, SUITE, COUNTS, RED_COUNTS, SUCCESS)) == (4, 1, 2, 2)


def test_the_junit_launcher() -> None:
    found = report(
        START,
        "[junitlauncher] Running demo.MixedTest",
        "[junitlauncher] Tests run: 5, Failures: 2, Aborted: 1, Skipped: 3, Time elapsed: 0.745 sec",
        FAILED,
    )
    assert (counts(found), found.green) == ((2, 2, 0, 4), False)


def test_a_suite_that_skips_all_says_nothing_of_the_others() -> None:
    skipped = "Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0 sec"
    assert report(SUITE, skipped, SUITE, COUNTS, SUCCESS).green is True
    found = report(SUITE, skipped, SUCCESS)
    assert (found.green, counts(found), found.summaries[0].green) == (False, (0, 0, 0, 2), None)


@pytest.mark.parametrize("word", ["FAILED", "FAILED (crashed)", "FAILED (timeout)"])
def test_a_failed_suite_without_failed_counts(word: str) -> None:
    red = f"    [junit] Test demo.ATest {word}"
    found = report(SUITE, COUNTS, red, red, SUCCESS)
    assert found.reasons == ("line 3: a suite failed, but no counts say so",)
    assert report(SUITE, COUNTS, "Test demo.ATest FAILED (later)", SUCCESS).green is True


def test_a_build_that_fails_beside_its_suites() -> None:
    assert report(SUITE, COUNTS, FAILED).reasons == ("line 3: the build failed",)


def test_a_build_that_breaks_before_its_suites() -> None:
    found = report(START, "    [javac] error", FAILED)
    assert (counts(found), found.green, found.complete) == ((0, 0, 1, 0), False, True)
    assert found.reasons == ("line 3: the build broke before its tests",)
    assert found.summaries[0].text == FAILED
    assert report(FAILED).runner is None
    assert report(START, SUCCESS).runner is None
    assert report("x", START).runner is None


@pytest.mark.parametrize("end", ["", "##[group]Run next", START])
def test_a_build_that_does_not_close(end: str) -> None:
    for lines in ((SUITE,), (SUITE, COUNTS), (RUNNING, COUNTS)):
        found = report("x", *lines, end)
        assert (found.green, found.complete) == (False, False)
        assert found.reasons[0] == f"line {1 + len(lines) if lines[0] == RUNNING else 2}: the build has no closing line"


def test_builds_in_one_step() -> None:
    red = (START, SUITE, RED_COUNTS, FAILED)
    found = report(*red, *GREEN)
    assert ([one.green for one in found.summaries], found.green, found.passed) == ([False, True], False, 4)


@pytest.mark.parametrize("kind", ["Output", "Error"])
def test_what_a_formatter_quotes_is_not_its_own(kind: str) -> None:
    head = f"    [junit] ------------- Standard {kind} ---------------"
    foot = "    [junit] ------------- ---------------- ---------------"
    found = report(SUITE, COUNTS, head, SUITE, RED_COUNTS, SUCCESS, foot, SUITE, COUNTS, SUCCESS)
    assert (counts(found), found.complete) == ((6, 0, 0, 2), True)
    assert report(SUITE, COUNTS, head, "##[group]Run next", *GREEN).passed == 6


def test_mavens_classes_are_not_suites() -> None:
    maven = ("[INFO] Scanning for projects...", " T E S T S", "Running demo.ATest", COUNTS)
    assert report(*maven).runner == "maven"
    total = "Tests run: 4, Failures: 0, Errors: 0, Skipped: 1"
    for end in ("[INFO] BUILD SUCCESS", "[INFO] BUILD FAILURE"):
        found = report(*maven, "Results :", total, end, *GREEN)
        assert (found.runner, found.passed) == ("maven, ant junit", 6)
    assert report(" T E S T S", "##[group]Run next", *GREEN).passed == 3
    assert report(" T E S T S", "[INFO] Scanning for projects...", *GREEN).passed == 3


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = AntReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("Tests run: " * 90_000, "    [junit] " * 90_000, "Running " * 120_000, "-" * 1_000_000):
        assert report(SUITE, line, COUNTS, SUCCESS).green is True


def test_the_launcher_breaks_nothing_outside_its_tests() -> None:
    red = "[junitlauncher] Tests run: 1, Failures: 1, Aborted: 0, Skipped: 0, Time elapsed: 0.7 sec"
    found = report("[junitlauncher] Running demo.ATest", red, SUCCESS)
    assert (counts(found), found.reasons) == ((0, 1, 0, 0), ("line 2: 1 failed or broke",))
