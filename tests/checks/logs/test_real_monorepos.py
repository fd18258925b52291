"""Logs of tools that run the tests of several packages at once (see real/monorepos/make.sh), with jest's own counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.logs.parse import parse_log

LOGS = Path(__file__).parent / "real/monorepos"


def rows() -> list[dict[str, str]]:
    with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_counts_and_verdict_are_those_of_the_runner(row: dict[str, str]) -> None:
    found = parse_log((LOGS / f"{row['name']}.log").read_bytes())
    counts = (found.passed, found.failed, found.errors, found.skipped)
    assert counts == tuple(int(row[key]) for key in ("passed", "failed", "errors", "skipped")), found.reasons
    assert (found.green is True) is (row["green"] == "yes"), found.reasons
    assert [summary.runner for summary in found.summaries] == ["jest", "jest"]


@pytest.mark.parametrize("name", [row["name"] for row in rows() if row["green"] == "yes"])
def test_lines_that_are_mixed_more_change_nothing(name: str) -> None:
    """Each package's lines stay in order, but every second line is the other's, as on a busy machine."""
    lines = (LOGS / f"{name}.log").read_text(encoding="utf-8").splitlines()
    web = [line for line in lines if "web" in line[:40] or line.startswith("[1]")]
    core = [line for line in lines if "core" in line[:40] or line.startswith("[0]")]
    head, tail = [line for line in lines if line not in web + core], max(len(web), len(core))
    mixed = [line for number in range(tail) for line in (*web[number : number + 1], *core[number : number + 1])]
    found = parse_log("\n".join([*mixed, *head]).encode())
    assert (found.passed, found.skipped, found.green) == (5, 1, True), found.reasons
