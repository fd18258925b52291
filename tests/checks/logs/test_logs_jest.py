"""jest's default reporter in the wording of jest 27 to 30; the suites are made up."""

from __future__ import annotations

import pytest

from checks.logs.jest import JestReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run npm test"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def summary(suites: str, tests: str, snapshots: str = "0 total") -> tuple[str, ...]:
    return (
        f"Test Suites: {suites}",
        f"Tests:       {tests}",
        f"Snapshots:   {snapshots}",
        "Time:        0.36 s",
        "Ran all test suites.",
    )


GREEN = summary("1 passed, 1 total", "2 passed, 2 total")


def test_a_green_run_wholly() -> None:
    found = report("PASS j/ok.test.js", "", *GREEN)
    one = Summary("jest", 3, "Tests:       2 passed, 2 total", 2, 0, 0, 0, green=True)
    assert found == LogReport("jest", 2, 0, 0, 0, True, True, (one,), 7, False, ())


@pytest.mark.parametrize(
    ("suites", "tests", "expected", "green"),
    [
        ("23 passed, 23 total", "218 passed, 218 total", (218, 0, 0, 0), True),
        ("1 failed, 12 passed, 13 total", "1 failed, 3 skipped, 431 passed, 435 total", (431, 1, 0, 3), False),
        ("1 skipped, 4 passed, 4 of 5 total", "2 skipped, 9 passed, 11 total", (9, 0, 0, 2), True),
        ("4 passed, 4 of 5 total", "9 passed, 9 total", (9, 0, 0, 0), False),
        ("1 passed, 1 total", "1 todo, 2 passed, 3 total", (2, 0, 0, 0), True),
        ("1 passed, 1 total", "2 passed, 3 total", (2, 0, 0, 0), False),
        ("1 passed, 1 total", "3 passed, 2 total", (3, 0, 0, 0), False),
        ("1 skipped, 0 of 1 total", "2 skipped, 2 total", (0, 0, 0, 2), False),
        ("1 passed, 2 total", "2 passed, 2 total", (2, 0, 0, 0), False),
        ("0 total", "0 total", (0, 0, 0, 0), False),
        ("1 failed, 1 total", "0 total", (0, 0, 1, 0), False),
        ("2 failed, 1 passed, 3 total", "2 passed, 2 total", (2, 0, 2, 0), False),
        ("1 passed, 1 total", "1 failed, 1 passed, 2 total", (1, 1, 0, 0), False),
    ],
)
def test_summaries(suites: str, tests: str, expected: tuple[int, ...], green: bool) -> None:
    found = report(*summary(suites, tests))
    assert (counts(found), found.green, found.complete, found.runner) == (expected, green, True, "jest")


def test_reasons() -> None:
    assert report(*summary("1 failed, 1 total", "1 passed, 1 total")).reasons == (
        "line 1: tests, suites or snapshots failed",
    )
    assert report(*summary("1 passed, 1 total", "1 passed, 2 total")).reasons == (
        "line 1: the parts of the summary do not add up to its totals: something did not run",
    )
    assert report(*summary("0 total", "0 total")).reasons == ("line 1: no test passed",)


def test_snapshots() -> None:
    assert report(*summary("1 passed, 1 total", "1 passed, 1 total", "1 failed, 1 total")).green is False
    assert report(*summary("1 passed, 1 total", "1 passed, 1 total", "1 obsolete, 1 passed, 1 total")).green is True


@pytest.mark.parametrize(
    "line",
    [
        "Test Suites: 1 passed",
        "Test Suites: passed, 1 total",
        "Test Suites: 1 passed; 1 total",
        "Test Suites: 1234567890 total",
        " Test Suites: 1 total",
        "Tests:       1 passed, 1 total",
        "Tests: 3, Assertions: 3, Failures: 1.",
        "Time:        1 s",
        "PASS a.test.js",
        "FAIL a.test.js",
        "  ● Test suite failed to run",
        "No tests found",
    ],
)
def test_lines_that_say_nothing_alone(line: str) -> None:
    found = report(line, "Time: 1 s")
    assert (found.runner, found.green) == (None, None)


def test_tests_line_that_cannot_be_read_closes_nothing() -> None:
    found = report("Test Suites: 1 total", "Tests: many", "Time: 1 s")
    assert (found.green, found.complete, found.summaries) == (False, False, ())


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_a_cut_summary_is_not_green(length: int) -> None:
    found = report("x", *GREEN[:length])
    assert (found.green, found.complete) == ((False if length else None), False)
    if length:
        assert found.reasons[0] == "line 2: the summary is cut"
        assert counts(found) == ((2 if length > 1 else 0), 0, 0, 0)


def test_a_cut_summary_keeps_its_counts() -> None:
    cut = ("Test Suites: 1 total", "Tests: 1 failed, 2 skipped, 3 passed, 6 total")
    assert counts(report(*cut)) == (3, 1, 0, 2)
    assert counts(report(*cut, *GREEN)) == (5, 1, 0, 2)
    found = report(*cut, GROUP, "Time: 1 s")
    assert (found.complete, found.summaries) == (False, ())


def test_no_tests_found() -> None:
    for line in ("No tests found, exiting with code 0", "No tests found, exiting with code 1"):
        found = report(line)
        assert (counts(found), found.green, found.complete) == ((0, 0, 0, 0), False, True)
        assert found.summaries[0].reasons == ("no tests were found",)
        assert found.summaries[0].text == line


@pytest.mark.parametrize(
    "line",
    [
        "FAIL a.test.js",
        "FAIL src/a b.test.tsx (5.2 s)",
        "FAIL project src/a.spec.mjs (12 ms)",
        "FAIL a.test.js (5 s, 120 MB heap size)",
    ],
)
def test_a_fail_line_speaks_against_a_green_summary(line: str) -> None:
    found = report("x", line, "FAIL z.test.js", *GREEN)
    assert found.green is False
    assert found.summaries[0].reasons == ("the summary names no failure, but line 2 says FAIL",)


@pytest.mark.parametrize(
    "line", ["FAIL", "FAIL a", "xFAIL a.js", "FAIL: a.js", "PASS a.js", "FAIL a.js (x)", "Failed a.js"]
)
def test_noise_does_not_speak_against_green(line: str) -> None:
    assert report(line, *GREEN).green is True


def test_suites_that_do_not_load() -> None:
    broken = ("FAIL a.test.js", "  ● Test suite failed to run", "", "    Cannot find module 'x' from 'a.js'")
    other = ("FAIL b.test.js", "  ● Test suite failed to run", "    SyntaxError: y")
    red = summary("2 failed, 2 total", "1 failed, 1 total")
    assert counts(report(*broken, *other, *red)) == (0, 1, 2, 0)
    assert counts(report(*broken, *broken, *red)) == (0, 1, 1, 0)
    one = summary("1 failed, 1 total", "0 total")
    assert counts(report(*broken, *one, *broken, *one)) == (0, 0, 1, 0)
    assert [found.errors for found in report(*broken, *one, *other, *one).summaries] == [1, 1]


def test_causes_are_bounded() -> None:
    broken = [line for number in range(1002) for line in ("  ● Test suite failed to run", f"    Error {number}")]
    assert counts(report(*broken, *summary("1002 failed, 1002 total", "0 total"))) == (0, 0, 1000, 0)
    same = "x" * 296
    twice = ("  ● Test suite failed to run", f"    {same}1", "  ● Test suite failed to run", f"    {same}2")
    assert counts(report(*twice, *summary("2 failed, 2 total", "0 total"))) == (0, 0, 1, 0)
    other = ("  ● Test suite failed to run", f"    {same[:-1]}1", "  ● Test suite failed to run", f"    {same[:-1]}2")
    assert counts(report(*other, *summary("2 failed, 2 total", "0 total"))) == (0, 0, 2, 0)


def test_a_cause_ends_with_its_step() -> None:
    found = report("  ● Test suite failed to run", GROUP, *GREEN)
    assert (found.green, counts(found)) == (True, (2, 0, 0, 0))


@pytest.mark.parametrize("after", [True, False])
def test_missed_coverage(after: bool) -> None:
    line = 'Jest: "global" coverage threshold for statements (80%) not met: 50%'
    found = report(*GREEN, line) if after else report(line, *GREEN)
    assert found.green is False
    assert found.reasons == (f"line {6 if after else 1}: the coverage threshold was not met",)
    assert report("Jest: coverage threshold was met", *GREEN).green is True


DOUBT = "several summaries in one step, and the PASS and FAIL lines do not account for each"


def test_two_summaries_in_one_step() -> None:
    one = ("PASS a.test.js", *GREEN)
    assert report(*one, *one).passed == 4
    assert report(*one, *one).green is True
    for lines in ((*one, *GREEN), (*GREEN, *one), (*one, *one[:1], *one)):
        found = report(*lines)
        assert (found.green, found.summaries[1].reasons) == (False, (DOUBT,))
        assert found.summaries[0].reasons == ()
    assert report(*GREEN, GROUP, *GREEN).green is True
    assert report(*GREEN, GROUP, *one, *one).green is True
    red = ("FAIL a.test.js", *summary("1 failed, 1 total", "1 failed, 1 total"))
    assert report(*red, *one).summaries[1].reasons == ()
    nothing = "No tests found, exiting with code 0"
    assert report(nothing, *one).summaries[1].reasons == ()


def test_a_doubtful_red_summary_keeps_its_reason() -> None:
    red = summary("1 failed, 1 total", "1 failed, 1 total")
    assert report(*GREEN, *red).summaries[1].reasons == (
        "tests, suites or snapshots failed",
        "no test passed",
        DOUBT,
    )


def test_prefixes_of_compose_and_stamps() -> None:
    lines = (f"2022-06-23T08:24:49.2468694Z \x1b[36mtest_1  |\x1b[0m {line}" for line in GREEN)
    assert report(*lines).green is True


def test_long_lines_are_quoted_in_part() -> None:
    tests = "1 passed, " + "0 other, " * 60 + "1 total"
    assert report(*summary("1 passed, 1 total", tests)).summaries[0].text == f"Tests:       {tests}"[:300]
    assert len(report("No tests found, exiting with code 0" + "x" * 400).summaries[0].text) == 300


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = JestReader()
    assert not reader.feed(1, "anything")
    assert reader.finish() == Reading((), (), ())
