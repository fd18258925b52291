"""Maven's surefire and failsafe: one total a module and goal, and `BUILD SUCCESS` or `BUILD FAILURE` around them all.

A line for each class has the same words as a total and a time beside them; only totals are added up, since classes
can be counted differently (nested ones, reruns). A total follows `Results:`, and there is one for every ` T E S T S `
headline, so a printed one is one too many. https://maven.apache.org/surefire/maven-surefire-plugin/
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import re2

from checks.logs.parts import Counts, broken, empty, not_green, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "maven"

# The prefix [INFO] is gone when a line comes here.
_LEVEL = r"^(?:\[(?:ERROR|WARNING|WARN)\] )?"

INTEREST = (
    r"^Scanning for projects\.\.\.$|^ ?T E S T S$|^BUILD (?:SUCCESS|FAILURE|ERROR)"
    r"|^-+ (?:maven-)?(?:surefire|failsafe)[-:]|<<< (?:FAILURE|ERROR)!"
    r"|^(?:\[(?:ERROR|WARNING|WARN)\] )?(?:Results ?:$|Tests run: \d|COMPILATION ERROR|Failed to execute goal )"
)

_starts = re2.compile(r"^Scanning for projects\.\.\.$").match
_runs_goal = re2.compile(r"^-+ (?:maven-)?(?:surefire|failsafe)(?:-plugin)?:[^ ]+:(?:test|integration-test) \(").match
_opens = re2.compile(r"^ ?T E S T S$").match
_awaits_total = re2.compile(_LEVEL + r"Results ?:$").match
_total = re2.compile(
    _LEVEL + r"Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})"
    r"(?:, Flakes: (\d{1,9}))?$"
).match
_red_class = re2.compile(r" Time elapsed: .*<<< (?:FAILURE|ERROR)!").search
_compile_error = re2.compile(_LEVEL + r"COMPILATION ERROR ?:").match
_ends = re2.compile(r"^BUILD (?:SUCCESS|SUCCESSFUL|FAILURE|ERROR)$").match
_explains = re2.compile(_LEVEL + r"Failed to execute goal ").match
_tests_broke = re2.compile(r"(?:surefire|failsafe)(?:-plugin)?:").search
_no_tests = re2.compile(r"No tests (?:were executed|matching )").search


@dataclass(slots=True)
class _Build:
    line: int
    headlines: int = 0
    awaited: int = 0  # lines `Results:` without their total
    totals: int = 0  # not more than headlines
    last: int = -1  # index of the last total's summary
    red: bool = False  # a total names failures
    flaky: int = 0
    red_class: int | None = None  # first line of a class or test that failed
    goal: bool = False  # one that runs tests
    compile_errors: int = 0
    failure: int | None = None  # line of BUILD FAILURE

    @property
    def tested(self) -> bool:
        return bool(self.headlines or self.last >= 0 or self.goal)


class MavenReader:
    def __init__(self) -> None:
        self._build: _Build | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if _starts(line):
            self.boundary()
            self._build = _Build(number)
        elif _explains(line):
            self._explained(line)
        elif _ends(line):
            self._end(number, line)
        else:
            self._body(number, line)

    def boundary(self) -> None:
        self._explained("")
        build, self._build = self._build, None
        if build and build.tested:
            self._unfinished.append(unfinished(RUNNER, build.line, "the build has no closing line"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _body(self, number: int, line: str) -> None:
        build = self._build = self._build or _Build(number)
        if _opens(line):
            build.headlines += 1
        elif _awaits_total(line):
            build.awaited += 1
        elif _runs_goal(line):
            build.goal = True
        elif _compile_error(line):
            build.compile_errors += 1
        elif total := _total(line):
            self._total(build, _summary(number, line, [int(count or 0) for count in total.groups()]))
        elif _red_class(line):
            build.red_class = build.red_class or number

    def _total(self, build: _Build, summary: Summary) -> None:
        if not build.awaited:
            return  # printed by something else
        build.awaited -= 1
        if build.totals < build.headlines:
            build.totals += 1
        else:
            self._replace_earlier(build)
            summary = not_green(summary, "more totals than test runs in one build")
        build.red = build.red or summary.green is False
        build.flaky += summary.flaky
        build.last = len(self._closed)
        self._closed.append(summary)

    def _replace_earlier(self, build: _Build) -> None:
        """The last total of a test run is its own; what was printed before it was printed by something else."""
        if build.last >= 0:
            earlier = not_green(self._closed[build.last], "another total of the same test run follows it")
            self._closed[build.last] = replace(earlier, counted=False)

    def _end(self, number: int, line: str) -> None:
        self._explained("")
        build, self._build = self._build, None
        if build is None:
            return
        if build.headlines > build.totals:
            self._unfinished.append(unfinished(RUNNER, build.line, "a test run of the build has no total"))
        if line.startswith("BUILD SUCCESS"):
            self._succeeded(number, line, build)
        else:
            # What broke is said some lines further down.
            self._build, build.failure = build, number

    def _succeeded(self, number: int, line: str, build: _Build) -> None:
        if build.red_class and not build.red and not build.flaky:
            self._reds.append(Red(build.red_class, "a test failed, but no total of the build says so"))
        elif build.tested and build.last < 0:
            self._closed.append(empty(RUNNER, number, line))

    def _explained(self, cause: str) -> None:
        """The end of a failed build: `cause` is the line that explains it, or empty if there was none."""
        build = self._build
        if build is None or build.failure is None:
            return
        self._build = None
        if errors := build.compile_errors or int(_broke(build, cause)):
            reason = "the build broke outside the tests"
            self._closed.append(broken(RUNNER, build.failure, "BUILD FAILURE", reason, errors))
        elif build.last < 0:
            self._closed.append(broken(RUNNER, build.failure, "BUILD FAILURE", "no tests were executed", errors=0))
        elif not build.red:
            self._reds.append(Red(build.failure, "the build failed"))


def _broke(build: _Build, cause: str) -> bool:
    """Whether something outside the tests broke: nothing ran, or the goal that runs tests failed and no test did."""
    if build.red or _no_tests(cause):
        return False
    return build.last < 0 or bool(_tests_broke(cause))


def _summary(number: int, line: str, counts: list[int]) -> Summary:
    run, failed, errors, skipped, flaky = counts
    passed = max(0, run - failed - errors - skipped)
    return replace(part(RUNNER, number, line, Counts(passed, failed, errors, skipped)), flaky=flaky)
