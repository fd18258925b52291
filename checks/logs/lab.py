"""lab of hapi: `3 tests complete (1 skipped)` or `1 of 2 tests failed`, then `Test duration: 12 ms`.

lab prints no line where it starts. What it checks besides the tests stands below: leaked globals, coverage, types.
https://hapi.dev/module/lab/api
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "lab"

_COMPLETE = r"^(\d{1,9}) tests complete(?: \((\d{1,9}) skipped\))?$"
_FAILED = r"^(\d{1,9}) of (\d{1,9}) tests failed(?: \((\d{1,9}) skipped\))?$"
_DURATION = r"^Test duration: \d+ ms$"
_ERRORS = r"^There were (\d{1,9}) test script error\(s\)\.$"
_RED = r"^The following leaks were detected: |^Code coverage below threshold: |^Types:$"
_BROKEN = r"^Error requiring file: "

INTEREST = f"{_COMPLETE}|{_FAILED}|{_DURATION}|{_ERRORS}|{_RED}|{_BROKEN}"

_complete = re2.compile(_COMPLETE).match
_failed = re2.compile(_FAILED).match
_duration = re2.compile(_DURATION).match
_errors = re2.compile(_ERRORS).match
_red = re2.compile(_RED).match
_broke = re2.compile(_BROKEN).match


@dataclass(slots=True)
class _Total:
    line: int
    text: str
    tally: Tally


class LabReader:
    def __init__(self) -> None:
        self._errors = 0
        self._total: _Total | None = None
        self._below = False  # a summary of this step stands above
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if complete := _complete(line):
            passed, skipped = (int(count or 0) for count in complete.groups())
            self._total = _Total(number, line, Tally(passed, skipped=skipped))
        elif failed := _failed(line):
            red, ran, skipped = (int(count or 0) for count in failed.groups())
            self._total = _Total(number, line, Tally(max(0, ran - red), red, skipped=skipped))
        elif errors := _errors(line):
            self._errors = int(errors.group(1))
        elif _duration(line):
            self._close()
        elif _red(line):
            if self._below:
                self._reds.append(Red(number, f"lab says: {line[:200]}"))
        elif _broke(line):
            self._unfinished.append(unfinished(RUNNER, number, Tally(errors=1), "lab could not load a file"))

    def boundary(self) -> None:
        if self._total:
            self._unfinished.append(unfinished(RUNNER, self._total.line, self._total.tally, "the summary is cut"))
        self._errors, self._total, self._below = 0, None, False

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _close(self) -> None:
        if self._total:
            self._total.tally.errors = self._errors
            self._closed.append(closing(RUNNER, self._total.line, self._total.text, self._total.tally))
            self._errors, self._total, self._below = 0, None, True
