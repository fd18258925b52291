"""GoogleTest: `[==========] N tests ran`, `[  PASSED  ] N tests.`, and the lists of skipped and failed tests after it.

The last lines of a run are optional, so it is judged when something else begins. Not every mode prints everything:
with `--gtest_brief=1` no list of failures follows, and `PASSED` is then the one hint that tests are missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs import ctest
from checks.logs.report import Reading, Summary

RUNNER = "googletest"

INTEREST = (
    r"^\[==========\] (?:Running )?\d+ tests? from "
    r"|\[ {7}OK \] \S"
    r"|\[  (?:PASSED |SKIPPED|FAILED ) \] \S"
    r"|^ *\d+ FAILED TEST|^  YOU HAVE \d+ DISABLED TEST"
    rf"|{ctest.SPAN}"
)

_TESTS = re2.compile(r"^\[==========\] (Running )?(\d{1,9}) tests? from \d+ test (?:suite|case)s?(\.| ran\.)")
_RESULT = re2.compile(r"\[  ?(?:     (OK)|(SKIPPED)|(FAILED) ) \] \S+(?:, where .*)?(?: \(\d+ ms\))?$")
_PASSED = re2.compile(r"^\[  PASSED  \] (\d{1,9}) tests?\.$")
_LISTED = re2.compile(r"^\[  (SKIPPED|FAILED ) \] (\d{1,9}) tests?, listed below:$")
_TAIL = re2.compile(r"^ *(?:(\d{1,9}) FAILED TESTS?|(\d{1,9}) FAILED TEST SUITES?|YOU HAVE (\d{1,9}) DISABLED TESTS?)$")


@dataclass(slots=True)
class _Run:
    line: int = 0  # of `Running`, 0 in brief mode
    announced: int | None = None
    ok: int = 0  # result lines of the three kinds
    skips: int = 0
    fails: int = 0
    ran_line: int = 0
    ran: int = 0
    text: str = ""
    passed: int | None = None
    skipped: int = 0
    failed: int = 0
    suites: int = 0  # whose set-up or tear-down failed
    disabled: int = 0
    nested: bool = False

    @property
    def red(self) -> int:
        """Failed tests, by the list or, where none is printed, by their result lines."""
        return max(self.failed, self.fails)


class GoogletestReader:
    def __init__(self) -> None:
        self._span = ctest.Span()
        self._run = _Run()
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if self._span.feed(line):
            self._settle()
        elif tests := _TESTS.match(line):
            self._tests(number, int(tests.group(2)), bool(tests.group(1)))
        elif self._run.ran_line:
            self._closing(line)
        elif result := _RESULT.search(line):
            self._run.ok += bool(result.group(1))
            self._run.skips += bool(result.group(2))
            self._run.fails += bool(result.group(3))

    def boundary(self) -> None:
        self._settle()
        self._span = ctest.Span()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _tests(self, number: int, count: int, starts: bool) -> None:
        if starts or self._run.ran_line:
            self._end()
        if starts:
            self._run.line, self._run.announced = number, count
        else:
            self._run.ran_line, self._run.ran = number, count
        self._run.nested = self._span.inside

    def _closing(self, line: str) -> None:
        run = self._run
        if passed := _PASSED.match(line):
            run.passed, run.text = int(passed.group(1)), line
        elif listed := _LISTED.match(line):
            if listed.group(1) == "SKIPPED":
                run.skipped = int(listed.group(2))
            else:
                run.failed = int(listed.group(2))
        elif tail := _TAIL.match(line):
            run.failed = max(run.failed, int(tail.group(1) or 0))
            run.suites = max(run.suites, int(tail.group(2) or 0))
            run.disabled = int(tail.group(3) or run.disabled)

    def _settle(self) -> None:
        self._end()
        self._unfinished += self._span.take()

    def _end(self) -> None:
        run, self._run = self._run, _Run()
        if run.passed is not None:
            self._closed.append(_summary(run, run.passed))
        elif run.line or run.ran_line:
            self._lose(_unfinished(run), run.nested)

    def _lose(self, unfinished: Summary, nested: bool) -> None:
        if nested:
            self._span.hold(unfinished)
        else:
            self._unfinished.append(unfinished)


def _summary(run: _Run, passed: int) -> Summary:
    reasons = tuple(_reasons(run, passed))
    return Summary(
        runner=RUNNER,
        line=run.ran_line,
        text=run.text,
        passed=passed,
        failed=run.red,
        errors=run.suites,
        skipped=run.skipped,
        green=False if reasons else (True if passed else None),
        reasons=reasons,
        counted=not run.nested,
        deselected=run.disabled,
    )


def _reasons(run: _Run, passed: int) -> list[str]:
    reasons = []
    if run.red or run.suites:
        reasons.append(f"{run.red} tests and {run.suites} suites failed")
    elif run.announced not in (None, run.ran):
        reasons.append(f"{run.announced} tests were announced, but {run.ran} ran")
    elif run.announced is not None and run.ok + run.skips != run.ran:
        reasons.append(f"{run.ran} tests ran, but {run.ok + run.skips} have a result line")
    elif passed + run.skipped != run.ran:
        reasons.append(f"{run.ran} tests ran, but {passed} passed and {run.skipped} were skipped")
    return reasons


def _unfinished(run: _Run) -> Summary:
    return Summary(
        runner=RUNNER,
        line=run.line or run.ran_line,
        text="",
        passed=run.ok,
        failed=run.fails,
        errors=0,
        skipped=run.skips,
        green=False,
        reasons=("the test program ended without saying how many tests passed",),
    )
