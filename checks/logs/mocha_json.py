"""mocha's machine-readable reporters on standard output: json, json-stream and xunit.

Their totals are the words of the reporter; the tests that follow are not recounted here, but for xunit's skipped
ones: it computes their number from the others, wrongly when a hook fails. https://mochajs.org/#reporters
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "mocha"

_STATS = r'^  "stats": \{$'
_STAT = r'^    "(tests|passes|pending|failures|duration)": (\d{1,9}),?$'
_STREAM = r'^\["(start|end)",(\{.*\})\]$'
_XUNIT = (
    r'^<testsuite name="Mocha Tests" tests="(\d{1,9})" failures="(\d{1,9})" errors="(\d{1,9})" skipped="(\d{1,9})" '
)
_XUNIT_SKIP = r"^<testcase .*><skipped/></testcase>$"
_XUNIT_END = r"^</testsuite>$"

INTEREST = f"{_STATS}|{_STAT}|{_STREAM}|{_XUNIT}|{_XUNIT_SKIP}|{_XUNIT_END}"

_stats = re2.compile(_STATS).match
_stat = re2.compile(_STAT).match
_stream = re2.compile(_STREAM).match
_xunit = re2.compile(_XUNIT).match
_xunit_skip = re2.compile(_XUNIT_SKIP).match
_xunit_end = re2.compile(_XUNIT_END).match


_SEVERAL = "several machine-readable summaries in one step: one of them may be printed by a test"


@dataclass(slots=True)
class _Run:
    line: int
    text: str
    stats: dict[str, int] = field(default_factory=dict)
    announced: int | None = None  # json-stream says first how many tests there are
    tally: Tally | None = None  # xunit's totals come first
    skips: int = 0  # its lines of skipped tests


class MochaJsonReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._in_step = 0

    def feed(self, number: int, line: str) -> None:
        if _stats(line):
            self._open(_Run(number, line.strip()))
        elif stream := _stream(line):
            self._streamed(number, line, stream.group(1), _numbers(stream.group(2)))
        elif xunit := _xunit(line):
            tests, failures, errors, skipped = (int(count) for count in xunit.groups())
            failed = failures + errors
            self._open(_Run(number, line, tally=Tally(max(0, tests - failed - skipped), failed)))
        elif self._run:
            self._more(self._run, line)

    def boundary(self) -> None:
        if self._run:
            reason = "mocha's report has a beginning, but no end"
            self._unfinished.append(unfinished(RUNNER, self._run.line, self._run.tally or Tally(), reason))
        self._run, self._in_step = None, 0

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _open(self, run: _Run) -> None:
        in_step = self._in_step
        self.boundary()
        self._run, self._in_step = run, in_step

    def _streamed(self, number: int, line: str, event: str, numbers: dict[str, int]) -> None:
        if event == "start":
            self._open(_Run(number, line, announced=numbers.get("total")))
        elif "passes" in numbers:
            run = self._run or _Run(number, line)
            self._close(_Run(number, line, announced=run.announced), _tally(numbers))

    def _more(self, run: _Run, line: str) -> None:
        if stat := _stat(line):
            run.stats[stat.group(1)] = int(stat.group(2))
            if stat.group(1) == "duration":
                self._close(run, _tally(run.stats))
        elif run.tally and _xunit_skip(line):
            run.skips += 1
        elif run.tally and _xunit_end(line):
            self._close(run, replace(run.tally, skipped=run.skips))

    def _close(self, run: _Run, tally: Tally) -> None:
        self._in_step += 1
        doubts = [_SEVERAL] if self._in_step > 1 else []
        if run.announced is not None and (tally.passed or 0) + (tally.skipped or 0) + tally.failed < run.announced:
            doubts.append(f"{run.announced} tests were to run, but there are fewer results")
        self._closed.append(closing(RUNNER, run.line, run.text, tally, doubts))
        self._run = None


def _tally(numbers: dict[str, int]) -> Tally:
    return Tally(numbers.get("passes", 0), numbers.get("failures", 0), skipped=numbers.get("pending", 0))


def _numbers(text: str) -> dict[str, int]:
    """The numbers of a flat JSON object; none if it is something else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    pairs = values.items() if isinstance(values, dict) else ()
    return {key: value for key, value in pairs if type(value) is int and 0 <= value < 10**9}
