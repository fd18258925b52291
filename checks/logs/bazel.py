"""Bazel: `Executed 1 out of 2 tests: 2 tests pass.` closes a run. A test is a target, whatever runs within it.

What did not run came from the cache, and with `--test_output=all` its output is printed again like that of the others.
Source: the tool's own logs (tests/checks/logs/real/native) and https://bazel.build/docs/user-manual#test-summary.
"""

from __future__ import annotations

from dataclasses import replace

import re2

from checks.logs.parts import Counts, broken, not_green, part, unfinished
from checks.logs.report import Reading, Summary

RUNNER = "bazel"
INTEREST = r"^Executed \d|^//\S+   |^ERROR: No test targets were found"

_EXECUTED = re2.compile(r"^Executed (\d{1,9}) out of (\d{1,9}) tests?: (.{1,300})$")
_TARGET = re2.compile(r"^//\S+ {3,}(\S.*)$")
_PART = re2.compile(r"(\d{1,9}) (tests? pass(?:es)?|fails? to build|fails? (?:locally|remotely)|(?:was|were) skipped)")


class BazelReader:
    def __init__(self) -> None:
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._first = 0  # line of the first target whose run has no closing line yet
        self._flaky = 0

    def feed(self, number: int, line: str) -> None:
        if executed := _EXECUTED.match(line):
            ran, targets = int(executed.group(1)), int(executed.group(2))
            summary = _summary(number, line, ran, _counted(executed.group(3), targets))
            self._close(replace(summary, flaky=min(self._flaky, summary.passed or 0)))
        elif line.startswith("ERROR"):
            self._close(broken(RUNNER, number, line, "no test targets were found", errors=0))
        elif target := _TARGET.match(line):
            self._first = self._first or number
            self._flaky += "FLAKY" in target.group(1)

    def boundary(self) -> None:
        if self._first:
            self._unfinished.append(unfinished(RUNNER, self._first, "the run has no closing line"))
        self._first = self._flaky = 0

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _close(self, summary: Summary) -> None:
        self._closed.append(summary)
        self._first = self._flaky = 0


def _counted(text: str, targets: int) -> Counts:
    """`2 tests pass, 1 fails to build and 1 was skipped`. Targets of which it says nothing count as broken."""
    found = {"pass": 0, "build": 0, "fail": 0, "skipped": 0}
    for number, words in _PART.findall(text):
        found[next(key for key in found if key in words)] += int(number)
    left = max(0, targets - sum(found.values()))
    return Counts(found["pass"], found["fail"], found["build"] + left, found["skipped"])


def _summary(number: int, line: str, ran: int, counts: Counts) -> Summary:
    """Flaky targets whose earlier attempts are cached do not count as executed."""
    summary = part(RUNNER, number, line, counts, whole=True)
    cached = counts.passed + counts.failed - ran
    if cached <= 0:
        return summary
    return replace(
        not_green(summary, f"results of {cached} targets are from the cache, not of a fresh run"), cached=True
    )
