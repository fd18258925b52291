"""Real logs of runners of managed languages, and of what stands around pytest: the runners' own reports' counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.logs.parse import parse_log

LOGS = Path(__file__).parent / "real" / "managed"
with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_counts_and_verdict_are_those_of_the_runners_report(row: dict[str, str]) -> None:
    report = parse_log((LOGS / f"{row['name']}.log").read_bytes())
    counts = (report.passed, report.failed, report.errors, report.skipped)
    assert counts == tuple(int(row[key]) if row[key] else None for key in ("passed", "failed", "errors", "skipped")), (
        report.reasons
    )
    assert (report.green is True) is (row["green"] == "yes"), report.reasons


def test_each_log_has_a_row() -> None:
    assert sorted(row["name"] for row in ROWS) == sorted(path.stem for path in LOGS.glob("*.log"))


@pytest.mark.parametrize("name", [row["name"] for row in ROWS if row["green"] == "yes"])
def test_no_beginning_of_a_green_log_is_green_with_other_counts(name: str) -> None:
    lines = (LOGS / f"{name}.log").read_bytes().splitlines(keepends=True)
    whole = parse_log(b"".join(lines))
    # Between two sessions of nox nothing tells that there will be a second one.
    between = {index for index, line in enumerate(lines) if line.startswith(b"nox > Running session ")}
    for length in set(range(len(lines))) - between:
        cut = parse_log(b"".join(lines[:length]))
        assert cut.green is not True or (cut.passed, cut.skipped) == (whole.passed, whole.skipped), length
