"""karma's lines of browsers, its total, and karma-mocha-reporter's summary; browsers and numbers are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

START = "30 11 2026 00:58:28.552:INFO [karma-server]: Karma v6.4.4 server started at http://localhost:9876/"
CHROME = "Chrome Headless 120.0.0.0 (Linux x86_64)"
TIME = "(0.053 secs / 0.011 secs)"
GREEN = f"{CHROME}: Executed 3 of 3 SUCCESS {TIME}"
UNFINISHED = "the browser did not finish"
SUMS = "the browsers do not add up to the total"


def test_a_green_run_wholly() -> None:
    one = Summary("karma", 2, GREEN, 3, 0, 0, 0, green=True)
    found = report(START, GREEN, "TOTAL: 3 SUCCESS")
    assert found == LogReport("karma", 3, 0, 0, 0, True, True, (one,), 3, False, ())


@pytest.mark.parametrize(
    ("line", "expected", "green"),
    [
        (f"Executed 5 of 6 (1 FAILED) (skipped 1) {TIME}", (4, 1, 0, 1), False),
        (f"Executed 2 of 4 (skipped 2) SUCCESS {TIME}", (2, 0, 0, 2), True),
        (f"Executed 0 of 2 (skipped 2) SUCCESS {TIME}", (0, 0, 0, 2), False),
        (f"Executed 0 of 0 SUCCESS {TIME}", (0, 0, 0, 0), False),
        (f"Executed 1 of 1 ERROR {TIME}", (1, 0, 1, 0), False),
        ("Executed 0 of 0 ERROR (0 secs / 0 secs)", (0, 0, 1, 0), False),
        ("Executed 1 of 2 DISCONNECTED (3.014 secs / 0.003 secs)", (1, 0, 1, 0), False),
        ("Executed 3 of 3 SUCCESS (2 mins 1.5 secs / 1 min 2 secs)", (3, 0, 0, 0), True),
        (f"Executed 1 of 1 (2 FAILED) {TIME}", (0, 2, 0, 0), False),
    ],
)
def test_browsers(line: str, expected: tuple[int, ...], green: bool) -> None:
    one = only(f"Firefox 1.0 (Linux): {line}")
    assert (counts(one), one.green) == (expected, green)


@pytest.mark.parametrize(
    "line",
    [
        "Chrome: Executed 3 of 3",
        "Chrome: Executed 3 of 3 SUCCESS",
        "Chrome: Executed 3 of 3 SUCCESS (0 secs / 0.011 secs)",
        f"Chrome: Executed 2 of 3 SUCCESS {TIME}",
        f"Chrome: Executed 2 of 4 (skipped 1) SUCCESS {TIME}",
        f"Chrome: Executed 4 of 3 SUCCESS {TIME}",
    ],
)
def test_a_browser_that_does_not_finish(line: str) -> None:
    found = report(line)
    assert (found.complete, found.green, found.reasons[0]) == (False, False, f"line 1: {UNFINISHED}")
    assert found.passed == int(line.split()[2])


@pytest.mark.parametrize(
    "line",
    [
        ": Executed 3 of 3 SUCCESS",
        "Chrome: Executed 3 of three",
        f"Chrome: Executed 3 of 3 (FAILED) {TIME}",
        "TOTAL: 3 SUCCESS",
        "✔ 4 tests completed",
        "Executed 3 of 3 SUCCESS",
    ],
)
def test_lines_that_say_nothing_alone(line: str) -> None:
    assert report(line).runner is None


def test_the_last_line_of_a_browser_counts() -> None:
    drawn = [f"{CHROME}: Executed {number} of 3 SUCCESS (0 secs / 0.005 secs)" for number in range(4)]
    one = only(START, *drawn, GREEN, GREEN, "TOTAL: 3 SUCCESS")
    assert (counts(one), one.line) == ((3, 0, 0, 0), 7)
    cursor = "\x1b[1A\x1b[2K"
    assert only(START, *(cursor + line for line in drawn), cursor + GREEN).green is True


def test_several_browsers() -> None:
    other = f"Firefox: Executed 3 of 3 (1 FAILED) {TIME}"
    found = report(START, GREEN, other, "TOTAL: 1 FAILED, 5 SUCCESS")
    assert (counts(found), found.green) == ((5, 1, 0, 0), False)
    assert [one.green for one in found.summaries] == [True, False]


@pytest.mark.parametrize("total", ["TOTAL: 2 SUCCESS", "TOTAL: 4 SUCCESS", "TOTAL: 1 FAILED, 3 SUCCESS"])
def test_a_total_of_other_numbers(total: str) -> None:
    assert only(GREEN, total).reasons == (SUMS,)
    printed = f"Fake: Executed 250 of 250 SUCCESS {TIME}"
    assert [one.reasons for one in report(printed, GREEN, "TOTAL: 3 SUCCESS").summaries] == [(SUMS,), (SUMS,)]


def test_each_run_by_itself() -> None:
    assert report(START, GREEN, START, GREEN).passed == 6
    assert report(START, GREEN, GROUP, GREEN).passed == 6
    again = f"{CHROME}: Executed 1 of 3 SUCCESS (0 secs / 0.005 secs)"
    assert report(START, GREEN, again, GREEN).passed == 6
    assert report(START, again, again.replace("1 of", "0 of"), GREEN).passed == 3


def test_a_run_without_results() -> None:
    for lines in ((START,), (START, GROUP, GREEN), (START, START, GREEN)):
        found = report(*lines)
        assert (found.complete, found.reasons[0]) == (False, "line 1: karma started, but no browser has results")


FINISHED = "Finished in 0.086 secs / 0.013 secs @ 00:59:22 GMT+0000 (Coordinated Universal Time)"


def test_the_mocha_reporter() -> None:
    one = only(START, FINISHED, "SUMMARY:", "✔ 4 tests completed", "ℹ 1 test skipped", "✖ 2 tests failed")
    assert (counts(one), one.line, one.text) == ((4, 2, 0, 1), 2, "SUMMARY:")
    assert only(START, FINISHED, "✔ 1 test completed").green is True
    assert only(START, FINISHED, "✔ 0 tests completed").green is False
    assert only(START, FINISHED, "√ 3 tests completed", "× 1 test failed", "i 1 test skipped").green is False


def test_the_mocha_reporter_needs_its_beginning() -> None:
    assert report(START, "✔ 4 tests completed").complete is False
    assert report(FINISHED, "✔ 4 tests completed").runner is None


def test_an_error_of_the_mocha_reporter() -> None:
    error = "✖ Error while running the tests! Exit code: 1"
    assert counts(only(START, FINISHED, "✔ 4 tests completed", error)) == (4, 0, 1, 0)
    found = report(START, error)
    assert (counts(found), found.complete) == ((0, 0, 1, 0), False)


def test_the_mocha_reporter_beside_another() -> None:
    found = report(START, GREEN, FINISHED, "✔ 3 tests completed")
    assert (found.green, counts(found)) == (True, (3, 0, 0, 0))
    assert [one.counted for one in found.summaries] == [True, False]
