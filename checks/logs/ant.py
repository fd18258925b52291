"""Ant's `junit` and `junitlauncher` tasks: one line of counts a suite, no total, and the end of the build.

The summary of the task and a formatter can both be printed, each with its own headline and the same counts. The
prefix `[junit]` is gone when a line comes here, so Maven's old lines for classes look the same: they are left out.
https://ant.apache.org/manual/Tasks/junit.html
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.parts import Counts, broken, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "ant junit"

_LAUNCHER = r"^(?: *\[junitlauncher\] )?"

INTEREST = (
    r"^Buildfile: |^(?: *\[junitlauncher\] )?(?:(?:Testsuite: |Running )[^ ]+$|Tests run: \d)"
    r"|^Test [^ ]+ FAILED|^-{13} (?:Standard |-{16} )"
    r"|^BUILD (?:SUCCESSFUL|FAILED|SUCCESS|FAILURE)$|^ ?T E S T S$|^Scanning for projects\.\.\.$"
)

_suite = re2.compile(_LAUNCHER + r"(Testsuite|Running):? ([\w.$]+)$").match
_counts = re2.compile(
    _LAUNCHER + r"Tests run: (\d{1,9}), Failures: (\d{1,9}), (Errors|Aborted): (\d{1,9})(?:, Skipped: (\d{1,9}))?"
    r", Time elapsed: [\d.,]+ sec$"
).match
_red = re2.compile(r"^Test \S+ FAILED(?: \((?:crashed|timeout)\))?$").match
_ends = re2.compile(r"^BUILD (SUCCESSFUL|FAILED)$").match


@dataclass(slots=True)
class _Build:
    announced: bool = False  # Ant itself said that it begins
    line: int = 0  # of the first suite
    suite: str = ""
    formatted: bool = False  # a formatter prints into this log
    headline: bool = False  # a formatter's headline stands before the next counts
    counts: dict[str, str] = field(default_factory=dict)  # last counts of each suite
    open: bool = False  # a suite has a headline and no counts yet
    red: bool = False
    red_line: int | None = None  # the task says that a suite failed


class AntReader:
    def __init__(self) -> None:
        self._build = _Build()
        self._in_maven = False
        self._quoting = False  # inside what a formatter quotes of a suite's own output
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if line.endswith(("T E S T S", "BUILD SUCCESS", "BUILD FAILURE", "Scanning for projects...")):
            self._in_maven = line.endswith("T E S T S")
        elif line.startswith("-"):
            self._quoting = "Standard" in line
        elif not self._in_maven and not self._quoting:
            self._line(number, line)

    def boundary(self) -> None:
        build, self._build, self._in_maven, self._quoting = self._build, _Build(), False, False
        if build.line:
            self._unfinished.append(unfinished(RUNNER, build.line, "the build has no closing line"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _line(self, number: int, line: str) -> None:
        if line.startswith("Buildfile: "):
            self.boundary()
            self._build.announced = True
        elif suite := _suite(line):
            self._headline(number, suite.group(1), suite.group(2))
        elif counts := _counts(line):
            self._counts(number, line, counts.groups())
        elif ends := _ends(line):
            self._end(number, ends.group(1))
        elif _red(line):
            self._build.red_line = self._build.red_line or number

    def _headline(self, number: int, kind: str, name: str) -> None:
        build = self._build
        build.suite, build.open = name, True
        if kind == "Testsuite":
            build.line = build.line or number
            build.formatted = build.headline = True

    def _counts(self, number: int, line: str, groups: tuple[str | None, ...]) -> None:
        build = self._build
        if not build.suite:
            return  # a suite's counts follow its name
        build.line = build.line or number
        repeats = build.formatted and not build.headline and build.counts.get(build.suite) == line
        build.counts[build.suite], build.headline, build.open = line, False, False
        if not repeats:
            summary = _summary(number, f"{build.suite}: {line}", groups)
            build.red = build.red or summary.green is False
            self._closed.append(summary)

    def _end(self, number: int, word: str) -> None:
        build, self._build = self._build, _Build()
        if build.line and build.open:
            reason = f"the suite {build.suite[:200]} has no counts"
            self._unfinished.append(unfinished(RUNNER, build.line, reason))
        if build.red_line and not build.red:
            self._reds.append(Red(build.red_line, "a suite failed, but no counts say so"))
        elif word == "FAILED" and build.line and not build.red:
            self._reds.append(Red(number, "the build failed"))
        elif word == "FAILED" and build.announced and not build.line:
            self._closed.append(broken(RUNNER, number, "BUILD FAILED", "the build broke before its tests"))


def _summary(number: int, text: str, groups: tuple[str | None, ...]) -> Summary:
    run, failed, more, skipped = (int(groups[index] or 0) for index in (0, 1, 3, 4))
    if groups[2] == "Aborted":  # the JUnit Platform counts tests that were started: skipped ones are not among them
        return part(RUNNER, number, text, Counts(max(0, run - failed - more), failed, 0, skipped + more))
    return part(RUNNER, number, text, Counts(max(0, run - failed - more - skipped), failed, more, skipped))
