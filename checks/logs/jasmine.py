"""jasmine: `3 specs, 1 failure, 1 pending spec`; and jasmine-spec-reporter: `Executed 3 of 3 specs (1 FAILED).`

A suite that breaks is one more failure, without a spec. With `fit` jasmine calls the run incomplete.
https://jasmine.github.io/api/npm/edge/ConsoleReporter.html, https://github.com/bcaudan/jasmine-spec-reporter
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "jasmine"

_SEED = r"^Randomized with seed \d+$"
_START = r"^Started$"
_PROGRESS = r"^[.F*]+$"
_SUITE = r"^Suite error: "
_RAN = r"^Ran (\d{1,9}) of (\d{1,9}) specs?$"
_CLOSING = r"^(\d{1,9}) specs?, (\d{1,9}) failures?(?:, (\d{1,9}) pending specs?)?$"
_NOTHING = r"^No specs found$"
_INCOMPLETE = r"^Incomplete: (.+)$"
_EXECUTED = (
    r"^Executed (\d{1,9}) of \d{1,9} specs?(?: SUCCESS| INCOMPLETE)?(?: \((\d{1,9}) ERRORS?\))?"
    r"(?: \((\d{1,9}) FAILED\))?(?: \((\d{1,9}) PENDING\))?(?: \((\d{1,9}) SKIPPED\))?(?: in .+)?\.$"
)

INTEREST = f"{_SEED}|{_START}|{_PROGRESS}|{_SUITE}|{_RAN}|{_CLOSING}|{_NOTHING}|{_INCOMPLETE}|{_EXECUTED}"

_seed = re2.compile(_SEED).match
_starts = re2.compile(_START).match
_progress = re2.compile(_PROGRESS).match
_suite = re2.compile(_SUITE).match
_ran = re2.compile(_RAN).match
_closes = re2.compile(_CLOSING).match
_nothing = re2.compile(_NOTHING).match
_incomplete = re2.compile(_INCOMPLETE).match
_executed = re2.compile(_EXECUTED).match

_NO_START = "no line says that jasmine began: the beginning is missing, or something else printed this"


@dataclass(slots=True)
class _Run:
    line: int
    sure: bool  # `Started` alone may be said by anything
    broken_suites: int = 0
    deselected: int = 0


class JasmineReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._seeded = False
        self._closed: list[Summary] = []
        self._step_start = 0
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _seed(line):
            self._seeded = True
        elif _starts(line):
            self._start(number)
        elif closes := _closes(line):
            self._close(number, line, *(int(count or 0) for count in closes.groups()))
        elif executed := _executed(line):
            self._closed.append(_executed_summary(number, line, [int(count or 0) for count in executed.groups()]))
        elif incomplete := _incomplete(line):
            self._doubt(incomplete.group(1))
        elif self._run:
            self._more(self._run, number, line)

    def boundary(self) -> None:
        run, self._run, self._seeded = self._run, None, False
        if run and run.sure:
            self._unfinished.append(unfinished(RUNNER, run.line, Tally(), "jasmine started, but printed no summary"))
        self._step_start = len(self._closed)

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _start(self, number: int) -> None:
        seeded, step_start = self._seeded, self._step_start
        self.boundary()
        self._run, self._step_start = _Run(number, sure=seeded), step_start

    def _more(self, run: _Run, number: int, line: str) -> None:
        if _progress(line):
            run.sure = True
        elif _suite(line):
            run.broken_suites += 1
        elif ran := _ran(line):
            run.deselected = max(0, int(ran.group(2)) - int(ran.group(1)))
        elif _nothing(line):
            self._closed.append(closing(RUNNER, number, line, Tally(), ["no specs were found"]))
            self._run = None

    def _close(self, number: int, line: str, specs: int, failures: int, pending: int) -> None:
        run, self._run = self._run, None
        errors = min(failures, run.broken_suites) if run else 0
        failed = failures - errors
        deselected = run.deselected if run else 0
        tally = Tally(max(0, specs - failed - pending), failed, errors, pending, deselected=deselected)
        self._closed.append(closing(RUNNER, number, line, tally, [] if run else [_NO_START]))

    def _doubt(self, reason: str) -> None:
        """`Incomplete:` stands below the summary, and after anything else it is not jasmine's."""
        if len(self._closed) > self._step_start:
            last = self._closed[-1]
            self._closed[-1] = replace(last, green=False, reasons=(*last.reasons, f"incomplete: {reason}"))


def _executed_summary(number: int, line: str, counts: list[int]) -> Summary:
    executed, errors, failed, pending, left_out = counts
    tally = Tally(max(0, executed - failed), failed, errors, pending, deselected=left_out)
    return closing(RUNNER, number, line, tally)
