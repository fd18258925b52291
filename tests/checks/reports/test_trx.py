"""TRX, in the shape that vstest's documentation and schema (vstst.xsd) give."""

from __future__ import annotations

import pytest

from tests.checks.reports.reading import Counts, counts_of, refused, report_of


def trx(results: str, outcome: str = "Completed", counters: str = "") -> str:
    ended = f'outcome="{outcome}"' if outcome else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">'
        f"<Results>{results}</Results><ResultSummary {ended}><Counters {counters}/></ResultSummary></TestRun>"
    )


def result(outcome: str, name: str = "Shop.CartTests.Adds", kind: str = "") -> str:
    said = f'outcome="{outcome}"' if outcome else ""
    return f'<UnitTestResult testId="{name}" testName="{name}" {said} {kind}/>'


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        ("Passed", (1, 0, 0, 0)),
        ("Failed", (0, 1, 0, 0)),
        ("NotExecuted", (0, 0, 0, 1)),
        ("NotRunnable", (0, 0, 0, 1)),
        ("Inconclusive", (0, 0, 0, 1)),
        ("Pending", (0, 0, 0, 1)),
        ("Error", (0, 0, 1, 0)),
        ("Timeout", (0, 0, 1, 0)),
        ("Aborted", (0, 0, 1, 0)),
        ("PassedButRunAborted", (0, 0, 1, 0)),
        ("InProgress", (0, 0, 1, 0)),
        ("Whatever", (0, 0, 1, 0)),
        ("", (0, 0, 1, 0)),
    ],
)
def test_the_outcome_of_a_result(outcome: str, counts: Counts) -> None:
    assert counts_of(trx(result(outcome))) == counts


DATA_DRIVEN = 'resultType="DataDrivenTest"'


def test_a_data_driven_test_counts_by_its_rows() -> None:
    rows = result("Passed", "Rows", DATA_DRIVEN) + result("Passed", "Rows (1)") + result("Passed", "Rows (2)")
    assert counts_of(trx(rows)) == (2, 0, 0, 0)


@pytest.mark.parametrize("outcome", ["Failed", "Aborted"])
def test_a_data_driven_test_that_broke_beside_green_rows_is_an_error(outcome: str) -> None:
    rows = result(outcome, "Rows", DATA_DRIVEN) + result("Passed", "Rows (1)")
    read = report_of(trx(rows))
    assert (read.passed, read.failed, read.errors, read.failed_names) == (1, 0, 1, ("Rows",))


def test_a_data_driven_test_fails_with_its_row_once() -> None:
    rows = result("Failed", "Rows", DATA_DRIVEN) + result("Failed", "Rows (1)")
    assert counts_of(trx(rows, "Failed")) == (0, 1, 0, 0)


@pytest.mark.parametrize("outcome", ["Completed", "Passed", "Warning"])
def test_a_run_that_ended_well(outcome: str) -> None:
    assert counts_of(trx(result("Passed"), outcome)) == (1, 0, 0, 0)


@pytest.mark.parametrize(("outcome", "said"), [("Aborted", "Aborted"), ("Failed", "Failed"), ("", "unknown")])
def test_a_run_that_broke_beside_green_results_is_an_error(outcome: str, said: str) -> None:
    read = report_of(trx(result("Passed"), outcome))
    assert (read.passed, read.errors, read.failed_names) == (1, 1, (f"the run ended as {said}",))


def test_a_run_is_not_blamed_twice_for_its_failure() -> None:
    assert counts_of(trx(result("Failed"), "Failed")) == (0, 1, 0, 0)
    assert counts_of(trx(result("Error"), "Failed")) == (0, 0, 1, 0)


def test_counters_are_only_compared() -> None:
    read = report_of(trx(result("Passed"), counters='total="9" passed="9" failed="0"'))
    assert read.passed == 1
    assert read.disagreements == ("the counters state 9 passed (the results: 1)",)
    assert report_of(trx(result("Passed"), counters='passed="1" failed="x"')).disagreements == ()


def test_negative_counters_are_impossible() -> None:
    assert refused(trx(result("Passed"), counters='failed="-1"')) == "it states -1 failed, which is impossible"


def test_names_and_format() -> None:
    read = report_of(trx(result("Passed", "B") + result("Passed", "A") + result("Passed", "A")))
    assert (read.tests, read.repeated, read.format) == (("A", "B"), 1, "trx")
