"""Lines of nyc, c8, vitest, karma-coverage and node:test about coverage that is too low."""

from __future__ import annotations

import pytest

from tests.checks.logs.told import report


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: Coverage for lines (66.66%) does not meet global threshold (90%)",
        'ERROR: Coverage for branches (50%) does not meet "src/**.js" threshold (80%)',
        "00:58:28.552:ERROR [coverage]: Chrome: Coverage for lines (50%) does not meet global threshold (90%)",
        "ℹ Error: 66.67% line coverage does not meet threshold of 90%.",
    ],
)
def test_missed_thresholds(line: str) -> None:
    assert report("  3 passing (20ms)", line).reasons == ("line 2: a coverage threshold was not met",)
    assert report(line, "  3 passing (20ms)").green is False


@pytest.mark.parametrize(
    "line",
    [
        "Coverage for lines (96.66%) meets global threshold (90%)",
        "Coverage for lines does not meet global threshold (90%)",
        "line coverage does not meet threshold of 90%",
        "All files  |   66.66 |       50 |     100 |   66.66 |",
    ],
)
def test_other_words_on_coverage(line: str) -> None:
    assert report("  3 passing (20ms)", line).green is True
