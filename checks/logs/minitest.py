"""minitest (Rails' test runner and minitest-reporters too) and test-unit: `3 runs, 4 assertions, 0 failures, ...`.

Both print a line before the first test, and `Finished in ...` after the last one, before the counts. A process that
is ended from inside a test prints neither. Processes side by side mix their lines, so these are counted in a step.
https://docs.seattlerb.org/minitest/
"""

from __future__ import annotations

from dataclasses import replace

import re2

from checks.logs.parts import Counts, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "minitest"
TEST_UNIT = "test-unit"

INTEREST = (
    r"^(?:Run options: |Started with run options |# Running tests with run options ).*--seed \d|^Loaded suite \S"
    r"|^Finished (?:tests )?in \d|^\d+ (?:runs|tests), \d+ assertions, |Interrupted\. Exiting\.\.\.$"
)

_starts = re2.compile(r"^(?:Run options: |Started with run options |# Running tests with |Loaded suite )").match
_finishes = re2.compile(r"^Finished (?:tests )?in \d").match
_totals = re2.compile(
    r"^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors"
    r"(?:, (\d{1,9}) skips|, (\d{1,9}) pendings, (\d{1,9}) omissions, \d{1,9} notifications)$"
).match


class MinitestReader:
    def __init__(self) -> None:
        self._line = 0  # of the step's first run
        self._started = self._finished = self._ended = 0  # runs of the step
        self._interrupted = False
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if _starts(line):
            self._line = self._line or number
            self._started += 1
        elif _finishes(line):
            self._finished += 1
        elif totals := _totals(line):
            self._close(number, line, *(int(count or 0) for count in totals.groups()))
        elif line.endswith("Interrupted. Exiting..."):
            self._interrupted = True

    def boundary(self) -> None:
        if (runs := self._started - self._ended) > 0:
            reason = f"{runs} runs of tests have no summary" if runs > 1 else "the run of tests has no summary"
            self._unfinished.append(unfinished(RUNNER, self._line, reason))
        self._line = self._started = self._finished = self._ended = 0
        self._interrupted = False

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _close(self, number: int, line: str, *counts: int) -> None:
        if self._finished <= self._ended:
            return  # printed by a test, or the sum that a tool for parallel runs adds
        self._ended += 1
        if 0 < self._started < self._ended:
            self._reds.append(Red(number, f"{self._ended} summaries for {self._started} runs: not all are real"))
        self._closed.append(_summary(number, line, self._interrupted, *counts))
        self._interrupted = False


def _summary(number: int, line: str, interrupted: bool, run: int, failed: int, errors: int, *skips: int) -> Summary:
    skipped = sum(skips)
    counts = Counts(max(0, run - failed - errors - skipped), failed, errors, skipped)
    doubts = ("the run was interrupted before its end",) if interrupted else ()
    runner = TEST_UNIT if line.endswith(" notifications") else RUNNER
    return replace(part(runner, number, line, counts, doubts, whole=True), interrupted=interrupted)
