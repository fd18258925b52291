"""Gradle: `BUILD SUCCESSFUL` or `BUILD FAILED` around its tasks, and totals only of tasks whose tests failed.

A successful test task prints no counts of its own. It has some if the build logs `passed` events, uses a test logger
plugin, or prints the usual line of results after each suite. Without any the counts are unknown, which is not green.
What tests print is indented by Gradle, so nothing that must stand at the beginning of a line comes from them.
https://docs.gradle.org/current/userguide/java_testing.html
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import re2

from checks.logs.parts import Counts, broken, empty, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "gradle"

INTEREST = (
    r"^(?:> Task )?:[A-Za-z_][^ ]*(?: [A-Z-]+)?$|^\S.* > .* (?:STARTED|PASSED|FAILED|SKIPPED)$"
    r"|^\d+ tests? completed, |^(?:SUCCESS|FAILURE): Executed \d|^[|* ]*(?:Test )?[Rr]esults?: [A-Z]+ \(\d"
    r"|^(?:> )?Execution failed for task '|^> No tests found for given includes|^FAILURE: Build "
    r"|^BUILD (?:SUCCESSFUL|FAILED)"
)

_task = re2.compile(r"^(?:> Task )?(:[\w:.$-]+)(?: (FAILED|UP-TO-DATE|FROM-CACHE|NO-SOURCE|SKIPPED))?$").match
_event = re2.compile(r"^\S.* > .* (STARTED|PASSED|FAILED|SKIPPED)$").match
_OWN_TOTAL = r"^(\d{1,9}) tests? completed, (\d{1,9}) failed(?:, (\d{1,9}) skipped)?$"
# https://github.com/radarsh/gradle-test-logger-plugin
_LOGGER_TOTAL = (
    r"^(?:SUCCESS|FAILURE): Executed (\d{1,9}) tests? in [\w .]+"
    r"(?: \((?:(\d{1,9}) failed)?(?:, )?(?:(\d{1,9}) skipped)?\))?$"
)
# What build scripts do in `afterSuite`.
_SCRIPT_TOTAL = (
    r"^[|* ]*(?:Test )?[Rr]esults?: [A-Z]+ \((\d{1,9}) tests?, \d{1,9} (?:success(?:es|ful)?|passed)"
    r", (\d{1,9}) (?:failures|failed), (\d{1,9}) skipped\)"
)
_totals = tuple(re2.compile(pattern).match for pattern in (_OWN_TOTAL, _LOGGER_TOTAL, _SCRIPT_TOTAL))
_fails = re2.compile(r"^(?:> )?Execution failed for task '(:[\w:.$-]+)'").match
_ends = re2.compile(r"^BUILD (SUCCESSFUL|FAILED)(?: in .*)?$").match
_tests = re2.compile(r":(?:test|\w+Tests?)$").search
_checks = re2.compile(
    r":(?:compile|process|checkstyle|pmd|cpd|spotbugs|findbugs|codenarc|detekt|ktlint|lint)\w*$"
).search
_compiles = re2.compile(r":compile\w*$").search
_names_tests = re2.compile(r":\w*[tT]est\w*$").search

_CACHED = frozenset({"UP-TO-DATE", "FROM-CACHE"})


@dataclass(slots=True)
class _Build:
    line: int
    task: str = ""
    states: dict[str, str] = field(default_factory=dict)  # of test tasks: how Gradle labels them, empty if they ran
    events: dict[str, Counter[str]] = field(default_factory=dict)  # outcomes that are shown test by test
    totals: dict[tuple[str, int], int] = field(default_factory=dict)  # task and grammar: index of the summary
    red: int = 0  # totals that name failures
    broken: set[str] = field(default_factory=set)  # tasks
    none_found: bool = False
    failed: bool = False  # the failure is explained, so this surely is Gradle

    @property
    def tested(self) -> bool:
        return bool(self.states or self.totals or (self.events and self.task))


class GradleReader:
    def __init__(self) -> None:
        self._build: _Build | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        build = self._build = self._build or _Build(number)
        if ends := _ends(line):
            self._build = None
            self._end(number, line, build, ends.group(1))
        elif task := _task(line):
            _begin(build, *task.groups())
        elif event := _event(line):
            build.events.setdefault(build.task, Counter())[event.group(1)] += 1
        elif not self._total(number, line, build):
            _explain(build, line)

    def boundary(self) -> None:
        build, self._build = self._build, None
        if build and build.tested:
            self._closed += _shown(build, build.line)
            self._unfinished.append(unfinished(RUNNER, build.line, "the build has no closing line"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _total(self, number: int, line: str, build: _Build) -> bool:
        for grammar, matches in enumerate(_totals):
            if total := matches(line):
                self._add(grammar, build, _summary(number, line, *(int(count or 0) for count in total.groups())))
                return True
        return False

    def _add(self, grammar: int, build: _Build, summary: Summary) -> None:
        """A task can be closed once in each grammar: Gradle's own words, a plugin's, the build script's."""
        for (task, other), index in build.totals.items():
            if task == build.task and other != grammar:
                self._closed[index] = replace(self._closed[index], counted=False)
        build.totals[build.task, grammar] = len(self._closed)
        build.red += summary.green is False
        self._closed.append(summary)

    def _end(self, number: int, line: str, build: _Build, word: str) -> None:
        shown = _shown(build, number)
        self._closed += shown
        if word == "FAILED":
            self._failed(number, line, build)
            return
        self._succeeded(number, build)
        if build.states and not shown and not build.totals:
            self._closed.append(_uncounted(number, line, build))

    def _succeeded(self, number: int, build: _Build) -> None:
        seen = sum(build.events.values(), Counter[str]())
        if seen["FAILED"] and not build.red:
            self._reds.append(Red(number, "a test failed, but the build says it was successful"))
        # A test JVM that exits with 0 does not fail the build: its tests were started, and that is all.
        lost = seen["STARTED"] - seen["PASSED"] - seen["FAILED"] - seen["SKIPPED"]
        if lost > 0:
            self._reds.append(Red(number, f"{lost} tests started and never ended"))

    def _failed(self, number: int, line: str, build: _Build) -> None:
        if build.none_found:
            self._closed.append(broken(RUNNER, number, line, "no tests were found", errors=0))
        elif errors := _errors(build):
            self._closed.append(broken(RUNNER, number, line, "the build broke outside the tests", errors))
        elif build.tested and not build.red:
            self._reds.append(Red(number, "the build failed"))


def _begin(build: _Build, path: str, state: str | None) -> None:
    build.task = path
    if _tests(path) and not _checks(path):
        build.states[path] = state or build.states.get(path, "")


def _explain(build: _Build, line: str) -> None:
    if fails := _fails(line):
        build.broken.add(fails.group(1))
    elif line.startswith("> No tests found"):
        build.none_found = True
    elif line.startswith("FAILURE: Build "):
        build.failed = True


def _errors(build: _Build) -> int:
    """What broke outside a test: what did not compile, test tasks that failed without a failed test, or all."""
    compiled = [path for path in build.broken if _compiles(path)]
    tested = [path for path in build.broken if _names_tests(path) and path not in compiled]
    errors = len(compiled) + max(0, len(tested) - build.red)
    return errors or int(build.failed and not build.tested)


def _shown(build: _Build, number: int) -> list[Summary]:
    """Summaries of tasks without a total whose tests are shown one by one, the passed ones too."""
    closed = {task for task, _ in build.totals}
    return [
        part(RUNNER, number, f"{task}: test by test", Counts(seen["PASSED"], seen["FAILED"], skipped=seen["SKIPPED"]))
        for task, seen in build.events.items()
        if task and seen["PASSED"] and task not in closed
    ]


def _summary(number: int, line: str, run: int, failed: int, skipped: int) -> Summary:
    return part(RUNNER, number, line, Counts(max(0, run - failed - skipped), failed, skipped=skipped))


def _uncounted(number: int, line: str, build: _Build) -> Summary:
    """Test tasks without a word about their tests."""
    states = set(build.states.values())
    unknown = replace(empty(RUNNER, number, line), passed=None, skipped=None, counted=False, silent=True)
    if "" in states:
        return unknown
    if states & _CACHED:
        reason = "the tests were not run, their result was up to date or from the build cache"
        return replace(unknown, green=False, reasons=(reason,), cached=True)
    return empty(RUNNER, number, line)
