"""node:test, in its reporters spec (`ℹ pass 3`), tap (`# pass 3`) and junit (`<!-- pass 3 -->`): one block of totals.

The block is node's own by its lines `cancelled` and `duration_ms`; no other producer of TAP prints both. Each file is
a process: one that ends itself with `exit(0)` before its tests are reported counts as one test that passed and has
the name of the file. So does a file without tests; neither proves anything. https://nodejs.org/api/test.html
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "node:test"

_TOTAL = r"^(ℹ|#|\t<!--) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d{1,9})(?:\.\d+)?(?: -->)?$"
_SPEC = r"^([✔✖]) (.+) \((\d{1,9})\.\d+ms\)( # .*)?$"
_SUITE = r"^▶ (.+)$"
_FAILURES = r"^✖ failing tests:$"
_TAP_START = r"^TAP version 1[34]$"
_TAP_FILE = r"^# Subtest: (\S+\.[cm]?[jt]sx?)$"
_TAP_RED = r"^not ok \d+ - "
_TAP_TIME = r"^ +duration_ms: (\d{1,9})(?:\.\d+)?$"

INTEREST = f"{_TOTAL}|{_SPEC}|{_SUITE}|{_FAILURES}|{_TAP_START}|{_TAP_FILE}|{_TAP_RED}|{_TAP_TIME}"

_totals = re2.compile(_TOTAL).match
_spec = re2.compile(_SPEC).match
_suite = re2.compile(_SUITE).match
_failures = re2.compile(_FAILURES).match
_tap_start = re2.compile(_TAP_START).match
_tap_file = re2.compile(_TAP_FILE).match
_tap_red = re2.compile(_TAP_RED).match
_tap_time = re2.compile(_TAP_TIME).match
_file = re2.compile(r"^\S+\.[cm]?[jt]sx?$").match
_tap_ok = re2.compile(r"^ok \d+ - (\S+)$").match
_excused = re2.compile(r" # (?:TODO|SKIP)").search

_PROCESS_MS = 10  # no process starts and ends in less: a test that was quicker is not a file
_OUTCOMES = ("pass", "fail", "cancelled", "skipped", "todo")


@dataclass(slots=True)
class _Run:
    line: int = 0  # the first one that only node prints
    totals: dict[str, int] = field(default_factory=dict)
    totals_line: int = 0
    totals_text: str = ""
    red: int | None = None  # first result line of a failure
    bare: str | None = None  # a file that counts as a test
    suite: str = ""  # the last one that began
    tap_file: str = ""  # a subtest named like a file has just begun
    bare_tap_file: str = ""  # and ended without a test of its own


class NodeTestReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._lists_failures = False  # they repeat what the results said
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> bool:
        run = self._run
        if run.tap_file:
            self._after_tap_file(run, line)
        if total := _totals(line):
            self._total(number, line, *total.groups())
        elif _tap_start(line):
            self.boundary()
        elif file := _tap_file(line):
            run.tap_file = file.group(1)
            return True
        else:
            self._result(run, number, line)
        return False

    def boundary(self) -> None:
        run, self._run, self._lists_failures = self._run, _Run(), False
        if run.line:
            reason = "tests of node:test ran, but no totals closed them"
            self._unfinished.append(unfinished(RUNNER, run.line, _tally(run.totals), reason))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _total(self, number: int, line: str, sign: str, word: str, count: str) -> None:
        run = self._run
        if word == "tests":
            run.totals, run.totals_line, run.totals_text = {}, number, line.strip()
        run.totals[word] = int(count)
        if sign == "ℹ":
            run.line = run.line or number
        if word == "duration_ms" and "tests" in run.totals and "cancelled" in run.totals:
            self._closed.append(_summary(run))
            self._run, self._lists_failures = _Run(), False

    def _result(self, run: _Run, number: int, line: str) -> None:
        if spec := _spec(line):
            self._spec_result(run, number, *spec.groups())
        elif suite := _suite(line):
            run.suite, self._lists_failures = suite.group(1), False
        elif _failures(line):
            self._lists_failures = True
        elif _tap_red(line):
            run.red = run.red or (None if _excused(line) else number)
        elif time := _tap_time(line):
            run.line = run.line or number
            if run.bare_tap_file and int(time.group(1)) >= _PROCESS_MS:
                run.bare = run.bare or run.bare_tap_file
            run.bare_tap_file = ""

    def _spec_result(self, run: _Run, number: int, sign: str, name: str, time: str, directive: str | None) -> None:
        if sign == "✔":
            self._lists_failures = False
            run.line = run.line or number
            if _file(name) and name != run.suite and int(time) >= _PROCESS_MS:
                run.bare = run.bare or name
        elif not self._lists_failures and not _excused(directive or ""):
            run.red = run.red or number

    def _after_tap_file(self, run: _Run, line: str) -> None:
        ended = _tap_ok(line)
        run.bare_tap_file = run.tap_file if ended and ended.group(1) == run.tap_file else ""
        run.tap_file = ""


def _tally(totals: dict[str, int]) -> Tally:
    """A test whose parent ended first, or that took too long, is called cancelled; the run fails with it."""
    failed = totals.get("fail", 0) + totals.get("cancelled", 0)
    return Tally(totals.get("pass", 0), failed, skipped=totals.get("skipped", 0))


def _summary(run: _Run) -> Summary:
    tally = _tally(run.totals)
    doubts = []
    if run.red and not tally.failed:
        doubts.append(f"the totals name no failure, but line {run.red} does")
    if sum(run.totals.get(outcome, 0) for outcome in _OUTCOMES) != run.totals["tests"]:
        doubts.append("the totals do not add up")
    if run.bare:
        doubts.append(f"{run.bare} counts as one test: it has none, or ended before they were reported")
    return closing(RUNNER, run.totals_line, run.totals_text, tally, doubts)
