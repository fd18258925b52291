"""`bun test`: its version first, then ` 2 pass`, ` 1 fail` and so on, and `Ran 3 tests across 1 file.`

A file that cannot be loaded is counted twice, as a failure and as an error; only a failed test has a line `(fail)`.
A run that `--bail` ended prints no counts. https://bun.com/docs/test
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "bun test"

_START = r"^bun test v\d"
_COUNT = r"^ ?(\d{1,9}) (pass|skip|todo|fail|error|filtered out)s?$"
_RAN = r"^Ran (\d{1,9}) tests? across \d+ files?\."
_RED = r"^\(fail\) "
_RETRIED = r"^\(pass\) .* \(attempt \d+\)"
_NOTHING = (
    r'^Test filter ".*" had no matches|^The following filters did not match any test files'
    r'|^error: regex ".*" matched 0 tests|^No tests found!'
)

INTEREST = f"{_START}|{_COUNT}|{_RAN}|{_RED}|{_RETRIED}|{_NOTHING}"

_starts = re2.compile(_START).match
_count = re2.compile(_COUNT).match
_ran = re2.compile(_RAN).match
_red = re2.compile(_RED).match
_retried = re2.compile(_RETRIED).match
_nothing = re2.compile(_NOTHING).match


@dataclass(slots=True)
class _Run:
    line: int
    counts: dict[str, int] = field(default_factory=dict)
    red: int = 0  # result lines of failed tests
    flaky: int = 0


class BunReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _starts(line):
            self.boundary()
            self._run = _Run(number)
        elif self._run is None:
            if _ran(line):
                self._closed.append(closing(RUNNER, number, line, Tally(None, skipped=None), [_NO_START]))
        elif ran := _ran(line):
            self._close(_summary(number, line, self._run, int(ran.group(1))))
        elif _nothing(line):
            self._close(closing(RUNNER, number, line, Tally(), ["no tests were found"]))
        else:
            _add(self._run, line)

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run:
            tally = Tally(run.counts.get("pass", 0), run.red)
            self._unfinished.append(unfinished(RUNNER, run.line, tally, "bun test began, but printed no summary"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _close(self, summary: Summary) -> None:
        self._closed.append(summary)
        self._run = None


_NO_START = "no line says that bun test began: the beginning is missing, or something else printed this"


def _add(run: _Run, line: str) -> None:
    if count := _count(line):
        run.counts[count.group(2)] = int(count.group(1))
    elif _red(line):
        run.red += 1
    elif _retried(line):
        run.flaky += 1


def _summary(number: int, line: str, run: _Run, ran: int) -> Summary:
    counts = run.counts
    failures, errors = counts.get("fail", run.red), counts.get("error", 0)
    failed = failures - max(0, min(errors, failures - run.red))
    tally = Tally(
        counts.get("pass"),
        failed,
        errors,
        counts.get("skip", 0) if counts else None,
        flaky=run.flaky,
        deselected=counts.get("filtered out", 0),
    )
    return closing(RUNNER, number, line, tally, _doubts(run, ran))


def _doubts(run: _Run, ran: int) -> list[str]:
    doubts = []
    if run.red and not run.counts.get("fail"):
        doubts.append("the summary names no failure, but a line above does")
    if sum(run.counts.get(word, 0) for word in ("pass", "skip", "todo", "fail")) != ran:
        doubts.append(f"{ran} tests ran, but the counts do not add up to them")
    return doubts
