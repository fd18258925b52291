"""Pest, and the printer that it shares with Laravel's `artisan test`: `  Tests:    1 failed, 2 passed (3 assertions)`.

The line of counts is followed by that of the time. There is no line where a run starts, so several summaries in one
step are believed only if the check marks before each account for what passed. Risky, incomplete and to-do tests are
neither passed nor skipped. https://pestphp.com/docs/writing-tests
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import re2

from checks.logs.parts import Counts, not_green, part, unfinished
from checks.logs.report import Reading, Summary

RUNNER = "pest"

INTEREST = r"^ {1,2}Tests: +\d|^ {1,2}(?:Duration|Time): +\d|^  ✓ |^ {2,3}FAIL  "

_WORD = r"(?:failed|warnings?|deprecated|notices?|risky|incomplete|todos?|skipped|pending|passed)"
_counts = re2.compile(
    r"^ {1,2}Tests: +((?:\d{1,9} " + _WORD + r", )*\d{1,9} " + _WORD + r")(?: \(\d{1,9} assertions?\))?$"
).match
_times = re2.compile(r"^ {1,2}(?:Duration|Time): +[\d.,]+s$").match


@dataclass(slots=True)
class _Run:
    passed: int = 0  # check marks
    red: int | None = None  # first line that names a file with failures
    line: int = 0
    text: str = ""
    counts: Counter[str] | None = None


class PestReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._sound: list[bool] = []  # for each summary of the step: the check marks account for it
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        run = self._run
        if counts := _counts(line):
            pairs = (item.split(" ") for item in counts.group(1).split(", "))
            run.counts = Counter({word: int(count) for count, word in pairs})
            run.line, run.text = number, line
        elif run.counts is not None and run.line == number - 1 and _times(line):
            self._close(run, run.counts)
        elif line.startswith("  ✓ "):
            run.passed += 1
        elif line.lstrip().startswith("FAIL "):
            run.red = run.red or number

    def boundary(self) -> None:
        run, self._run, self._sound = self._run, _Run(), []
        if run.counts is not None:
            self._unfinished.append(unfinished(RUNNER, run.line, "the summary is cut"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _close(self, run: _Run, counts: Counter[str]) -> None:
        self._run = _Run()
        summary = _summary(run, counts)
        self._sound.append(run.passed == summary.passed)
        if len(self._sound) > 1 and not all(self._sound):
            reason = "several summaries in one step, and the check marks do not account for each"
            summary = not_green(summary, reason)
        self._closed.append(summary)


def _summary(run: _Run, counts: Counter[str]) -> Summary:
    # What was deprecated or noticed was so in tests that passed.
    passed = counts["passed"] + counts["deprecated"] + counts["notice"] + counts["notices"]
    doubts = []
    if run.red and not counts["failed"]:
        doubts.append(f"the summary names no failure, but line {run.red} says FAIL")
    if counts["pending"]:
        doubts.append(f"{counts['pending']} tests did not run")
    found = Counts(passed, counts["failed"], 0, counts["skipped"])
    return part(RUNNER, run.line, run.text, found, doubts, whole=True)
