"""sbt, and ScalaTest wherever it runs: a line of counts a project, then `[success]` or `[error] Total time: ...`.

sbt prints its own line (`Passed: Total 3, Failed 0, ...`) only if the framework has no summary of its own or if there
are several frameworks, and then it covers theirs. sbt 2 counts suites in that line, not tests.
https://www.scala-sbt.org/1.x/docs/Testing.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.parts import Counts, broken, empty, not_green, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "sbt"
SCALATEST = "scalatest"

INTEREST = (
    r"^\[(?:info|error|warn)\] +(?:(?:[Pp]assed|[Ff]ailed|[Ee]rror): [Tt]otal \d|ScalaTest$|ScalaCheck$"
    r"|\d+ examples?, |No tests to run for )"
    r"|^(?:\[(?:info|error|warn)\] +)?(?:Suites: completed \d|Tests: succeeded \d|All tests passed\.$"
    r"|\*\*\* [A-Z0-9 ]+ \*\*\*$)"
    r"|^\[(?:success|error)\] (?:Total time|elapsed)"
)

_LEVEL = r"^\[(?:info|error|warn)\] +"
_MAYBE = r"^(?:\[(?:info|error|warn)\] +)?"
_standard = re2.compile(
    _LEVEL + r"(?:Passed|Failed|Error): Total (\d{1,9}), Failed (\d{1,9}), Errors (\d{1,9}), Passed (\d{1,9})"
    r"((?:, (?:Skipped|Ignored|Canceled|Pending) \d{1,9})*)$"
).match
_suites = re2.compile(
    _LEVEL + r"(?:passed|failed|error): total \d{1,9}, failed (\d{1,9}), errors (\d{1,9}), passed \d{1,9}"
    r"(?:, cached (\d{1,9}))?$"
).match
_aborted = re2.compile(_MAYBE + r"Suites: completed \d{1,9}, aborted (\d{1,9})$").match
_scalatest = re2.compile(
    _MAYBE + r"Tests: succeeded (\d{1,9}), failed (\d{1,9}), canceled (\d{1,9}), ignored (\d{1,9})"
    r", pending (\d{1,9})$"
).match
_framework = re2.compile(_LEVEL + r"(?:ScalaTest|ScalaCheck)$").match
_red_verdict = re2.compile(_MAYBE + r"\*\*\* (?:\d+ (?:SUITES?|TESTS?)|RUN) (?:ABORTED|FAILED) \*\*\*$").match
_specs2 = re2.compile(
    _LEVEL + r"\d{1,9} examples?, (?:\d{1,9} expectations?, )?\d{1,9} failures?, \d{1,9} errors?"
).match
_ends = re2.compile(r"^\[(success|error)\] (?:Total time|elapsed(?: time)?): ").match


@dataclass(slots=True)
class _Command:
    """One command of sbt: it ends with its time. Outside sbt, ScalaTest's verdict ends a run."""

    line: int = 0
    sbt: bool = False
    frameworks: bool = False  # names of frameworks are printed: sbt's own line will cover them
    named: int = -1  # line of the last name of a framework
    aborted: int = 0
    pending: list[int] = field(default_factory=list)  # summaries that sbt's own line may cover
    specs2: int | None = None  # line of specs2's counts, which sbt's own line covers
    scalatest: bool = False  # a run of ScalaTest has counts and no verdict yet
    none: int | None = None
    summaries: int = 0
    red: bool = False


class SbtReader:
    def __init__(self) -> None:
        self._command = _Command()
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        command = self._command
        command.line = command.line or number
        command.sbt = command.sbt or line[0] == "["
        if ends := _ends(line):
            self._end(number, line, ends.group(1))
        elif standard := _standard(line):
            self._standard(number, line, command, *standard.groups())
        elif suites := _suites(line):
            self._add(command, _by_suites(number, line, *(int(count or 0) for count in suites.groups())))
        elif tests := _scalatest(line):
            self._scalatest(number, line, command, *(int(count) for count in tests.groups()))
        else:
            self._mark(number, line, command)

    def boundary(self) -> None:
        command, self._command = self._command, _Command()
        if command.sbt and (command.summaries or command.specs2):
            self._unfinished.append(unfinished(RUNNER, command.line, "the sbt command has no closing line"))
        elif command.scalatest:
            self._unfinished.append(unfinished(SCALATEST, command.line, "the run of ScalaTest has no verdict"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _mark(self, number: int, line: str, command: _Command) -> None:
        if aborted := _aborted(line):
            command.aborted = int(aborted.group(1))
        elif _framework(line):
            command.frameworks, command.named = True, number
        elif _specs2(line):
            command.specs2 = number
        elif "No tests to run for " in line:
            command.none = number
        elif line.endswith("All tests passed."):
            self._verdict(command)
        elif _red_verdict(line):
            if not command.red:
                self._reds.append(Red(number, "ScalaTest says that something failed, but its counts do not"))
            self._verdict(command)

    def _add(self, command: _Command, summary: Summary) -> None:
        command.summaries += 1
        command.red = command.red or summary.green is False
        self._closed.append(summary)

    def _standard(self, number: int, line: str, command: _Command, *groups: str) -> None:
        command.specs2 = None
        if command.named == number - 1:  # ScalaCheck's own summary has the same words
            command.pending.append(len(self._closed))
        else:
            self._cover(command, int(groups[3]), int(groups[1]))
        self._add(command, _standard_summary(number, line, [int(count) for count in groups[:4]], groups[4]))

    def _cover(self, command: _Command, passed: int, failed: int) -> None:
        """The summaries of frameworks that sbt's own line has among its counts are not added up."""
        for index in command.pending:
            earlier = self._closed[index]
            if command.frameworks or (earlier.passed, earlier.failed) == (passed, failed):
                self._closed[index] = replace(earlier, counted=False)
        command.pending, command.frameworks = [], False

    def _scalatest(self, number: int, line: str, command: _Command, *counts: int) -> None:
        command.pending.append(len(self._closed))
        command.scalatest = True
        passed, failed, canceled, ignored, pending = counts
        runner = RUNNER if line[0] == "[" else SCALATEST
        found = Counts(passed, failed, command.aborted, canceled + ignored + pending)
        self._add(command, part(runner, number, line, found))
        command.aborted = 0

    def _verdict(self, command: _Command) -> None:
        command.scalatest = False
        if not command.sbt:
            self._command = _Command()

    def _end(self, number: int, line: str, word: str) -> None:
        command, self._command = self._command, _Command()
        if command.specs2:
            self._unfinished.append(unfinished(RUNNER, command.specs2, "counts of specs2 without those of sbt"))
        if word == "success":
            if command.none and not command.summaries:
                self._closed.append(empty(RUNNER, command.none, "No tests to run"))
        elif not command.summaries:
            self._closed.append(broken(RUNNER, number, line, "the sbt command failed before its tests"))
        elif not command.red:
            self._reds.append(Red(number, "the sbt command failed"))


def _standard_summary(number: int, line: str, counts: list[int], more: str) -> Summary:
    total, failed, errors, passed = counts
    others = {word: int(count) for word, count in (item.split(" ") for item in more.split(", ")[1:])}
    doubts = []
    if "] Passed: " not in line and not failed and not errors:
        doubts.append("the counts name no failure, but their headline does")
    if total != passed + failed + errors + others.get("Skipped", 0):
        doubts.append("the counts do not add up to their total")
    return part(RUNNER, number, line, Counts(passed, failed, errors, sum(others.values())), doubts)


def _by_suites(number: int, line: str, failed: int, errors: int, cached: int) -> Summary:
    unknown = replace(part(RUNNER, number, line, Counts(0, failed, errors)), passed=None, skipped=None)
    if not cached:
        return unknown
    return replace(not_green(unknown, "results of suites came from the cache"), cached=True)
