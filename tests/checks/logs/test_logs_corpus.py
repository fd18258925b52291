"""The real and made logs of the shared collection, with the counts of its index, which were read by eye."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.logs.parse import parse_log

LOGS = Path(__file__).resolve().parents[3] / "../shared/logs"
INDEX = LOGS / "INDEX.tsv"
FAMILIES: tuple[str, ...] = ("pytest", "unittest", "django", "nose", "jest", "go test")
FAMILIES += ("cargo", "ctest", "googletest", "bats", "prove", "ava")
FAMILIES += ("vitest", "mocha", "node:test", "jasmine", "lab", "bun", "playwright")
FAMILIES += ("maven", "gradle", "ant", "sbt", "rspec", "minitest", "phpunit", "dotnet")
# Its log looks clean: a hook turns failures into passes, which only the difference shows.
LOOKS_CLEAN = "own_pytest_conftest_flips_failures"

pytestmark = pytest.mark.skipif(not INDEX.exists(), reason="the shared collection of logs is absent")


def rows() -> list[dict[str, str]]:
    if not INDEX.exists():
        return []
    with INDEX.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def names(family: bool) -> list[str]:
    return [row["name"] for row in rows() if row["runner"].startswith(FAMILIES) is family]


@pytest.mark.parametrize("name", names(family=True))
def test_counts_and_verdict_are_those_of_the_index(name: str) -> None:
    row = next(row for row in rows() if row["name"] == name)
    report = parse_log((LOGS / f"{name}.log").read_bytes())
    counts = (report.passed, report.failed, report.errors, report.skipped)
    assert counts == tuple(int(row[key]) if row[key] else None for key in ("passed", "failed", "errors", "skipped")), (
        report.reasons
    )
    if name != LOOKS_CLEAN:
        assert (report.green is True) is (row["green"] == "yes"), report.reasons


@pytest.mark.parametrize("name", names(family=False))
def test_a_runner_we_do_not_read_is_never_green(name: str) -> None:
    report = parse_log((LOGS / f"{name}.log").read_bytes())
    assert report.green is not True
    assert report.runner is None
