"""What a run's counts make of its summary."""

from __future__ import annotations

import pytest

from checks.logs.report import Summary
from checks.logs.tally import Tally, closing, unfinished


@pytest.mark.parametrize(
    ("tally", "doubts", "reasons"),
    [
        (Tally(1), (), ()),
        (Tally(1, 2), (), ("2 failed",)),
        (Tally(1, errors=3), (), ("3 broke outside the tests",)),
        (Tally(0, 2, 3), ("a", "b"), ("2 failed", "3 broke outside the tests", "a", "b", "no test passed")),
        (Tally(0, skipped=4), (), ("no test passed",)),
        (Tally(None, skipped=None), (), ("no test passed",)),
        (Tally(1), ("a",), ("a",)),
    ],
)
def test_reasons(tally: Tally, doubts: tuple[str, ...], reasons: tuple[str, ...]) -> None:
    one = closing("r", 7, "text", tally, doubts)
    assert (one.reasons, one.green) == (reasons, not reasons)
    assert (one.passed, one.failed, one.errors, one.skipped) == (
        tally.passed,
        tally.failed,
        tally.errors,
        tally.skipped,
    )


def test_a_closing_wholly() -> None:
    one = closing("r", 7, "x" * 301, Tally(1, 0, 0, 2, flaky=3, xfailed=4, deselected=5), interrupted=True)
    expected = Summary("r", 7, "x" * 300, 1, 0, 0, 2, green=True, flaky=3, xfailed=4, deselected=5, interrupted=True)
    assert one == expected


def test_an_unfinished_run_wholly() -> None:
    one = unfinished("r", 7, Tally(1, 2, 3, 4), "cut")
    assert one == Summary("r", 7, "", 1, 2, 3, 4, green=False, reasons=("cut",))
