"""Cypress: `(Run Starting)`, and a table of spec files with its totals under `(Run Finished)`.

    ✖  1 of 2 failed (50%)      00:09        8        6        1        1        -

Each file's row must be in the totals; a run without totals was cut. Source of the words: cypress-io/cypress,
packages/server/lib/util/print-run.ts; https://docs.cypress.io/app/references/command-line shows the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "cypress"

_OPENS = r"^ *\(Run Starting\)$"
_CLOSES = r"^ *\(Run Finished\)$"
SPAN = f"{_OPENS}|{_CLOSES}"
"""RE2 pattern of the lines that `Span` must be fed."""

_NUMBERS = r"((?: +(?:\d{1,9}|-)){5})"
_ROW = rf"^ *│ *[✔✖√×-] .*?{_NUMBERS} *│$"
_TOTAL = rf"^ +(?:[✔✖√×-] +)?(All specs passed!|\d+ of \d+ failed \(\d+%\)|The run was canceled) +\S+{_NUMBERS}$"
_NOTHING = r"^Can't run because no spec files were found\.$"

INTEREST = f"{SPAN}|{_ROW}|{_TOTAL}|{_NOTHING}"

_opens = re2.compile(_OPENS).match
_closes = re2.compile(_CLOSES).match
_row = re2.compile(_ROW).match
_total = re2.compile(_TOTAL).match
_nothing = re2.compile(_NOTHING).match


class Span:
    """Whether the lines belong to a run of Cypress: between its first line and its headline of the totals."""

    def __init__(self) -> None:
        self.inside = False

    def feed(self, line: str) -> bool:
        """Whether the line is one of the two ends of a run."""
        if not (opens := _opens(line)) and not _closes(line):
            return False
        self.inside = bool(opens)
        return True


@dataclass(slots=True)
class _Run:
    line: int
    rows: list[list[int]] = field(default_factory=list)


class CypressReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _opens(line):
            self.boundary()
            self._run = _Run(number)
        elif _nothing(line):
            self._closed.append(closing(RUNNER, number, line, Tally(), ["no spec files were found"]))
        elif self._run is None or _closes(line):
            return
        elif row := _row(line):
            self._run.rows.append(_numbers(row.group(1)))
        elif total := _total(line):
            self._closed.append(_summary(number, line, self._run, total.group(1), _numbers(total.group(2))))
            self._run = None

    def boundary(self) -> None:
        if self._run:
            self._unfinished.append(unfinished(RUNNER, self._run.line, Tally(), "the run of Cypress has no totals"))
        self._run = None

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))


def _numbers(text: str) -> list[int]:
    """Tests, passing, failing, pending and skipped; a dash is 0."""
    return [0 if word == "-" else int(word) for word in text.split()]


def _summary(number: int, line: str, run: _Run, verdict: str, total: list[int]) -> Summary:
    tests, passing, failing, pending, skipped = total
    doubts = []
    if verdict != "All specs passed!":
        doubts.append(verdict)
    columns = [sum(column) for column in zip(*run.rows, strict=True)]
    if total != columns or tests != passing + failing + pending + skipped:
        doubts.append("the rows do not add up to the totals")
    if skipped:
        doubts.append(f"{skipped} did not run because of a failure before them")
    tally = Tally(passing, failing, skipped=pending + skipped)
    return closing(RUNNER, number, line.strip(), tally, doubts)
