"""What a structured report says, and the recount that every format makes of its test cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

MOST_FAILED_NAMES = 20
MOST_NAMES = 20_000
MOST_CHARACTERS = 1_000_000  # of the names together
LONGEST_NAME = 300  # characters; a longer one is cut
MOST_DISAGREEMENTS = 10


class ReportFault(ValueError):
    """The file is no report that can be read; the text completes "the report could not be read: …"."""


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # broke outside the test itself, or did not come to its end
    SKIPPED = "skipped"
    LEFT_OUT = "left out"  # disabled, or still to be written: skipped, but many consoles do not count it


_RED = (Outcome.FAILED, Outcome.ERROR)


@dataclass(frozen=True, slots=True)
class TestReport:
    """Counts of test cases in one file, or in all files of one artifact.

    `left_out` are skipped cases that a console need not count: disabled, or still to be written. They are within
    `skipped`. `repeated` are passed cases that may be another one told again: a second case of the same name, a
    sub-test beside its parent, a copy of a whole file. They are within `passed`. `flaky` are passed cases that failed
    at first. `tests` are the cases' names, sorted; None when there are more than are kept. `disagreements` are totals
    that the file states and its cases do not bear out.
    """

    __test__ = False  # it is no class of tests, although pytest would take it for one by its name

    name: str
    format: str
    passed: int
    failed: int
    errors: int
    skipped: int
    flaky: int = 0
    repeated: int = 0
    left_out: int = 0
    failed_names: tuple[str, ...] = ()  # the first ones
    tests: tuple[str, ...] | None = ()
    disagreements: tuple[str, ...] = ()
    files: int = 1

    @property
    def cases(self) -> int:
        return self.passed + self.failed + self.errors + self.skipped

    @property
    def distinct(self) -> int:
        """Cases without those that may be another one told again: the least number of tests that this can be."""
        return self.cases - self.repeated


@dataclass(slots=True)
class Recount:
    """Adds up test cases one by one. A test is known by its suite and its name."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    flaky: int = 0
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _passed: set[tuple[str, str]] = field(default_factory=set)
    _again: int = 0
    _labels: set[str] = field(default_factory=set)
    _failed: list[str] = field(default_factory=list)

    def add(self, suite: str, name: str, outcome: Outcome, label: str, *, flaky: bool = False) -> None:
        """`label` is how the test is shown and compared with other runs."""
        key = (suite, name)
        self.outcomes[outcome] += 1
        self.flaky += flaky
        if outcome is Outcome.PASSED:
            self._again += key in self._seen
            self._passed.add(key)
        elif outcome in _RED and len(self._failed) < MOST_FAILED_NAMES:
            self._failed.append(short(label))
        self._seen.add(key)
        self._labels.add(short(label))

    def broke(self, label: str, times: int = 1) -> None:
        """Something that no test case stands for went wrong."""
        self.outcomes[Outcome.ERROR] += times
        if len(self._failed) < MOST_FAILED_NAMES:
            self._failed.append(short(label))

    @property
    def skipped(self) -> int:
        return self.outcomes[Outcome.SKIPPED] + self.outcomes[Outcome.LEFT_OUT]

    def report(self, name: str, format_: str, disagreements: Iterable[str] = ()) -> TestReport:
        nested = sum((suite, test.partition("/")[0]) in self._seen for suite, test in self._passed if "/" in test)
        return TestReport(
            name=name,
            format=format_,
            passed=self.outcomes[Outcome.PASSED],
            failed=self.outcomes[Outcome.FAILED],
            errors=self.outcomes[Outcome.ERROR],
            skipped=self.skipped,
            flaky=self.flaky,
            repeated=self._again + nested,
            left_out=self.outcomes[Outcome.LEFT_OUT],
            failed_names=tuple(self._failed),
            tests=bounded(self._labels),
            disagreements=tuple(disagreements)[:MOST_DISAGREEMENTS],
        )


def short(name: str) -> str:
    """On one line, cut after `LONGEST_NAME` characters. Halves of characters, which JSON may hold, are replaced."""
    whole = name[: 2 * LONGEST_NAME].encode("utf-8", "replace").decode()
    return " ".join(whole.split())[:LONGEST_NAME]


def bounded(names: Iterable[str]) -> tuple[str, ...] | None:
    """Each name once, sorted; None when they are more than are kept."""
    each = sorted(set(names))
    return tuple(each) if len(each) <= MOST_NAMES and sum(map(len, each)) <= MOST_CHARACTERS else None


def add_up(name: str, reports: Sequence[TestReport]) -> TestReport:
    """One report for all files of an artifact; there is at least one."""
    known = [report.tests for report in reports if report.tests is not None]
    tests = bounded(test for tests in known for test in tests) if len(known) == len(reports) else None
    failed = (f"{report.name}: {test}" for report in reports for test in report.failed_names)
    odd = (f"{report.name}: {one}" for report in reports for one in report.disagreements)
    return TestReport(
        name=name,
        format=", ".join(sorted({report.format for report in reports})),
        passed=sum(report.passed for report in reports),
        failed=sum(report.failed for report in reports),
        errors=sum(report.errors for report in reports),
        skipped=sum(report.skipped for report in reports),
        flaky=sum(report.flaky for report in reports),
        repeated=sum(report.repeated for report in reports),
        left_out=sum(report.left_out for report in reports),
        failed_names=tuple(failed)[:MOST_FAILED_NAMES],
        tests=tests,
        disagreements=tuple(odd)[:MOST_DISAGREEMENTS],
        files=sum(report.files for report in reports),
    )


def as_copy(report: TestReport) -> TestReport:
    """The report of a file whose very bytes were counted already: its tests may be those."""
    return replace(report, repeated=report.passed)
