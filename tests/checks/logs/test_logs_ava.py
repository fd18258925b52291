"""ava's own reporter in the wording of ava 6 and 7; the tests are made up."""

from __future__ import annotations

import pytest

from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

RULE = "  ─"
MARKS = ("  ✔ one", "  ✔ two")


def test_a_green_run_wholly() -> None:
    one = Summary("ava", 3, "2 tests passed", 2, 0, 0, 0, green=True)
    found = report(*MARKS, RULE, "  2 tests passed")
    assert found == LogReport("ava", 2, 0, 0, 0, True, True, (one,), 4, False, ())


@pytest.mark.parametrize(
    ("totals", "expected", "green"),
    [
        (("1 test passed",), (1, 0, 0, 0), True),
        (("2 tests passed", "1 known failure", "1 test skipped", "2 tests todo"), (2, 0, 0, 1), True),
        (("1 test failed", "1 test skipped"), (3, 1, 0, 1), False),
        (("2 tests failed", "3 tests skipped"), (3, 2, 0, 3), False),
        (("1 test failed", "1 known failure"), (2, 1, 0, 0), False),
        (("1 test failed", "4 known failures"), (0, 1, 0, 0), False),
        (("1 hook failed",), (3, 0, 1, 0), False),
        (("2 hooks failed", "3 tests failed"), (3, 3, 2, 0), False),
        (("9 tests passed", "1 unhandled rejection"), (9, 0, 1, 0), False),
        (("9 tests passed", "2 unhandled rejections", "3 uncaught exceptions"), (9, 0, 5, 0), False),
        (("9 tests passed", "1 uncaught exception"), (9, 0, 1, 0), False),
        (("9 tests passed", "1 test remained pending after a timeout"), (9, 1, 0, 0), False),
        (("9 tests passed", "2 tests remained pending after a timeout"), (9, 2, 0, 0), False),
    ],
)
def test_totals(totals: tuple[str, ...], expected: tuple[int, ...], green: bool) -> None:
    one = only(*MARKS, "  ✔ [expected fail] known fault", RULE, *(f"  {total}" for total in totals))
    assert (counts(one), one.green, one.text) == (expected, green, totals[0])


def test_known_failures_are_a_field_of_their_own() -> None:
    assert only(RULE, "  2 tests passed", "  2 known failures").xfailed == 2
    assert only(RULE, "  2 tests passed", "  1 known failure").xfailed == 1


def test_totals_follow_the_last_rule() -> None:
    one = only(*MARKS, RULE, "  9 tests passed", "  first", RULE, "  1 test failed")
    assert (counts(one), one.line) == ((2, 1, 0, 0), 6)


@pytest.mark.parametrize("totals", [("  1 test passed",), ()])
def test_a_file_that_ended_itself_is_in_no_total(totals: tuple[str, ...]) -> None:
    found = report("  ✔ before", "  ✘ Exiting due to process.exit() when running a.js", RULE, *totals)
    assert (counts(found), found.green, found.complete) == ((1, 0, 1, 0), False, True)


def test_crosses_that_the_totals_explain() -> None:
    assert counts(only("  ✖ a › two ", "  ✔ b", RULE, "  1 test failed")) == (1, 1, 0, 0)
    assert counts(only("  ✖ a.js exited with a non-zero exit code: 1", "  ✔ b", RULE, "  1 test passed")) == (
        1,
        0,
        1,
        0,
    )
    assert counts(only("  ✘ [fail]: a", "  ✘ 2 tests remaining in b", RULE, "  1 test failed")) == (0, 1, 0, 0)
    assert counts(only("  ✘ [fail]: hook", RULE, "  1 hook failed")) == (0, 0, 1, 0)


def test_cut_before_the_totals() -> None:
    found = report(*MARKS, RULE, GROUP)
    assert (found.complete, counts(found), found.reasons[0]) == (
        False,
        (2, 0, 0, 0),
        "line 3: the totals of ava are missing",
    )
    assert report(RULE).runner is None
    assert report(*MARKS).runner is None


def test_each_run_by_itself() -> None:
    found = report(*MARKS, RULE, "  2 tests passed", "  ✘ [fail]: a", "  ✔ b", RULE, "  1 test failed")
    assert [counts(one) for one in found.summaries] == [(2, 0, 0, 0), (1, 1, 0, 0)]
    found = report(*MARKS, RULE, GROUP, "  1 test passed")
    assert (found.complete, found.summaries) == (False, ())


@pytest.mark.parametrize(
    "line",
    [
        "  ✘ Couldn’t find any files to test",
        "  ✘ Couldn’t find any matching tests",
        "  ✖ Couldn’t find any matching tests",
        "  ✘ Based on your configuration, 1 test file was found, but did not match the filters:",
        "  ✘ Based on your configuration, 10 test files were found, but did not match the filters:",
    ],
)
def test_nothing_found(line: str) -> None:
    one = only(line)
    assert (counts(one), one.reasons, one.text) == (
        (0, 0, 0, 0),
        ("no tests were found", "no test passed"),
        line.strip(),
    )


@pytest.mark.parametrize(
    "line", ["2 tests passed", "   2 tests passed", "  2 test", "  1234567890 tests passed", "  2 tests passed (1s)"]
)
def test_lines_that_are_no_totals(line: str) -> None:
    assert report(RULE, line).runner is None
    assert report("  ─ x", "  2 tests passed").runner is None
    assert report("  2 tests passed").runner is None
