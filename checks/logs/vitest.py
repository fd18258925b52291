"""vitest: ` RUN  v3.2.7`, and a block from `Test Files` to `Duration` at the end.

On a terminal the block is drawn again and again while the tests run, so the last one of a run counts. One in which
all files had ended, followed by one with other numbers, was printed by something else.
https://vitest.dev/guide/reporters
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "vitest"

_START = r"^ *RUN  v\d"
_LABELS = r"^ *(Test Files|Tests|Errors|Type Errors|Duration|Time)  +"
_RED = r"⎯ (?:Failed (Suites|Tests) (\d{1,9})|Unhandled Errors?) ⎯|^ *Snapshots  +\d{1,9} failed"
_NOTHING = r"^No test files found, exiting with code "
_BENCH = r"^ *BENCH  Summary$"
_RETRIED = r"^ +✓ .*\(retry x\d"

INTEREST = f"{_START}|{_LABELS}|{_RED}|{_NOTHING}|{_BENCH}|{_RETRIED}"

_starts = re2.compile(_START).match
_labelled = re2.compile(_LABELS + r"(\S.*)$").match
_red = re2.compile(_RED).search
_nothing = re2.compile(_NOTHING).match
_benchmarked = re2.compile(_BENCH).match
_retried = re2.compile(_RETRIED).match
_COUNTS = re2.compile(r"^((?:(?: \| )?\d{1,9} [a-z]+(?: [a-z]+)?)+) \((\d{1,9})\)$")
_NUMBER = re2.compile(r"^(\d{1,9}) ")

_CONTRADICTED = "the same run closes a second time, with other numbers"


@dataclass(slots=True)
class _Block:
    """`files` and `tests` map each outcome to its number, and "total" to the announced sum."""

    line: int
    files: dict[str, int]
    tests: dict[str, int] = field(default_factory=dict)
    text: str = ""
    errors: int = 0

    @property
    def ended(self) -> bool:
        return _sum(self.files) == self.files["total"]

    @property
    def failed(self) -> int:
        return self.files.get("failed", 0) + self.tests.get("failed", 0) + self.errors

    def contradicts(self, later: _Block) -> bool:
        mine = (self.files["total"], self.tests.get("total"), self.files.get("failed"), self.tests.get("failed"))
        return self.ended and mine != (
            later.files["total"],
            later.tests.get("total"),
            later.files.get("failed"),
            later.tests.get("failed"),
        )


@dataclass(slots=True)
class _Run:
    line: int
    announced: bool
    block: _Block | None = None  # the last whole one
    draft: _Block | None = None  # one whose last line has not come yet
    contradicted: list[Summary] = field(default_factory=list)
    failed_suites: int = 0
    red: int | None = None  # first line that speaks of failures
    flaky: int = 0


class VitestReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _starts(line):
            self.boundary()
            self._run = _Run(number, announced=True)
        elif _nothing(line):
            self._run = None
            self._closed.append(closing(RUNNER, number, line, Tally(), ["no tests were found"]))
        elif _benchmarked(line):
            self._run = None
            self._closed.append(replace(closing(RUNNER, number, line, Tally()), green=None, reasons=()))
        elif labelled := _labelled(line):
            self._labelled(number, line, *labelled.groups())
        elif self._run:
            self._other(self._run, number, line)

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        self._closed += run.contradicted
        if run.block is None or run.draft:
            tally = _tally(run, run.draft or run.block)
            self._unfinished.append(unfinished(RUNNER, run.line, tally, "the run of vitest has no whole summary"))
        else:
            doubts = _doubts(run, run.block)
            self._closed.append(closing(RUNNER, run.block.line, run.block.text, _tally(run, run.block), doubts))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _labelled(self, number: int, line: str, label: str, text: str) -> None:
        if label == "Test Files":
            counts = _counts(text)
            if counts:
                self._run = self._run or _Run(number, announced=False)
                self._run.draft = _Block(number, counts)
        elif self._run and self._run.draft:
            _fill(self._run, self._run.draft, line, label, text)

    def _other(self, run: _Run, number: int, line: str) -> None:
        if red := _red(line):
            run.red = run.red or number
            if red.group(1) == "Suites":
                run.failed_suites = int(red.group(2))
        elif _retried(line):
            run.flaky += 1


def _fill(run: _Run, block: _Block, line: str, label: str, text: str) -> None:
    if label == "Tests":
        block.tests, block.text = _counts(text) or {}, line
    elif label in ("Duration", "Time"):
        if block.tests:
            _end(run, block)
    elif number := _NUMBER.match(text):
        block.errors += int(number.group(1))


def _end(run: _Run, block: _Block) -> None:
    if run.block and run.block.contradicts(block):
        summary = closing(RUNNER, run.block.line, run.block.text, _tally(run, run.block), [_CONTRADICTED])
        run.contradicted.append(replace(summary, counted=False))
    elif run.block and run.block.failed:
        run.red = run.red or run.block.line
    run.block, run.draft = block, None


def _counts(text: str) -> dict[str, int] | None:
    """`1 failed | 3 passed (4)` as counts with their `total`; `no tests` as a total of 0."""
    if text == "no tests":
        return {"total": 0}
    match = _COUNTS.match(text)
    if not match:
        return None
    pairs = (part.split(" ", 1) for part in match.group(1).split(" | "))
    return {word: int(count) for count, word in pairs} | {"total": int(match.group(2))}


def _sum(counts: dict[str, int]) -> int:
    return sum(count for word, count in counts.items() if word != "total")


def _tally(run: _Run, block: _Block | None) -> Tally:
    if block is None:
        return Tally(flaky=run.flaky)
    tests = block.tests
    unexplained = 0 if tests.get("failed") else block.files.get("failed", 0)
    return Tally(
        passed=tests.get("passed", 0),
        failed=tests.get("failed", 0),
        errors=(run.failed_suites or unexplained) + block.errors,
        skipped=tests.get("skipped", 0),
        flaky=run.flaky,
        xfailed=tests.get("expected fail", 0),
    )


def _doubts(run: _Run, block: _Block) -> list[str]:
    doubts = []
    if not run.announced:
        doubts.append("no line says that vitest began: the beginning is missing, or something else printed this")
    if run.red and not block.failed:
        doubts.append(f"the summary names no failure, but line {run.red} does")
    if not block.ended or _sum(block.tests) != block.tests["total"]:
        doubts.append("the parts of the summary do not add up to its totals: something did not run")
    return doubts
