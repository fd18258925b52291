"""minitest 5, Rails, minitest-reporters and test-unit 3, in their wording; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.minitest import MinitestReader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run ruby test.rb"
START = "Run options: --seed 45564"
FINISHED = "Finished in 0.000481s, 4158.9812 runs/s, 4158.9812 assertions/s."
TOTALS = "3 runs, 4 assertions, 0 failures, 0 errors, 1 skips"
GREEN = (START, "", "# Running:", "", "..S", "", FINISHED, "", TOTALS)
UNIT = (
    "Loaded suite test/unit",
    "Started",
    "Finished in 0.015028161 seconds.",
    "-------",
    "9 tests, 5 assertions, 1 failures, 2 errors, 1 pendings, 2 omissions, 0 notifications",
)


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(*GREEN)
    one = Summary("minitest", 9, TOTALS, 2, 0, 0, 1, green=True)
    assert found == LogReport("minitest", 2, 0, 0, 1, True, True, (one,), 9, False, ())


@pytest.mark.parametrize(
    ("totals", "expected", "green"),
    [
        ("4 runs, 2 assertions, 1 failures, 1 errors, 1 skips", (1, 1, 1, 1), False),
        ("2 tests, 2 assertions, 0 failures, 0 errors, 0 skips", (2, 0, 0, 0), True),
        ("0 runs, 0 assertions, 0 failures, 0 errors, 0 skips", (0, 0, 0, 0), False),
        ("2 runs, 0 assertions, 0 failures, 0 errors, 2 skips", (0, 0, 0, 2), False),
        ("3 runs, 3 assertions, 0 failures, 1 errors, 0 skips", (2, 0, 1, 0), False),
        ("5 tests, 2 assertions, 0 failures, 0 errors, 1 pendings, 1 omissions, 3 notifications", (3, 0, 0, 2), True),
    ],
)
@pytest.mark.parametrize(
    "start",
    [
        START,
        "Run options: -n /cart/ --seed 1",
        "Run options: -v --seed 1",
        "Started with run options --seed 35535",
        "Started with run options -v --seed 1",
        "# Running tests with run options --seed 62347:",
        "Loaded suite /project/test",
        "x",
    ],
)
def test_totals(totals: str, expected: tuple[int, ...], green: bool, start: str) -> None:
    for finished in (FINISHED, "Finished tests in 0.000622s, 4820.2605 tests/s", "Finished in 0.00107s"):
        found = report(start, finished, totals)
        assert (counts(found), found.green, found.complete) == (expected, green, True)


def test_test_unit_has_its_own_name() -> None:
    found = report(*UNIT)
    assert (found.runner, counts(found)) == ("test-unit", (3, 1, 2, 3))


@pytest.mark.parametrize(
    "line",
    [
        "3 runs, 4 assertions, 0 failures, 0 errors",
        "3 runs, 4 assertions, 0 failures, 0 errors, 0 skips, 1 lost",
        " 3 runs, 4 assertions, 0 failures, 0 errors, 0 skips",
        "3 specs, 4 assertions, 0 failures, 0 errors, 0 skips",
        "1234567890 runs, 4 assertions, 0 failures, 0 errors, 0 skips",
    ],
)
def test_lines_that_are_no_totals(line: str) -> None:
    assert report(FINISHED, line).runner is None


def test_totals_follow_the_time() -> None:
    assert report(TOTALS).runner is None
    noise = "9 runs, 9 assertions, 0 failures, 0 errors, 0 skips"
    assert report(START, noise, *GREEN[1:], noise).passed == 2


@pytest.mark.parametrize("end", ["", GROUP])
def test_a_run_that_does_not_close(end: str) -> None:
    found = report("x", START, "# Running:", "..", end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 2: the run of tests has no summary"
    several = report("x", START, *GREEN, START, end)
    assert (several.green, several.reasons) == (False, ("line 2: 2 runs of tests have no summary",))


@pytest.mark.parametrize(
    "line", ["Run options: include {:a=>true}", "Started", "Started with run options", "Loaded suite"]
)
def test_lines_that_start_nothing(line: str) -> None:
    assert "the run of tests has no summary" not in str(report(line, "x").reasons)


def test_runs_in_one_step() -> None:
    assert (report(*GREEN, *GREEN).green, report(*GREEN, *GREEN).passed) == (True, 4)
    found = report(*UNIT, *GREEN)
    assert ([one.green for one in found.summaries], found.runner) == ([False, True], "test-unit, minitest")


def test_processes_side_by_side() -> None:
    found = report(
        START, START, FINISHED, FINISHED, TOTALS, TOTALS, "6 runs, 8 assertions, 0 failures, 0 errors, 2 skips"
    )
    assert (found.passed, found.green, found.complete) == (4, True, True)


def test_more_summaries_than_runs() -> None:
    found = report(START, FINISHED, TOTALS, FINISHED, TOTALS)
    assert (found.green, found.reasons) == (False, ("line 5: 2 summaries for 1 runs: not all are real",))
    assert report(START, FINISHED, TOTALS, GROUP, FINISHED, TOTALS).green is True


def test_an_interrupted_run() -> None:
    for line in (".Interrupted. Exiting...", "Interrupted. Exiting..."):
        found = report(START, line, FINISHED, TOTALS)
        one = found.summaries[0]
        assert (found.green, one.interrupted, one.reasons) == (
            False,
            True,
            ("the run was interrupted before its end",),
        )
        assert [one.interrupted for one in report(START, line, FINISHED, TOTALS, *GREEN).summaries] == [True, False]
    assert report(START, "Interrupted. Exiting...", GROUP, FINISHED, TOTALS).summaries[0].interrupted is False


def test_a_line_that_it_did_not_ask_for() -> None:
    reader = MinitestReader()
    reader.feed(1, "hello")
    reader.boundary()
    assert reader.finish() == Reading((), ())


def test_hostile_lines() -> None:
    for line in ("1 runs, " * 120_000, "Run options: " * 80_000, "Finished in " * 80_000, "Interrupted. " * 80_000):
        assert report(START, line, FINISHED, TOTALS).passed == 2


def test_a_run_in_which_nothing_passed_is_red_by_itself() -> None:
    found = report(START, FINISHED, "1 runs, 0 assertions, 0 failures, 0 errors, 1 skips", *GREEN)
    assert (found.green, found.reasons) == (False, ("line 3: no test passed",))
