"""Catch2: version 2 as it runs, version 3 in the words of its `printTestRunTotals`; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.catch2 import Catch2Reader
from checks.logs.parse import parse_log
from checks.logs.report import LogReport, Reading, Summary

GROUP = "##[group]Run ./t"
CTEST = "Test project /project/b"
RULE = "=" * 79
FILTERS = "Filters: [cart]"
SEED = "Randomness seeded to: 2137410431"
BANNER = "shop_catch is a Catch v2.13.10 host application."
BANNER_3 = "shop_catch is a Catch2 v3.4.0 host application."
GOOD = "All tests passed (3 assertions in 2 test cases)"
BAD = "test cases: 6 | 3 passed | 1 failed | 2 failed as expected"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode() + b"\n")


def counts(found: LogReport) -> tuple[int | None, ...]:
    return (found.passed, found.failed, found.errors, found.skipped)


def test_a_green_run_wholly() -> None:
    found = report(FILTERS, RULE, GOOD)
    summary = Summary("catch2", 3, GOOD, 2, 0, 0, 0, green=True)
    assert found == LogReport("catch2", 2, 0, 0, 0, True, True, (summary,), 3, False, ())


@pytest.mark.parametrize(
    ("lines", "expected", "green", "reason"),
    [
        ((GOOD,), (2, 0, 0, 0), True, None),
        (("All tests passed (1 assertion in 1 test case)",), (1, 0, 0, 0), True, None),
        ((BANNER, RULE, BAD, "assertions: 7 | 4 passed | 1 failed"), (3, 1, 0, 0), False, "line 3: 1 failed"),
        (("test cases:  16 |  13 passed |   3 failed",), (13, 3, 0, 0), False, "line 1: 3 failed"),
        (("test cases: 3 | 2 passed | 1 skipped",), (2, 0, 0, 1), True, None),
        (("test cases: 1 | 1 skipped", "assertions: - none -"), (0, 0, 0, 1), False, "no package of the log has tests"),
        (("test cases: 4 | 1 passed | 1 failed | 1 skipped | 1 failed as expected",), (1, 1, 0, 1), False, None),
        (("test cases: 3 | 2 passed | 1 failed as expected",), (2, 0, 0, 0), True, None),
        (("test cases: 3 | 2 passed",), (2, 0, 0, 0), False, "line 1: the parts of the total do not add up"),
        (("test cases: 1 | 1 failed as expected",), (0, 0, 0, 0), False, "no package of the log has tests"),
        (("Passed both 2 test cases with 3 assertions.",), (2, 0, 0, 0), True, None),
        (("Passed 1 test case with no assertions.",), (1, 0, 0, 0), True, None),
        (("Passed all 12 test cases with 1 assertion.",), (12, 0, 0, 0), True, None),
        (("Failed 1 test case, failed 1 assertion.",), (None, 1, 0, None), False, "line 1: 1 failed"),
        (("Failed all 3 test cases, failed both 2 assertions.",), (None, 3, 0, None), False, "line 1: 3 failed"),
        ((RULE, "No tests ran"), (0, 0, 0, 0), False, "no package of the log has tests"),
        ((FILTERS, "No tests ran."), (0, 0, 0, 0), False, "no package of the log has tests"),
        ((SEED, "No tests ran"), (0, 0, 0, 0), False, "no package of the log has tests"),
        ((GOOD, RULE, "No tests ran"), (2, 0, 0, 0), True, None),
        (("test cases: 1 | 1 passed", "assertions: - none -"), (1, 0, 0, 0), False, "no package of the log has tests"),
        ((BAD, "assertions: - none -"), (3, 1, 0, 0), False, "line 1: 1 failed"),
        ((GOOD, GROUP, "assertions: - none -"), (2, 0, 0, 0), True, None),
        ((BAD, GOOD), (5, 1, 0, 0), False, "line 1: 1 failed"),
        ((SEED, GOOD, SEED, GOOD), (4, 0, 0, 0), True, None),
        ((FILTERS, SEED, BANNER_3, GOOD), (2, 0, 0, 0), True, None),
        ((FILTERS, BANNER, GOOD, GOOD), (4, 0, 0, 0), True, None),
    ],
)
def test_catch2(lines: tuple[str, ...], expected: tuple[int | None, ...], green: bool, reason: str | None) -> None:
    found = report(*lines)
    assert (counts(found), found.green, found.runner, found.complete) == (expected, green, "catch2", True)
    if reason or green:
        assert found.reasons[:1] == (() if reason is None else (reason,))


def test_failures_that_are_expected_have_their_own_count() -> None:
    assert [one.xfailed for one in report(BAD, GOOD).summaries] == [2, 0]


@pytest.mark.parametrize("first", [SEED, BANNER, BANNER_3])
@pytest.mark.parametrize("end", [(), (GROUP,), (SEED, GOOD)])
def test_a_run_without_a_total_is_unfinished(first: str, end: tuple[str, ...]) -> None:
    found = report(first, "anything", *end)
    assert (found.green, found.complete) == (False, False)
    assert found.reasons[0] == "line 1: the test program ended without a total"
    assert counts(found) == (2 if GOOD in end else 0, 0, 0, 0)


def test_filters_without_a_total_are_a_run_only_where_catch2_is_known_to_run() -> None:
    assert report("Filters: brightness, contrast").runner is None
    assert report(FILTERS, GROUP, GOOD).green is True
    for lines in ((FILTERS, FILTERS, GOOD), (FILTERS, SEED, GOOD, FILTERS), (FILTERS, FILTERS, BANNER, GOOD)):
        found = report(*lines)
        assert (found.green, found.complete, counts(found)) == (False, False, (2, 0, 0, 0))
    assert report(FILTERS, FILTERS, GOOD).reasons == ("line 1: the test program ended without a total",)
    # The seed belongs to the filters before it, the banner to both.
    assert report(FILTERS, FILTERS, SEED, BANNER_3, GOOD).reasons == ("line 1: the test program ended without a total",)


def test_few_lines_of_filters_are_kept() -> None:
    found = report(*[FILTERS] * 200, GROUP, *[FILTERS] * 200, GOOD)
    assert len(found.reasons) == 99


def test_runs_that_ctest_shows_are_not_counted() -> None:
    failed = "1/1 Test #1: cart ...***Failed    0.02 sec"
    total = "0% tests passed, 1 tests failed out of 1"
    found = report(CTEST, failed, BAD, total)
    assert (counts(found), found.green, found.runner) == ((0, 1, 0, 0), False, "catch2, ctest")
    cut = report(CTEST, failed, SEED, "anything", SEED, GOOD, total, GOOD)
    assert (counts(cut), [one.counted for one in cut.summaries]) == ((2, 1, 0, 0), [False, True, True])
    assert cut.complete is True  # that a test of ctest failed explains the first one
    assert report(CTEST, SEED, "100% tests passed, 0 tests failed out of 1").complete is False
    assert report(CTEST, SEED, GROUP).complete is False
    assert report(SEED, CTEST, failed, total).complete is False  # it began outside
    assert report(CTEST, GROUP, GOOD).summaries[0].counted is True


@pytest.mark.parametrize(
    "line",
    [
        "No tests ran",
        "assertions: - none -",
        "All tests passed",
        "All tests passed (really)",
        "test cases: many",
        "test cases: 1 | 1 passed | 1 lost",
        "Passed 1 test case",
        "Failed 1 test case.",
        RULE,
        f"x {SEED}",
        " shop is a Catch2 v3.4.0 host application.",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = report(line)
    assert (found.runner, found.green, found.complete) == (None, None, False)


def test_the_reader_accepts_lines_that_it_did_not_ask_for() -> None:
    reader = Catch2Reader()
    for number, line in enumerate(("", "anything", SEED, "x", "", RULE, "y", "No tests", GOOD), 1):
        reader.feed(number, line)
    reader.boundary()
    assert reader.finish() == Reading((Summary("catch2", 9, GOOD, 2, 0, 0, 0, green=True),), ())
