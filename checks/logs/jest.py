"""jest's default summary: `Test Suites:`, `Tests:`, `Snapshots:`, `Time:`.

jest prints no line where a run starts. Two summaries in one step are believed only if the PASS and FAIL lines before
each account for its number of suites.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.report import Reading, Red, Summary

RUNNER = "jest"

INTEREST = (
    r"^Test Suites:|^Tests:|^Snapshots:|^Time:|^No tests found, exiting with code |^Jest: .*coverage threshold "
    r"|^ ?(?:PASS|FAIL) .*\.[a-z]+(?: \(|$)|● Test suite failed to run$"
)

_COUNTS = re2.compile(r"^((?:\d{1,9} [a-z]+, )*)(?:(\d{1,9}) of )?(\d{1,9}) total$")
_SUITE = re2.compile(r"^ ?(PASS|FAIL) .*\.[a-z]+(?: \([\d.]+ ?m?s(?:, \d+ MB heap size)?\))?$")
_SHOWN = ("PASS ", "FAIL ", " PASS ", " FAIL ")  # in colour the word is a block with a blank on each side
_NO_TESTS = "No tests found, exiting with code "
_NOT_LOADED = "● Test suite failed to run"
_MOST_CAUSES = 1000  # of one log; further ones are red as well, but count no further error
_LONGEST_CAUSE = 300
_COVERAGE = re2.compile(r"^Jest: .*coverage threshold .*not met")


@dataclass(slots=True)
class _Run:
    line: int = 0
    text: str = ""
    suites: dict[str, int] | None = None
    tests: dict[str, int] | None = None
    snapshots_failed: bool = False
    seen: int = 0  # PASS and FAIL lines
    red: int | None = None  # first FAIL line
    not_loaded: bool = False
    causes: set[str] = field(default_factory=set)  # why suites could not be loaded, not seen before


class JestReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._causes: set[str] = set()
        self._await_cause = False
        self._closed: list[Summary] = []
        self._sound: list[bool] = []
        self._step_start = 0
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> bool:
        if self._await_cause:
            self._cause(line)
        elif line.endswith(_NOT_LOADED):
            self._await_cause = self._run.not_loaded = True
        elif line[0] in "TSPFNJ ":
            self._word(number, line)
        return self._await_cause

    def boundary(self) -> None:
        self._abandon()
        self._step_start = len(self._closed)

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _word(self, number: int, line: str) -> None:
        if line.startswith("Test Suites:"):
            self._suites(number, line)
        elif line.startswith(_NO_TESTS):
            self._closed.append(_nothing(number, line))
            self._sound.append(True)
        elif line.startswith("Jest: ") and _COVERAGE.match(line):
            self._reds.append(Red(number, "the coverage threshold was not met"))
        elif line.startswith(_SHOWN) and (suite := _SUITE.match(line)):
            self._suite(number, suite.group(1))
        elif self._run.suites is not None:
            self._more(line)

    def _suite(self, number: int, word: str) -> None:
        self._run.seen += 1
        if word == "FAIL" and self._run.red is None:
            self._run.red = number

    def _cause(self, line: str) -> None:
        """One broken module fails every suite that imports it: that is one error, so the same cause counts once."""
        self._await_cause = False
        cause = line[:_LONGEST_CAUSE]
        if cause not in self._causes and len(self._causes) < _MOST_CAUSES:
            self._causes.add(cause)
            self._run.causes.add(cause)

    def _suites(self, number: int, line: str) -> None:
        counts = _counts(line.removeprefix("Test Suites:"))
        if counts is None:
            return
        if self._run.suites is not None:
            self._abandon()
        self._run.suites, self._run.line = counts, number

    def _more(self, line: str) -> None:
        if line.startswith("Tests:"):
            self._run.tests, self._run.text = _counts(line.removeprefix("Tests:")), line
        elif line.startswith("Snapshots:"):
            self._run.snapshots_failed = " failed" in line
        elif line.startswith("Time:") and self._run.tests is not None:
            self._close()

    def _close(self) -> None:
        run, self._run = self._run, _Run()
        suites = run.suites or {}
        self._closed.append(_summary(run, suites, run.tests or {}))
        self._sound.append(run.seen == suites.get("passed", 0) + suites.get("failed", 0))
        if len(self._closed) - self._step_start > 1 and not all(self._sound[self._step_start :]):
            self._doubt()

    def _doubt(self) -> None:
        reason = "several summaries in one step, and the PASS and FAIL lines do not account for each"
        last = self._closed[-1]
        self._closed[-1] = replace(last, green=False, reasons=(*last.reasons, reason))

    def _abandon(self) -> None:
        run, self._run, self._await_cause = self._run, _Run(), False
        if run.suites is not None:
            self._unfinished.append(_unfinished(run))


def _counts(text: str) -> dict[str, int] | None:
    """`1 failed, 12 of 13 total` as counts; `ran` is there only if it differs from `total`."""
    match = _COUNTS.match(text.strip())
    if not match:
        return None
    pairs = (part.split(" ") for part in match.group(1).split(", ") if part)
    counts = {word: int(count) for count, word in pairs}
    if match.group(2):
        counts["ran"] = int(match.group(2))
    return counts | {"total": int(match.group(3))}


def _summary(run: _Run, suites: dict[str, int], tests: dict[str, int]) -> Summary:
    reasons = tuple(_reasons(run, suites, tests))
    return Summary(
        runner=RUNNER,
        line=run.line,
        text=run.text[:300],
        passed=tests.get("passed", 0),
        failed=tests.get("failed", 0),
        errors=_errors(run, suites, tests),
        skipped=tests.get("skipped", 0),
        green=not reasons,
        reasons=reasons,
    )


def _errors(run: _Run, suites: dict[str, int], tests: dict[str, int]) -> int:
    """Suites that could not be loaded. Without the reason in the log, failed suites without a failed test."""
    if run.not_loaded:
        return len(run.causes)
    return 0 if tests.get("failed") else suites.get("failed", 0)


def _reasons(run: _Run, suites: dict[str, int], tests: dict[str, int]) -> list[str]:
    reasons = []
    if suites.get("failed") or tests.get("failed") or run.snapshots_failed:
        reasons.append("tests, suites or snapshots failed")
    elif run.red is not None:
        reasons.append(f"the summary names no failure, but line {run.red} says FAIL")
    if _sum(suites) != suites["total"] or _sum(tests) != tests["total"]:
        reasons.append("the parts of the summary do not add up to its totals: something did not run")
    if not tests.get("passed"):
        reasons.append("no test passed")
    return reasons


def _sum(counts: dict[str, int]) -> int:
    return sum(count for word, count in counts.items() if word not in ("total", "ran"))


def _nothing(number: int, line: str) -> Summary:
    return Summary(RUNNER, number, line[:300], 0, 0, 0, 0, green=False, reasons=("no tests were found",))


def _unfinished(run: _Run) -> Summary:
    tests = run.tests or {}
    return Summary(
        runner=RUNNER,
        line=run.line,
        text=run.text[:300],
        passed=tests.get("passed", 0),
        failed=tests.get("failed", 0),
        errors=0,
        skipped=tests.get("skipped", 0),
        green=False,
        reasons=("the summary is cut",),
    )
