"""RSpec: `12 examples, 0 failures, 1 pending`, directly below `Finished in ...`.

There is no line where every run starts. The letters of the progress formatter are counted: an example that ends the
process with `exit` is in the summary as if it had passed, but has no letter.
https://rspec.info/features/3-13/rspec-core/formatters/
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.decode import MAX_LINE
from checks.logs.parts import Counts, not_green, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "rspec"

INTEREST = (
    r"^Finished in \d|^\d+ examples?, |^(?:[.*]|F[.F*]|F$)|^Run options: (?:include|exclude) "
    r"|^RSpec::Retry: |^\d+ process(?:es)? for \d+ specs?|^SimpleCov failed with exit "
)

_finished = re2.compile(r"^Finished in [\d.]+ (?:seconds?|minutes?(?: [\d.]+ seconds?)?)(?: \(files took .*\))?$").match
_totals = re2.compile(
    r"^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?"
    r"(?:, (\d{1,9}) errors? occurred outside of examples)?$"
).match
_letters = re2.compile(r"^(?:[.*]|F[.F*]|F$)").match  # other output can follow on the same line
_filter = re2.compile(r"^Run options: (?:include|exclude) ").match
_retry = re2.compile(r"^RSpec::Retry: \d+(?:st|nd|rd|th) try (\S+)").match
_parallel = re2.compile(r"^\d+ process(?:es)? for \d+ specs?, ~ \d+ specs? per process$").match
_PERHAPS_CUT = MAX_LINE - 96  # the time stamp was on the line when it was cut
_coverage = re2.compile(r"^SimpleCov failed with exit [1-9]").match  # of minitest too


@dataclass(slots=True)
class _Run:
    started: int | None = None  # a line that RSpec prints before its first example
    letters: int = 0
    failed: int = 0  # letters F
    noisy: bool = False  # other output stands between the letters, or they were cut
    retried: set[str] = field(default_factory=set)

    def note(self, line: str) -> None:
        if line.strip(".F*") or len(line) >= _PERHAPS_CUT:
            self.noisy = True
        else:
            self.letters += len(line)
            self.failed += line.count("F")


class RspecReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._finished = -1  # line of the last "Finished in"
        self._parallel = False
        self._closed: list[Summary] = []
        self._sound: list[bool] = []  # for each summary of the step: its letters account for it
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if totals := _totals(line):
            if self._finished == number - 1:
                self._close(number, line, *(int(count or 0) for count in totals.groups()))
        elif _finished(line):
            self._finished = number
        elif _letters(line):
            self._run.note(line)
        else:
            self._mark(number, line)

    def boundary(self) -> None:
        run, self._run = self._run, _Run()
        self._sound, self._parallel = [], False
        if run.started:
            self._unfinished.append(unfinished(RUNNER, run.started, "the run of RSpec has no summary"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _mark(self, number: int, line: str) -> None:
        if _filter(line):
            self._run.started = self._run.started or number
        elif retry := _retry(line):
            self._run.retried.add(retry.group(1))
        elif _parallel(line):
            self._parallel = True
        elif _coverage(line):
            self._reds.append(Red(number, "the required test coverage was not reached"))

    def _close(self, number: int, line: str, *counts: int) -> None:
        run, self._run = self._run, _Run()
        run.noisy = run.noisy or self._parallel
        summary = _summary(number, line, run, *counts)
        self._sound.append(run.letters == counts[0] or self._parallel)
        if len(self._sound) > 1 and not all(self._sound):
            reason = "several summaries in one step, and the letters of the examples do not account for each"
            summary = not_green(summary, reason)
        self._closed.append(summary)


def _summary(number: int, line: str, run: _Run, examples: int, failed: int, pending: int, errors: int) -> Summary:
    counts = Counts(max(0, examples - failed - pending), failed, errors, pending)
    doubts = []
    if run.failed and not failed and not errors and not run.noisy:
        doubts.append(f"the summary names no failure, but {run.failed} letters F were printed")
    if 0 < run.letters < examples and not run.noisy:
        doubts.append(f"{examples} examples are summed up, but only {run.letters} of them ended")
    summary = part(RUNNER, number, line, counts, doubts, whole=True)
    return replace(summary, flaky=max(0, len(run.retried) - failed))
