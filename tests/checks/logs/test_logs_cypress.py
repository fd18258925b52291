"""Cypress' tables, in the wording of cypress-io/cypress, packages/server/lib/util/print-run.ts; spec names are made up.

The binary of Cypress does not come from npm's registry, so there are no real logs of it.
"""

from __future__ import annotations

import pytest

from checks.logs.cypress import CypressReader
from checks.logs.report import LogReport, Summary
from tests.checks.logs.told import GROUP, counts, only, report

START = "  (Run Starting)"
HEAD = ("  (Run Finished)", "       Spec                                 Tests  Passing  Failing  Pending  Skipped  ")
GREEN_ROW = "  │ ✔  api.cy.js                                00:06        6        5        -        1        - │"
RED_ROW = "  │ ✖  a very long name of a spec of 12 words   182ms        4        1        1        -        2 │"
GREEN_TOTAL = "    ✔  All specs passed!                        00:06        6        5        -        1        -  "
RED_TOTAL = "    ✖  1 of 2 failed (50%)                      00:07       10        6        1        1        2  "


def test_a_green_run_wholly() -> None:
    found = report(START, *HEAD, GREEN_ROW, GREEN_TOTAL)
    one = Summary("cypress", 5, GREEN_TOTAL.strip(), 5, 0, 0, 1, green=True)
    assert found == LogReport("cypress", 5, 0, 0, 1, True, True, (one,), 5, False, ())


def test_the_totals_of_old_versions_have_no_sign() -> None:
    assert only(START, *HEAD, GREEN_ROW, GREEN_TOTAL.replace("✔", " ")).green is True


def test_a_red_run() -> None:
    one = only(START, *HEAD, GREEN_ROW, RED_ROW, RED_TOTAL)
    assert counts(one) == (6, 1, 0, 3)
    assert one.reasons == (
        "1 failed",
        "1 of 2 failed (50%)",
        "2 did not run because of a failure before them",
    )


def test_a_cancelled_run() -> None:
    row = "  │ -  b.cy.js                                SKIPPED        -        -        -        -        - │"
    total = "    -  The run was canceled                     00:06        6        5        -        1        -  "
    assert only(START, *HEAD, GREEN_ROW, row, total).reasons == ("The run was canceled",)


@pytest.mark.parametrize("rows", [(), (GREEN_ROW, GREEN_ROW), (GREEN_ROW.replace(" 5 ", " 4 "),)])
def test_rows_that_are_not_in_the_totals(rows: tuple[str, ...]) -> None:
    assert only(START, *HEAD, *rows, GREEN_TOTAL).reasons == ("the rows do not add up to the totals",)


def test_totals_that_do_not_add_up() -> None:
    row, total = (line.replace("  6  ", "  7  ") for line in (GREEN_ROW, GREEN_TOTAL))
    assert only(START, *HEAD, row, total).reasons == ("the rows do not add up to the totals",)


@pytest.mark.parametrize("lines", [(), HEAD, (*HEAD, GREEN_ROW), (GREEN_ROW, GROUP, GREEN_TOTAL)])
def test_a_cut_run_is_unfinished(lines: tuple[str, ...]) -> None:
    found = report(START, *lines)
    assert (found.complete, found.green, found.reasons[0]) == (False, False, "line 1: the run of Cypress has no totals")


def test_each_run_closes_the_one_before() -> None:
    assert report(START, START, *HEAD, GREEN_ROW, GREEN_TOTAL).complete is False
    found = report(*(START, *HEAD, GREEN_ROW, GREEN_TOTAL) * 2)
    assert (found.green, counts(found)) == (True, (10, 0, 0, 2))


def test_lines_that_say_nothing_alone() -> None:
    assert report(*HEAD, GREEN_ROW, GREEN_TOTAL, " x (Run Starting)").runner is None


def test_a_reader_may_be_given_any_line() -> None:
    reader = CypressReader()
    for number, line in enumerate((START, "noise", *HEAD, GREEN_ROW, GREEN_TOTAL), 1):
        reader.feed(number, line.rstrip())
    assert [counts(one) for one in reader.finish().summaries] == [(5, 0, 0, 1)]


def test_no_specs() -> None:
    one = only("Can't run because no spec files were found.")
    assert (counts(one), one.reasons) == ((0, 0, 0, 0), ("no spec files were found", "no test passed"))


def test_what_mocha_says_within_a_run_is_not_counted() -> None:
    inside = ("  5 passing (6s)", "  1 pending", "  0 passing (1ms)")
    found = report(START, *inside, *HEAD, GREEN_ROW, GREEN_TOTAL)
    assert (found.green, counts(found)) == (True, (5, 0, 0, 1))
    assert [(one.runner, one.counted, one.green) for one in found.summaries] == [
        ("mocha", False, None),
        ("mocha", False, None),
        ("cypress", True, True),
    ]


def test_a_failure_that_mocha_names_within_a_run_speaks_against_green_totals() -> None:
    found = report(START, "  5 passing (6s)", "  1 failing", *HEAD, GREEN_ROW, GREEN_TOTAL)
    assert (found.green, counts(found)) == (False, (5, 0, 0, 1))
    assert found.reasons == ("line 2: 1 failed",)


def test_mocha_after_a_run_counts_by_itself() -> None:
    found = report(START, "  5 passing (6s)", *HEAD, GREEN_ROW, GREEN_TOTAL, "  2 passing (1s)")
    assert (found.green, counts(found)) == (True, (7, 0, 0, 1))
