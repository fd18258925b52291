"""Counts from the reports that runners write for machines, and what a case is."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class Case:
    """One log. `lost` is added by hand: what broke, or ended, without a place in the report (`remark` says what)."""

    name: str
    runner: str
    command: str
    files: Mapping[str, str]
    counts: Callable[[Path], Counts]
    source: str = "JUnit XML of the runner"
    green: bool = False
    lost: Counts = Counts()
    unknown: bool = False
    remark: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def nothing(_project: Path) -> Counts:
    return Counts()


def junit(pattern: str) -> Callable[[Path], Counts]:
    """Recounts the cases of JUnit reports: the last result of each, since a rerun one is written several times.

    pytest writes an expected failure as skipped: it is neither here.
    """

    def count(project: Path) -> Counts:
        outcomes: dict[tuple[object, ...], str] = {}
        for path in sorted(path for path in project.glob(pattern) if path.stat().st_size):
            for case in ElementTree.parse(path).iter("testcase"):
                outcomes[path, case.get("classname"), case.get("name")] = _outcome(case)
        seen = Counter(outcomes.values())
        return Counts(seen["passed"], seen["failure"], seen["error"], seen["skipped"])

    return count


def _outcome(case: ElementTree.Element) -> str:
    for outcome in ("failure", "error", "skipped"):
        found = case.find(outcome)
        if found is not None:
            return "xfail" if found.get("type") == "pytest.xfail" else outcome
    return "passed"


def rspec(project: Path) -> Counts:
    """The summaries of RSpec's JSON formatter."""
    total: Counter[str] = Counter()
    for path in sorted(project.glob("report*.json")):
        if path.stat().st_size:  # empty if the process ended before
            total.update(json.loads(path.read_text(encoding="utf-8"))["summary"])
    failed, pending = total["failure_count"], total["pending_count"]
    passed = total["example_count"] - failed - pending
    return Counts(int(passed), int(failed), int(total["errors_outside_of_examples_count"]), int(pending))


def minitest(project: Path) -> Counts:
    """The results that minitest handed to the project's own reporter."""
    total: Counter[str] = Counter()
    for path in sorted(project.glob("report-*.json")):
        total.update(json.loads(path.read_text(encoding="utf-8")))
    return Counts(total["passed"], total["failed"], total["errors"], total["skipped"])


def testdox(project: Path) -> Counts:
    """PHPUnit's TestDox XML, whose statuses are those of PHPUnit's BaseTestRunner: 0 passed, 1 skipped, 3, 4 red."""
    seen: Counter[str] = Counter()
    for path in sorted(path for path in project.glob("report*.xml") if path.stat().st_size):
        for test in ElementTree.parse(path).iter("test"):
            seen[test.get("status", "")] += 1
    return Counts(seen["0"], seen["3"], seen["4"], seen["1"])


def nunit(project: Path) -> Counts:
    """NUnit 2's TestResult.xml, by the result of each case."""
    seen: Counter[str] = Counter()
    for path in sorted(project.glob("report*.xml")):
        for test in ElementTree.parse(path).iter("test-case"):
            seen[test.get("result", "")] += 1
    return Counts(seen["Success"], seen["Failure"], seen["Error"], seen["Ignored"] + seen["Skipped"])


def test_unit(project: Path) -> Counts:
    """The statuses of test-unit's XML runner."""
    seen: Counter[str] = Counter()
    for status in ElementTree.parse(project / "report.xml").iter("status"):
        seen[status.text or ""] += 1
    return Counts(seen["success"], seen["failure"], seen["error"], seen["omission"] + seen["pending"])
