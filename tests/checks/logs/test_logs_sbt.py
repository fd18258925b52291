"""sbt 0.13 to 2 with specs2, ScalaTest, ScalaCheck, munit and JUnit, in their wording; the projects are made up."""

from __future__ import annotations

import pytest

from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary
from checks.logs.sbt import SbtReader

PASSED = "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3"
RED = "[error] Failed: Total 4, Failed 1, Errors 1, Passed 2"
SCALATEST = (
    "[info] Run completed in 771 milliseconds.",
    "[info] Total number of tests run: 3",
    "[info] Suites: completed 1, aborted 0",
    "[info] Tests: succeeded 3, failed 0, canceled 0, ignored 0, pending 0",
    "[info] All tests passed.",
)
RED_SCALATEST = (
    "[info] Suites: completed 2, aborted 1",
    "[info] Tests: succeeded 5, failed 2, canceled 1, ignored 3, pending 4",
    "[info] *** 1 SUITE ABORTED ***",
    "[info] *** 2 TESTS FAILED ***",
)
SUCCESS = "[success] Total time: 4 s, completed 21 Sept 2021, 23:10:37"
ERROR = "[error] Total time: 4 s, completed 21 Sept 2021, 23:10:37"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_command_wholly() -> None:
    found = report("[info] compiling", PASSED, SUCCESS)
    one = Summary("sbt", 2, PASSED, 3, 0, 0, 0, green=True)
    assert found == LogReport("sbt", 3, 0, 0, 0, True, True, (one,), 3, False, ())


def test_a_red_command() -> None:
    found = report(RED, "[error] Failed tests:", "[error] (core / Test / test) sbt.TestsFailedException", ERROR)
    assert (counts(found), found.green, found.reasons) == ((2, 1, 1, 0), False, ("line 1: 2 failed or broke",))


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        ("[info] Passed: Total 5, Failed 0, Errors 0, Passed 4, Skipped 1, Ignored 2", (4, 0, 0, 3), True),
        ("[info] Passed: Total 4, Failed 0, Errors 0, Passed 4, Canceled 1, Pending 2", (4, 0, 0, 3), True),
        ("[error] Error: Total 2, Failed 0, Errors 1, Passed 1", (1, 0, 1, 0), False),
        ("\x1b[0m[\x1b[0minfo\x1b[0m] \x1b[0mPassed: Total 2, Failed 0, Errors 0, Passed 2\x1b[0m", (2, 0, 0, 0), True),
        ("[info] Passed: Total 0, Failed 0, Errors 0, Passed 0", (0, 0, 0, 0), False),
        ("[info] Passed: Total 1, Failed 0, Errors 0, Passed 0, Skipped 1", (0, 0, 0, 1), False),
        ("[info] Passed: Total 5, Failed 0, Errors 0, Passed 4", (4, 0, 0, 0), False),
        ("[info] Passed: Total 3, Failed 0, Errors 0, Passed 4", (4, 0, 0, 0), False),
        ("[error] Failed: Total 4, Failed 0, Errors 0, Passed 4", (4, 0, 0, 0), False),
    ],
)
def test_sbts_own_line(line: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(line, SUCCESS)
    assert (counts(found), found.green, found.complete) == (expected, green, True)


def test_reasons() -> None:
    assert report("[error] Failed: Total 4, Failed 0, Errors 0, Passed 4", SUCCESS).reasons == (
        "line 1: the counts name no failure, but their headline does",
    )
    assert report("[info] Passed: Total 5, Failed 0, Errors 0, Passed 4", SUCCESS).reasons == (
        "line 1: the counts do not add up to their total",
    )


@pytest.mark.parametrize(
    "line",
    [
        "Passed: Total 3, Failed 0, Errors 0, Passed 3",
        "[info] x Passed: Total 3, Failed 0, Errors 0, Passed 3",
        "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3, Lost 1",
        "[info] Passed: Total 1234567890, Failed 0, Errors 0, Passed 3",
        "[info] Tests: succeeded 3, failed 0",
        "[info] Test run finished: 0 failed, 0 ignored, 1 total, 2.375s",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    assert report(line, SUCCESS).runner is None
    assert report(line).runner is None


def test_projects_are_added_up() -> None:
    found = report(PASSED, PASSED, *SCALATEST, SUCCESS)
    assert (counts(found), found.green, len(found.summaries)) == ((9, 0, 0, 0), True, 3)


def test_a_project_without_tests_says_nothing_of_the_others() -> None:
    none = "[info] No tests to run for core / Test / test"
    assert report(none, PASSED, SUCCESS).green is True
    found = report(none, SUCCESS)
    assert (counts(found), found.green, found.complete) == ((0, 0, 0, 0), False, True)
    assert found.summaries == (Summary("sbt", 1, "No tests to run", 0, 0, 0, 0, green=None),)


def test_scalatest() -> None:
    found = report(*SCALATEST, SUCCESS)
    assert (counts(found), found.green, found.runner) == ((3, 0, 0, 0), True, "sbt")
    red = report(*RED_SCALATEST, ERROR)
    assert (counts(red), red.green, red.reasons) == ((5, 2, 1, 8), False, ("line 2: 3 failed or broke",))


def test_scalatest_without_sbt() -> None:
    plain = tuple(line.removeprefix("[info] ") for line in SCALATEST)
    found = report("Run starting. Expected test count is: 3", *plain)
    assert (counts(found), found.green, found.runner, found.complete) == ((3, 0, 0, 0), True, "scalatest", True)
    cut = report(*plain[:-1])
    assert (cut.green, cut.complete, cut.reasons) == (False, False, ("line 3: the run of ScalaTest has no verdict",))
    assert report(*plain, *plain).passed == 6
    red = report(*(line.removeprefix("[info] ") for line in RED_SCALATEST), *plain)
    assert (counts(red), red.green) == ((8, 2, 1, 8), False)
    assert report("*** 1 SUITE ABORTED ***", *plain).green is False


def test_a_verdict_that_the_counts_deny() -> None:
    found = report(*SCALATEST[:-1], "[info] *** 1 TEST FAILED ***", SUCCESS)
    assert found.reasons == ("line 5: ScalaTest says that something failed, but its counts do not",)
    for words in ("2 SUITES ABORTED", "3 TESTS FAILED", "1 SUITE ABORTED", "RUN ABORTED"):
        assert report(*SCALATEST, f"[info] *** {words} ***", SUCCESS).green is False
    for noise in ("[info] *** FAILED ***", "[info] - adds *** FAILED ***", "*** STARS ***"):
        assert report(noise, *SCALATEST, SUCCESS).green is True


def test_aborted_suites_belong_to_the_next_counts() -> None:
    found = report(*RED_SCALATEST[:2], *SCALATEST[3:], SUCCESS)
    assert [one.errors for one in found.summaries] == [1, 0]


def test_several_frameworks_of_a_project() -> None:
    scalacheck = ("[info] ScalaCheck", "[info] Passed: Total 2, Failed 0, Errors 0, Passed 2")
    both = ("[info] ScalaTest", *SCALATEST, "[info] Passed: Total 5, Failed 0, Errors 0, Passed 5")
    found = report(*scalacheck, *both, SUCCESS)
    assert ([one.counted for one in found.summaries], found.passed) == ([False, False, True], 5)
    assert report(*scalacheck, *both, *SCALATEST, SUCCESS).passed == 8
    assert report(*scalacheck, PASSED, PASSED, SUCCESS).passed == 6


def test_sbts_line_with_the_counts_of_the_framework_before_it() -> None:
    assert report(*SCALATEST, PASSED, SUCCESS).passed == 3
    assert report(*SCALATEST, PASSED, PASSED, SUCCESS).passed == 6
    assert report(*SCALATEST, PASSED.replace("3", "4"), SUCCESS).passed == 7
    other = "[error] Failed: Total 4, Failed 1, Errors 0, Passed 3"
    assert counts(report(*SCALATEST, other, ERROR)) == (6, 1, 0, 0)


def test_specs2_is_counted_by_sbt() -> None:
    specs2 = "[info] 3 examples, 0 failure, 0 error"
    assert counts(report(specs2, PASSED, SUCCESS)) == (3, 0, 0, 0)
    assert report("[info] 1 example, 4 expectations, 0 failures, 0 errors", PASSED, SUCCESS).green is True
    found = report("x", specs2, SUCCESS)
    assert (found.complete, found.reasons[0]) == (False, "line 2: counts of specs2 without those of sbt")
    cut = report("x", specs2)
    assert (cut.complete, cut.reasons[0]) == (False, "line 2: the sbt command has no closing line")
    assert report("[info] 3 examples, 0 failures", "x").runner is None


def test_sbt_2_counts_suites() -> None:
    found = report("[info] passed: total 4, failed 0, errors 0, passed 4, cached 0", "[success] elapsed time: 1 s")
    assert (found.passed, found.green, found.complete, found.summaries[0].cached) == (None, None, True, False)
    assert report("[info] passed: total 4, failed 0, errors 0, passed 4", "[success] elapsed: 1 s").green is None
    cached = report("[info] passed: total 4, failed 0, errors 0, passed 4, cached 2", "[success] elapsed: 1 s")
    assert (cached.green, cached.summaries[0].cached) == (False, True)
    assert cached.reasons[0] == "line 1: results of suites came from the cache"
    red = report("[error] failed: total 4, failed 1, errors 2, passed 1, cached 0", ERROR)
    assert (red.green, red.failed, red.errors) == (False, 1, 2)


def test_a_command_that_fails_before_its_tests() -> None:
    found = report("[error] (Test / compileIncremental) Compilation failed", ERROR)
    assert (counts(found), found.green, found.complete) == ((0, 0, 1, 0), False, True)
    assert found.reasons == ("line 2: the sbt command failed before its tests",)


def test_a_command_that_fails_beside_its_tests() -> None:
    found = report(PASSED, ERROR)
    assert (counts(found), found.green, found.reasons) == ((3, 0, 0, 0), False, ("line 2: the sbt command failed",))


def test_commands_in_one_step() -> None:
    assert report(SUCCESS, PASSED, SUCCESS, SUCCESS).green is True
    found = report(RED, ERROR, PASSED, SUCCESS)
    assert ([one.green for one in found.summaries], found.green, found.passed) == ([False, True], False, 5)
    assert report(SUCCESS).runner is None


@pytest.mark.parametrize("end", ["", "##[group]Run next"])
def test_a_command_that_does_not_close(end: str) -> None:
    for lines in ((PASSED,), SCALATEST[3:]):
        found = report("x", *lines, end)
        assert (found.green, found.complete, found.passed) == (False, False, 3)
        assert found.reasons == ("line 2: the sbt command has no closing line",)


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = SbtReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    more = ", Skipped 1" * 90_000
    for line in (f"{PASSED}{more}", "[info] " * 140_000, "*** " * 250_000, "Tests: succeeded " * 60_000):
        assert report(line, PASSED, SUCCESS).passed == 3


def test_suites_of_sbt_2_that_pass_break_nothing() -> None:
    found = report("[info] passed: total 4, failed 0, errors 0, passed 4, cached 0", SUCCESS)
    assert (found.failed, found.errors, found.skipped, found.summaries[0].reasons) == (0, 0, None, ())
