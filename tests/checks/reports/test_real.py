"""Reports of runners that were really run (`real/make.sh`), against their consoles and against junitparser."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml, TestCase, TestSuite

from checks.reports.formats import read_report
from checks.reports.report import TestReport

REAL = Path(__file__).with_name("real")
with (REAL / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
    ROWS = list(csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE))
COUNTS = ("passed", "failed", "errors", "skipped", "left_out", "flaky", "repeated")


def read(name: str) -> TestReport:
    report = read_report(name, (REAL / name).read_bytes())
    assert isinstance(report, TestReport), report
    return report


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_counts_are_those_of_the_console(row: dict[str, str]) -> None:
    report = read(row["file"])
    assert {name: getattr(report, name) for name in COUNTS} == {name: int(row[name]) for name in COUNTS}


def test_every_report_is_listed() -> None:
    assert {row["file"] for row in ROWS} == {path.name for path in REAL.iterdir() if path.suffix in (".xml", ".json")}


JUNIT = [row["file"] for row in ROWS if row["file"].endswith(".xml")]


@pytest.mark.parametrize("name", JUNIT)
def test_junitparser_counts_the_same_cases(name: str) -> None:
    """It does not know the attribute by which a disabled test is marked, so such a test passes for it."""
    cases, report, text = _cases(REAL / name), read(name), (REAL / name).read_text()
    disabled = text.count('status="disabled"') + text.count('result="suppressed"')
    assert len(cases) == report.cases
    assert sum(case.is_passed for case in cases) == report.passed + disabled
    assert sum(case.is_skipped for case in cases) == report.skipped - disabled
    assert sum(case.is_failure for case in cases) == report.failed
    assert sum(case.is_error for case in cases) == report.errors


def _cases(path: Path) -> list[TestCase]:
    """Those beside the suites too, as node:test writes tests of no suite; junitparser leaves them out."""
    root: Any = JUnitXml.fromfile(str(path))
    if isinstance(root, TestSuite):
        return list(root)
    from_element: Any = TestCase.fromelem
    beside = [from_element(element) for element in root._elem.findall("testcase")]
    return [case for suite in root for case in suite] + beside
