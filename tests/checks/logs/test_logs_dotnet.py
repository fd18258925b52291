"""`dotnet test` with VSTest, the terminal logger and Microsoft.Testing.Platform, in their wording."""

from __future__ import annotations

import pytest

from checks.logs.dotnet import DotnetReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run dotnet test"
START = "Test run for /project/A/bin/Debug/net8.0/A.Tests.dll (.NETCoreApp,Version=v8.0)"
GREEN = "Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13, Duration: 45 ms - A.Tests.dll (net8.0)"
RED = "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 1 m 31 s - A.Tests.dll (net8.0)"
TERMINAL = "Test summary: total: 17, failed: 0, succeeded: 16, skipped: 1, duration: 1.0s"
BROKEN = ("Test run summary: Failed!", "  /project/A.dll (net10.0) failed with 1 error(s)", "")
PLATFORM = (
    "Test run summary: Passed! - bin/Debug/A.Tests.dll (net10.0|x64)",
    "  total: 3",
    "  failed: 0",
    "  succeeded: 2",
)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(START, "A total of 1 test files matched the specified pattern.", "", GREEN)
    one = Summary("dotnet test", 4, GREEN, 12, 0, 0, 1, green=True)
    assert found == LogReport("dotnet test", 12, 0, 0, 1, True, True, (one,), 4, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        (GREEN, (12, 0, 0, 1), True),
        (f"  {RED}", (2, 1, 0, 0), False),
        ("Skipped! - Failed: 0, Passed: 0, Skipped: 3, Total: 3, Duration: 1 ms - A.dll (net8.0)", (0, 0, 0, 3), False),
        ("Passed! - Failed: 0, Passed: 3, Skipped: 0, Total: 3, Duration: 1s - A.dll (net8.0|x64)", (3, 0, 0, 0), True),
        ("Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3", (3, 0, 0, 0), True),
        ("Passed! - Failed: 0, Passed: 3, Skipped: 0, Total: 4, Duration: 1s - A.dll (net8.0)", (3, 0, 0, 0), False),
        ("Failed! - Failed: 0, Passed: 3, Skipped: 0, Total: 3, Duration: 1s - A.dll (net8.0)", (3, 0, 0, 0), False),
        (TERMINAL, (16, 0, 0, 1), True),
        ("Test summary: total: 17, failed: 1, succeeded: 16, skipped: 0, duration: 1.0s", (16, 1, 0, 0), False),
        ("Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0, duration: 1.0s", (0, 0, 0, 0), False),
        ("Total tests: 92. Passed: 84. Failed: 0. Skipped: 8.", (84, 0, 0, 8), True),
        ("Total tests: 3. Passed: 1. Failed: 1. Skipped: 1.", (1, 1, 0, 1), False),
        ("Total tests: Unknown. Passed: 2110. Failed: 0. Skipped: 210.", (2110, 0, 0, 210), False),
    ],
)
def test_summaries_on_one_line(line: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(line)
    assert (counts(found), found.green, found.complete) == (expected, green, True)


def test_reasons() -> None:
    assert report(RED).reasons == ("line 1: 1 failed or broke",)
    assert report("Total tests: Unknown. Passed: 3. Failed: 0. Skipped: 0.").reasons == (
        "line 1: the test run did not end",
    )
    short = "Passed! - Failed: 0, Passed: 3, Skipped: 0, Total: 4, Duration: 1s - A.dll (net8.0)"
    assert report(short).reasons == ("line 1: the counts do not add up to their total",)
    assert report("Failed! - Failed: 0, Passed: 3, Skipped: 0, Total: 3").reasons == (
        "line 1: the verdict is Failed!, but the counts name no failure",
    )


@pytest.mark.parametrize(
    ("lines", "expected", "green"),
    [
        (("Total tests: 5", "     Passed: 5", " Total time: 1.2 Seconds"), (5, 0, 0, 0), True),
        (("Total tests: 5", "     Passed: 2", "     Failed: 1", "    Skipped: 2"), (2, 1, 0, 2), False),
        (("Total tests: 2", "    Skipped: 2", " Total time: 1 Minutes"), (0, 0, 0, 2), False),
        (("Total tests: 5", "     Passed: 4"), (4, 0, 0, 0), False),
        (("Total tests: Unknown", "     Passed: 4"), (4, 0, 0, 0), False),
        (PLATFORM, (2, 0, 0, 0), False),
        ((*PLATFORM, "  skipped: 1", "  duration: 4s 282ms"), (2, 0, 0, 1), True),
        (("Test run summary: Zero tests ran", "  total: 0", "  failed: 0", "  succeeded: 0"), (0, 0, 0, 0), False),
        (
            ("Test run summary: Passed!", "  total: 1", "  failed: 0", "  succeeded: 1", "  skipped: 0"),
            (1, 0, 0, 0),
            True,
        ),
        (
            (*BROKEN, "  error: 1", "  total: 1", "  failed: 0", "  succeeded: 1", "  skipped: 0", "  duration: 1s"),
            (1, 0, 1, 0),
            False,
        ),
        (("Test run summary: Failed!", "  total: 1", "  failed: 0", "  succeeded: 1"), (1, 0, 0, 0), False),
        (("Test run summary: Aborted", "  total: 1", "  failed: 0", "  succeeded: 1"), (1, 0, 0, 0), False),
    ],
)
def test_summaries_on_several_lines(lines: tuple[str, ...], expected: tuple[int, ...], green: bool) -> None:
    for more in ((), (GROUP,), ("x",)):
        found = report(*lines, *more)
        assert (counts(found), found.green, found.complete) == (expected, green, True)
        assert (found.summaries[0].line, found.summaries[0].text) == (1, lines[0])


def test_the_verdict_of_the_platform() -> None:
    found = report(
        "Test run summary: Minimum expected tests policy violation, tests ran 1", "  total: 1", "  succeeded: 1"
    )
    assert found.reasons == ("line 1: the verdict is Minimum expected tests policy violation, tests ran 1",)
    red = report("Test run summary: Failed! - A.dll (net10.0|x64)", "  total: 1", "  failed: 1")
    assert red.reasons == ("line 1: 1 failed or broke",)


def test_an_unknown_total_is_an_interruption() -> None:
    assert report("Total tests: Unknown", "     Passed: 4").summaries[0].interrupted is True
    assert report("Total tests: 4", "     Passed: 4").summaries[0].interrupted is False


def test_parts_far_below_are_of_something_else() -> None:
    head = "Total tests: 5"
    assert report(head, *[""] * 29, "     Passed: 5").passed == 5
    assert report(head, *[""] * 30, "     Passed: 5").passed == 0


def test_blocks_follow_each_other() -> None:
    found = report("Total tests: 1", "     Passed: 1", "Total tests: 2", "     Passed: 2", GREEN)
    assert ([one.passed for one in found.summaries], found.green) == ([1, 2, 12], True)
    assert report(" Total time: 1.2 Seconds", "     Passed: 2").runner is None


def test_assemblies_are_added_up() -> None:
    other = START.replace("A.Tests.dll", "B.Tests.dll")
    found = report(START, other, GREEN, GREEN.replace("A.Tests", "B.Tests"))
    assert (counts(found), found.green, found.complete) == ((24, 0, 0, 2), True, True)
    skipped = "Skipped! - Failed: 0, Passed: 0, Skipped: 3, Total: 3, Duration: 1 ms - B.Tests.dll (net8.0)"
    assert report(START, other, GREEN, skipped).green is True


@pytest.mark.parametrize(
    "start",
    [
        START,
        "Test run for C:\\project\\bin\\A.Tests.dll(.NETCoreApp,Version=v3.1)",
        "  Test run for /project/A.Tests.exe (.NETFramework,Version=v4.8)",
    ],
)
@pytest.mark.parametrize("end", ["", GROUP])
def test_an_assembly_without_a_summary(start: str, end: str) -> None:
    name = "A.Tests.exe" if ".exe" in start else "A.Tests.dll"
    found = report("x", start, end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == f"line 2: the tests of {name} have no summary"
    assert report(start, GREEN.replace("A.Tests.dll", name)).complete is True
    assert report(start, GREEN.replace("A.Tests", "B.Tests")).complete is False
    assert report(start, "Total tests: 1", "     Passed: 1").complete is True
    assert report(start, TERMINAL).complete is True


def test_a_block_closes_the_oldest_run() -> None:
    other = START.replace("A.Tests.dll", "B.Tests.dll")
    found = report(START, other, "Total tests: 1", "     Passed: 1")
    assert found.reasons == ("line 2: the tests of B.Tests.dll have no summary",)


@pytest.mark.parametrize(
    "none",
    [
        "No test is available in /project/A/bin/Debug/net8.0/A.Tests.dll. Make sure that test discoverer is there",
        "No test matches the given testcase filter `Nope` in /project/A/bin/Debug/net8.0/A.Tests.dll",
        "No test matches the given testcase filter `Nope`",
    ],
)
def test_an_assembly_without_tests(none: str) -> None:
    found = report(START, none)
    assert (counts(found), found.green, found.complete) == ((0, 0, 0, 0), False, True)
    assert found.summaries == (Summary("dotnet test", 2, none, 0, 0, 0, 0, green=None),)
    other = START.replace("A.Tests.dll", "B.Tests.dll")
    assert report(START, other, none, GREEN.replace("A.Tests", "B.Tests")).green is True
    assert report(none).runner == "dotnet test"
    if "A.Tests" in none:
        assert report(other, START, none).reasons[0] == "line 1: the tests of B.Tests.dll have no summary"


@pytest.mark.parametrize("word", ["Failed", "Aborted", "Canceled"])
def test_a_red_verdict_after_green_counts(word: str) -> None:
    found = report(START, GREEN, f"Test Run {word}.")
    assert (found.green, found.reasons) == (False, (f"line 3: the verdict is Test Run {word}",))
    assert report(GREEN, "Test Run Aborted with error System.Exception: x.").green is False
    assert report("Test Run Successful.", "Total tests: 1", "     Passed: 1").green is True


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("The active test run was aborted. Reason: Test host process crashed", "the test run was aborted, or failed"),
        (
            "Test run completed with non-success exit code: 8 (see: https://aka.ms/x)",
            "the test run was aborted, or failed",
        ),
        ("Build FAILED.", "the build failed"),
        ("Build failed with 1 error(s) in 1.7s", "the build failed"),
    ],
)
def test_lines_that_speak_against_green(line: str, reason: str) -> None:
    for lines in ((GREEN, line), (GREEN, f"    {line}")):
        found = report(*lines)
        assert (found.green, len(found.reasons)) == (False, 1)
        assert found.reasons[0].startswith(f"line 2: {reason}")
    assert report(GREEN, "Build failed again", "Build succeeded in 1.1s").green is True


@pytest.mark.parametrize(
    "line",
    [
        "Passed! - Failed: none, Passed: 3, Skipped: 0, Total: 3",
        "x Passed! - Failed: 0, Passed: 3, Skipped: 0, Total: 3",
        "Test summary: 3 passed",
        "Total tests: 5 passed",
        "Total tests: 1234567890",
        "Test run for everyone",
        "     Passed: 5",
        "  Passed AdditionTest [3 ms]",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    assert report(line, "x").runner is None


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = DotnetReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in (
        "Failed: 1, Passed: " * 50_000,
        "Test run for " * 80_000,
        " " * 1_000_000 + "Passed: 1",
        GREEN * 9_000,
    ):
        assert report(line, GREEN).summaries[-1].passed == 12
