"""`swift test` and `xcodebuild test`: XCTest and Swift Testing, which often run one after the other.

XCTest prints a total for each suite; only that of the outermost one counts. Its failures are failed assertions, so
failed tests are counted by their own lines where those are shown. Sources of the words: PrintObserver.swift of
swift-corelibs-xctest and Event.HumanReadableOutputRecorder.swift of swift-testing. `--parallel` prints no total.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary

XCTEST, TESTING = "xctest", "swift testing"

INTEREST = (
    r"^Test Suite '.*' (?:started|passed|failed) at |^\s*Executed \d+ tests?, with "
    r"|^Test Case '.*' (?:passed|failed|skipped) \("
    r"|^\S+ Test run (?:started\.|with \d+ tests? )|^\S+ Test .* (?:passed after |failed after |skipped)"
    r"|^(?:error: )?.*[Ee]xited with (?:unexpected )?signal code \d|^\*\* TEST FAILED \*\*"
)

_SUITE = re2.compile(r"^Test Suite '.*' (started|passed|failed) at ")
_EXECUTED = re2.compile(r"^\s*Executed (\d{1,9}) tests?, with (?:(\d{1,9}) tests? skipped and )?(\d{1,9}) failures? \(")
_CASE = re2.compile(r"^Test Case '.*' (passed|failed|skipped) \(")
_RUN = re2.compile(
    r"^\S+ Test run with (\d{1,9}) tests?(?: in \d{1,9} suites?)? (passed|failed) after [\d.]+ seconds?(?: with .*)?\.$"
)
_TEST = re2.compile(r"^\S+ Test .* (passed|failed|skipped)(?: after [\d.]+ seconds?(?: with .*)?\.|\.|: \".*\")$")
_DIED = re2.compile(r"^(?:error: )?.*[Ee]xited with (?:unexpected )?signal code \d")


@dataclass(slots=True)
class _Run:
    line: int = 0  # 0: none is open
    passed: int = 0  # tests, by their own lines
    failed: int = 0
    skipped: int = 0


class SwiftReader:
    def __init__(self) -> None:
        self._suites = 0  # open suites of XCTest, one in the other
        self._xctest, self._testing = _Run(), _Run()
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if suite := _SUITE.match(line):
            self._suite(number, suite.group(1))
        elif executed := _EXECUTED.match(line):
            self._executed(number, line, executed.groups())
        elif case := _CASE.match(line):
            _note(self._xctest, case.group(1))
        elif line.endswith(" Test run started."):
            self._open_testing(number)
        elif run := _RUN.match(line):
            self._close_testing(number, line, int(run.group(1)), run.group(2) == "failed")
        elif line == "** TEST FAILED **" or _DIED.match(line):
            self._reds.append(Red(number, f"the test program failed: {line[:200]}"))
        elif test := _TEST.match(line):
            _note(self._testing, test.group(1))

    def boundary(self) -> None:
        for runner, run in ((XCTEST, self._xctest), (TESTING, self._testing)):
            if run.line:
                self._unfinished.append(_unfinished(runner, run))
        self._suites, self._xctest, self._testing = 0, _Run(), _Run()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _suite(self, number: int, word: str) -> None:
        if word == "started":
            self._suites += 1
            self._xctest.line = self._xctest.line or number
        else:
            self._suites = max(0, self._suites - 1)

    def _executed(self, number: int, line: str, groups: tuple[str | None, ...]) -> None:
        if self._suites:
            return
        run, self._xctest = self._xctest, _Run()
        executed, skipped, failures = (int(group or 0) for group in groups)
        failed = run.failed or min(failures, executed - skipped)
        reasons = [] if run.line else ["the total has no start: the beginning is missing, or something else printed it"]
        if failures or run.failed:
            reasons = [f"{failed} failed"]
        self._closed.append(_summary(XCTEST, number, line, (executed, failed, skipped), 0, reasons))

    def _open_testing(self, number: int) -> None:
        if self._testing.line:
            self._unfinished.append(_unfinished(TESTING, self._testing))
        self._testing = _Run(number)

    def _close_testing(self, number: int, line: str, tests: int, failed: bool) -> None:
        run, self._testing = self._testing, _Run()
        reasons = [] if run.line else ["the total has no start: the beginning is missing, or something else printed it"]
        if failed or run.failed:
            reasons = [f"{run.failed} failed"]
        errors = int(failed and not run.failed)
        self._closed.append(_summary(TESTING, number, line, (tests, run.failed, run.skipped), errors, reasons))


def _summary(
    runner: str, number: int, line: str, counts: tuple[int, int, int], errors: int, reasons: list[str]
) -> Summary:
    tests, failed, skipped = counts
    passed = max(0, tests - failed - skipped)
    return Summary(
        runner=runner,
        line=number,
        text=line.strip()[:300],
        passed=passed,
        failed=failed,
        errors=errors,
        skipped=skipped,
        green=False if reasons else (True if passed else None),
        reasons=tuple(reasons),
    )


def _note(run: _Run, word: str) -> None:
    run.passed += word == "passed"
    run.failed += word == "failed"
    run.skipped += word == "skipped"


def _unfinished(runner: str, run: _Run) -> Summary:
    reasons = ("the run has no total",)
    return Summary(runner, run.line, "", run.passed, run.failed, 0, run.skipped, green=False, reasons=reasons)
