"""`deno test`: `running 3 tests from ./a_test.ts` for each file, and `ok | 2 passed | 0 failed (23ms)`.

A file that breaks outside its tests is counted as a failure; a line says so. What deno refuses before any test (types,
a missing module) has no summary at all. https://docs.deno.com/runtime/fundamentals/testing/
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "deno test"

_START = r"^running (\d{1,9}) tests? from "
_BROKEN = r"^Uncaught error from .+ FAILED$"
_STEPS = r"(?: \(\d+ steps?\))?"
_CLOSING = (
    rf"^(ok|FAILED) \| (\d{{1,9}}) passed{_STEPS} \| (\d{{1,9}}) failed{_STEPS}(?: \| (\d{{1,9}}) ignored{_STEPS})?"
    r"(?: \| \d+ measured)?(?: \| (\d{1,9}) filtered out)? \([^()]+\)$"
)
_RED = r"^error: Test failed"
_ONLY = 'error: Test failed because the "only" option was used'

INTEREST = f"{_START}|{_BROKEN}|{_CLOSING}|{_RED}"

_starts = re2.compile(_START).match
_broke = re2.compile(_BROKEN).match
_closes = re2.compile(_CLOSING).match


@dataclass(slots=True)
class _Run:
    line: int
    announced: int = 0
    broken: int = 0


class DenoReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if start := _starts(line):
            self._opened(number).announced += int(start.group(1))
        elif _broke(line):
            self._opened(number).broken += 1
        elif closes := _closes(line):
            counts = [int(count or 0) for count in closes.groups()[1:]]
            self._closed.append(_summary(number, line, self._opened(number), closes.group(1), counts))
            self._run = None
        else:
            self._reds.append(Red(number, line[:200]))

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run:
            tally = Tally(errors=run.broken)
            self._unfinished.append(unfinished(RUNNER, run.line, tally, "deno test began, but printed no summary"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _opened(self, number: int) -> _Run:
        self._run = self._run or _Run(number)
        return self._run


def _summary(number: int, line: str, run: _Run, verdict: str, counts: list[int]) -> Summary:
    passed, failed, ignored, filtered = counts
    errors = min(failed, run.broken)
    doubts = []
    if verdict == "FAILED" and not failed:
        doubts.append("deno says FAILED")
    if run.announced and not failed and passed + ignored != run.announced:
        doubts.append(f"{run.announced} tests were to run, but the summary has {passed + ignored}")
    tally = Tally(passed, failed - errors, errors, ignored, deselected=filtered)
    return closing(RUNNER, number, line, tally, doubts)
