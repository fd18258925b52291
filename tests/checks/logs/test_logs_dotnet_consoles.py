"""The consoles of xUnit.net 2 and 3, and of NUnit 2 and 3, in their wording; the assemblies are made up."""

from __future__ import annotations

import pytest

from checks.logs.dotnet_consoles import DotnetConsoleReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run nunit3-console"
XUNIT = "xUnit.net v3 In-Process Runner v2.0.3+216a74a292 (64-bit .NET 8.0.17)"
HEADLINE = "=== TEST EXECUTION SUMMARY ==="
ASSEMBLY = "   Shop.Tests  Total: 5, Errors: 0, Failed: 0, Skipped: 1, Not Run: 1, Time: 0.054s"
NUNIT_2 = "NUnit-Console version 2.6.4.0"
NUNIT_3 = "NUnit Console Runner 3.16.3 (.NET 6)"
COUNTS_3 = "  Test Count: 6, Passed: 3, Failed: 0, Warnings: 0, Inconclusive: 1, Skipped: 2"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(XUNIT, "  Finished:    Shop.Tests", HEADLINE, ASSEMBLY)
    one = Summary("xunit", 4, ASSEMBLY.strip(), 3, 0, 0, 1, green=True)
    assert found == LogReport("xunit", 3, 0, 0, 1, True, True, (one,), 4, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        ("   A  Total: 3, Errors: 0, Failed: 1, Skipped: 0, Time: 0.203s", (2, 1, 0, 0), False),
        ("   A  Total: 3, Errors: 2, Failed: 0, Skipped: 1, Time: 0,203s", (2, 0, 2, 1), False),
        ("   A  Total: 0, Errors: 0, Failed: 0, Skipped: 0, Time: 1s", (0, 0, 0, 0), False),
        ("   A  Total:  12, Errors:   0, Failed:   0, Skipped:   2, Time: 1s", (10, 0, 0, 2), True),
    ],
)
@pytest.mark.parametrize("start", [XUNIT, "xUnit.net Console Runner v2.4.1 (64-bit .NET 4.6.2)"])
def test_xunit(start: str, line: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(start, HEADLINE, line)
    assert (counts(found), found.green, found.complete, found.runner) == (expected, green, True, "xunit")


def test_assemblies_are_added_up_and_their_total_is_not() -> None:
    total = "GRAND TOTAL:  Total: 10, Errors: 0, Failed: 0, Skipped: 2, Time: 0.1s (0.2s)"
    found = report(XUNIT, HEADLINE, ASSEMBLY, ASSEMBLY, "  -----", total)
    assert (counts(found), found.green) == ((6, 0, 0, 2), True)
    red = report(XUNIT, HEADLINE, ASSEMBLY, "   A  Total: 3, Errors: 0, Failed: 1, Skipped: 0, Time: 0.203s")
    assert red.reasons == ("line 4: 1 failed or broke",)


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        (COUNTS_3, (3, 0, 0, 2), True),
        ("Test Count: 6, Pass: 3, Fail: 1, Warn: 0, Inconclusive: 0, Skip: 2", (3, 1, 0, 2), False),
        ("  Test Count: 6, Passed: 3, Failed: 0, Inconclusive: 0, Skipped: 3", (3, 0, 0, 3), True),
        ("  Test Count: 2, Passed: 0, Failed: 0, Warnings: 0, Inconclusive: 0, Skipped: 2", (0, 0, 0, 2), False),
    ],
)
@pytest.mark.parametrize("start", [NUNIT_3, "NUnit Console 3.20.0+b6fc1dd (Release)"])
def test_nunit_3(start: str, line: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(start, "Test Run Summary", line)
    assert (counts(found), found.green, found.complete, found.runner) == (expected, green, True, "nunit")


@pytest.mark.parametrize("result", ["Failed", "Failure", "Error", "Invalid", "Cancelled"])
def test_the_overall_result_speaks_against_the_counts(result: str) -> None:
    found = report(NUNIT_3, f"  Overall result: {result}", COUNTS_3)
    assert found.reasons == (f"line 3: the overall result is {result}",)
    red = COUNTS_3.replace("Failed: 0", "Failed: 1")
    assert report(NUNIT_3, f"  Overall result: {result}", red).reasons == ("line 3: 1 failed or broke",)
    for good in ("Passed", "Warning", "Skipped"):
        assert report(NUNIT_3, f"  Overall result: {good}", COUNTS_3).green is True


@pytest.mark.parametrize(
    ("first", "second", "expected", "green"),
    [
        ((4, 1, 1, 1), (1, 0), (1, 1, 1, 1), False),
        ((4, 0, 0, 0), (3, 0), (4, 0, 0, 3), True),
        ((4, 0, 0, 0), (3, 1), (4, 0, 1, 2), False),
        ((4, 0, 0, 0), (0, 1), (4, 0, 1, 0), False),
        ((0, 0, 0, 0), (2, 0), (0, 0, 0, 2), False),
        ((2, 0, 0, 2), (0, 0), (0, 0, 0, 0), False),
    ],
)
def test_nunit_2(first: tuple[int, ...], second: tuple[int, ...], expected: tuple[int, ...], green: bool) -> None:
    run, errors, failures, inconclusive = first
    line = f"Tests run: {run}, Errors: {errors}, Failures: {failures}, Inconclusive: {inconclusive}, Time: 0.05 seconds"
    rest = f"  Not run: {second[0]}, Invalid: {second[1]}, Ignored: {second[0]}, Skipped: 0"
    found = report(NUNIT_2, line, rest)
    assert (counts(found), found.green, found.complete, found.runner) == (expected, green, True, "nunit")
    assert (found.summaries[0].line, found.summaries[0].text) == (2, line)
    cut = report(NUNIT_2, line)
    assert (cut.green, cut.complete) == (False, False)


@pytest.mark.parametrize("start", [XUNIT, NUNIT_2, NUNIT_3])
@pytest.mark.parametrize("end", ["", GROUP, NUNIT_3])
def test_a_run_that_does_not_close(start: str, end: str) -> None:
    found = report("x", start, "...", end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the console of the runner printed no summary"


@pytest.mark.parametrize(
    "lines",
    [
        (HEADLINE, ASSEMBLY),
        (COUNTS_3,),
        ("Tests run: 4, Errors: 1, Failures: 1, Inconclusive: 1, Time: 0.1 seconds", "  Not run: 1, Invalid: 0"),
        ("xUnit.net is a tool", HEADLINE, ASSEMBLY),
        ("xUnit.net v3 Microsoft.Testing.Platform Runner v3.1.0+03a071627b (64-bit .NET 10.0.11)", HEADLINE, ASSEMBLY),
    ],
)
def test_lines_that_say_nothing_alone(lines: tuple[str, ...]) -> None:
    assert report(*lines, "x").runner is None


@pytest.mark.parametrize(
    "lines",
    [
        (ASSEMBLY,),
        (HEADLINE, ASSEMBLY[3:]),
        (HEADLINE, "   A  Total: 1234567890, Errors: 0, Failed: 0, Skipped: 0, Time: 1s"),
    ],
)
def test_lines_that_are_no_assembly(lines: tuple[str, ...]) -> None:
    assert report(XUNIT, *lines).summaries == ()


def test_lines_of_the_other_console() -> None:
    assert report(XUNIT, COUNTS_3, HEADLINE, ASSEMBLY).passed == 3
    assert report(NUNIT_3, HEADLINE, ASSEMBLY, COUNTS_3).passed == 3
    rest = "  Not run: 1, Invalid: 0, Ignored: 1, Skipped: 0"
    assert report(NUNIT_2, rest).complete is False


def test_runs_in_one_step() -> None:
    found = report(XUNIT, HEADLINE, ASSEMBLY, NUNIT_3, COUNTS_3, XUNIT, HEADLINE, ASSEMBLY)
    assert (found.passed, found.green, found.complete, found.runner) == (9, True, True, "xunit, nunit")
    assert report(NUNIT_3, COUNTS_3, COUNTS_3).passed == 3


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = DotnetConsoleReader()
    for start in (XUNIT, NUNIT_3):
        reader.feed(1, start)
        reader.feed(2, "hello")
    reader.boundary()
    assert [one.runner for one in reader.finish().unfinished] == ["xunit", "nunit"]
    assert DotnetConsoleReader().finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("   A  Total: 1, Errors: " * 40_000, "Test Count: " * 80_000, "xUnit.net Console " * 50_000):
        assert report(XUNIT, line, HEADLINE, ASSEMBLY).passed == 3


def test_a_run_of_nunit_2_closes_once() -> None:
    line = "Tests run: 4, Errors: 0, Failures: 0, Inconclusive: 0, Time: 0.05 seconds"
    rest = "  Not run: 1, Invalid: 0, Ignored: 1, Skipped: 0"
    assert report(NUNIT_2, line, rest, line, rest).passed == 4
