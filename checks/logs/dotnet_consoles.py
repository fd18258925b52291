"""The consoles of xUnit.net and NUnit, run without `dotnet test`.

Each names itself where a run starts, and closes it with a headline and lines of counts; an assembly has its own in
xUnit.net. Inconclusive tests are neither passed nor skipped.
https://xunit.net/docs/getting-started/v3/getting-started and https://docs.nunit.org/articles/nunit/running-tests/
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.parts import Counts, part, unfinished
from checks.logs.report import Reading, Summary

XUNIT = "xunit"
NUNIT = "nunit"

INTEREST = (
    r"^(?:xUnit\.net (?:Console|v\d+ In-Process) |NUnit[- ]Console )|^=== TEST EXECUTION SUMMARY ===$"
    r"|  Total: +\d+, Errors: +\d|^ *Test Count: \d|^ *Overall result: |^Tests run: \d+, Errors: \d|^ +Not run: \d"
)

_starts = re2.compile(
    r"^(xUnit\.net|NUnit)(?: Console Runner v?| v\d+ In-Process Runner v|-Console version | Console )\d"
).match
_xunit = re2.compile(
    r"^ +\S.*  Total: +(\d{1,9}), Errors: +(\d{1,9}), Failed: +(\d{1,9}), Skipped: +(\d{1,9})"
    r"(?:, Not Run: +(\d{1,9}))?, Time: [\d.,]+s$"
).match
_nunit_3 = re2.compile(
    r"^ *Test Count: \d{1,9}, Pass(?:ed)?: (\d{1,9}), Fail(?:ed)?: (\d{1,9})(?:, Warn(?:ings)?: \d{1,9})?"
    r", Inconclusive: \d{1,9}, Skip(?:ped)?: (\d{1,9})$"
).match
_overall = re2.compile(r"^ *Overall result: (\w+)$").match
_nunit_2 = re2.compile(
    r"^Tests run: (\d{1,9}), Errors: (\d{1,9}), Failures: (\d{1,9}), Inconclusive: (\d{1,9}), Time: [\d.,]+ seconds$"
).match
_not_run = re2.compile(r"^ +Not run: (\d{1,9}), Invalid: (\d{1,9}), Ignored: \d{1,9}, Skipped: \d{1,9}$").match

_RED_RESULTS = frozenset({"Failed", "Failure", "Error", "Invalid", "Cancelled"})


@dataclass(slots=True)
class _Run:
    line: int
    runner: str
    overall: str = ""
    headline: bool = False
    found: tuple[int, str, list[int]] | None = None  # NUnit 2: line, text and counts, before those of what was not run


class DotnetConsoleReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if start := _starts(line):
            self.boundary()
            self._run = _Run(number, XUNIT if start.group(1) == "xUnit.net" else NUNIT)
        elif self._run and self._run.runner == XUNIT:
            self._xunit(number, line, self._run)
        elif self._run:
            self._nunit(number, line, self._run)

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run and not run.headline:
            self._unfinished.append(unfinished(run.runner, run.line, "the console of the runner printed no summary"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _xunit(self, number: int, line: str, run: _Run) -> None:
        """The run stays open after its headline: each assembly has a line."""
        if line.startswith("==="):
            run.headline = True
        elif run.headline and (assembly := _xunit(line)):
            total, errors, failed, skipped, not_run = (int(count or 0) for count in assembly.groups())
            passed = max(0, total - failed - skipped - not_run)
            self._closed.append(part(XUNIT, number, line, Counts(passed, failed, errors, skipped)))

    def _nunit(self, number: int, line: str, run: _Run) -> None:
        if overall := _overall(line):
            run.overall = overall.group(1)
        elif first := _nunit_2(line):
            run.found = number, line, [int(count) for count in first.groups()]
        elif run.found and (rest := _not_run(line)):
            self._run = None
            self._closed.append(_second_version(*run.found, int(rest.group(1)), int(rest.group(2))))
        elif counts := _nunit_3(line):
            self._run = None
            self._closed.append(_third_version(number, line, run.overall, *(int(count) for count in counts.groups())))


def _second_version(number: int, line: str, counts: list[int], not_run: int, invalid: int) -> Summary:
    run, errors, failed, inconclusive = counts
    passed = max(0, run - errors - failed - inconclusive)
    return part(NUNIT, number, line, Counts(passed, failed, errors + invalid, max(0, not_run - invalid)))


def _third_version(number: int, line: str, overall: str, passed: int, failed: int, skipped: int) -> Summary:
    doubts = [f"the overall result is {overall}"] if overall in _RED_RESULTS and not failed else []
    return part(NUNIT, number, line, Counts(passed, failed, 0, skipped), doubts)
