"""PHPUnit 9 and later, also run by ParaTest: `OK (2 tests, 3 assertions)`, or a verdict and a line of counts.

It names itself where a run starts, and prints the time after the last test, before the counts. Risky and incomplete
tests are neither passed nor skipped. Up to version 9 a warning is an outcome of a test, later it is something that a
test caused which may well have passed. https://docs.phpunit.de/en/12.4/textui.html
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.parts import Counts, broken, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "phpunit"

INTEREST = (
    r"^PHPUnit \d|^ParaTest v|^[.FESIRWDN]+(?: +\d+ / \d+ \( *\d+%\)$|$)|^Runtime: +PHP |^ [✔✘↩∅☢⚠] "
    r"|^Time: \d.*, Memory: |^OK(?: \(\d|, but )|^[A-Z]+!$|^Tests: \d+, Assertions: |^No tests executed!$"
    r"|Fatal error: Premature end of PHP process when running "
)

_starts = re2.compile(
    r"^(?:PHPUnit|ParaTest v\S+ upon PHPUnit) (\d{1,3})\.[^ ]+(?: by Sebastian Bergmann and contributors\.)?$"
).match
_progress = re2.compile(r"^([.FESIRWDN]+)( +\d+ / \d+ \( *\d+%\))?$").match
_began = re2.compile(r"^Runtime: +PHP |^ [✔✘↩∅☢⚠] ").match
_ok = re2.compile(r"^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$").match
_verdict = re2.compile(r"^(OK, but .*!|(?:ERRORS|FAILURES|WARNINGS|DEPRECATIONS|NOTICES|RISKY)!)$").match
_counts = re2.compile(
    r"^Tests: (\d{1,9}), Assertions: \d{1,9}((?:, (?:[A-Z][A-Za-z]+ )?[A-Z][a-z]+: \d{1,9})*)\.$"
).match
_LAST_WITH_WARNINGS = 9  # the last version in which a warning is an outcome


@dataclass(slots=True)
class _Run:
    line: int
    version: int = 0  # 0: it did not name itself
    began: bool = False  # more than the version was printed
    red: int | None = None  # first line of progress with F or E
    timed: bool = False
    verdict: str = ""
    died: bool = False


class PhpunitReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._named = False  # a run of this step named itself
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if start := _starts(line):
            self._abandon()
            self._run, self._named = _Run(number, int(start.group(1))), True
            return
        run = self._run = self._run or _Run(number)
        if summary := _closing(run, number, line):
            self._close(run, summary)
        else:
            _body(run, number, line)

    def boundary(self) -> None:
        self._abandon()
        self._named = False

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _abandon(self) -> None:
        run, self._run = self._run, None
        if run is None or not run.version:
            return
        if run.died:
            self._unfinished.append(broken(RUNNER, run.line, "", "a test ended the process of PHPUnit"))
        elif run.began:
            self._unfinished.append(unfinished(RUNNER, run.line, "the run of PHPUnit has no summary"))

    def _close(self, run: _Run, summary: Summary) -> None:
        self._run = None
        if self._named and not run.version:
            self._reds.append(Red(summary.line, "a summary without a run of PHPUnit: not all of them are real"))
        self._closed.append(summary)


def _body(run: _Run, number: int, line: str) -> None:
    if line.startswith("Time: "):
        run.timed = True
    elif verdict := _verdict(line):
        run.verdict = verdict.group(1)
    elif progress := _progress(line):
        run.began = True
        # A whole line of letters has their number beside it; a word may look like one without.
        if progress.group(2) and ("F" in progress.group(1) or "E" in progress.group(1)):
            run.red = run.red or number
    elif _began(line):
        run.began = True
    elif "Premature end of PHP process" in line:
        run.died = True


def _closing(run: _Run, number: int, line: str) -> Summary | None:
    """The summary that this line closes the run with. Without the time before it, it was printed by a test."""
    if line == "No tests executed!" and run.version:
        return part(RUNNER, number, line, Counts(), whole=True)
    if run.timed and (ok := _ok(line)):
        return _summary(run, number, line, int(ok.group(1)), {})
    if run.timed and run.verdict and (counts := _counts(line)):
        return _summary(run, number, f"{run.verdict} {line}", int(counts.group(1)), _named(counts.group(2)))
    return None


def _named(text: str) -> dict[str, int]:
    """`, Failures: 1, PHPUnit Warnings: 2` as counts."""
    pairs = (item.rsplit(": ", 1) for item in text.split(", ")[1:])
    return {name: int(count) for name, count in pairs}


def _summary(run: _Run, number: int, text: str, tests: int, named: dict[str, int]) -> Summary:
    failed, errors, skipped = named.get("Failures", 0), named.get("Errors", 0), named.get("Skipped", 0)
    others = named.get("Incomplete", 0) + named.get("Risky", 0)
    if run.version <= _LAST_WITH_WARNINGS:
        others += named.get("Warnings", 0)
    passed = max(0, tests - failed - errors - skipped - others)
    doubts = _doubts(run) if not failed and not errors else ()
    return part(RUNNER, number, text, Counts(passed, failed, errors, skipped), doubts, whole=True)


def _doubts(run: _Run) -> tuple[str, ...]:
    """What speaks against counts without a failure."""
    if run.verdict and not run.verdict.startswith("OK"):
        return (f"the verdict is {run.verdict}",)
    return (f"the summary names no failure, but line {run.red} shows one",) if run.red else ()
