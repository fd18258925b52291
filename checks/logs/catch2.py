"""Catch2, versions 2 and 3: the totals of the console and compact reporters.

Version 3 prints its seed where a run starts, version 2 prints nothing unless a test fails or a filter was given. A
line of filters is the word of many programs, so it counts as a start only in a step that has a total of Catch2 too.
The wordings are those of `printTestRunTotals` (catch_reporter_helpers.cpp) and, for version 2, of its two reporters.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import re2

from checks.logs import ctest
from checks.logs.report import Reading, Summary

RUNNER = "catch2"

INTEREST = (
    r"^Filters: |^Randomness seeded to: \d+$|^\S.* is a Catch2? v\d\S* host application\.$"
    r"|^All tests passed \(|^test cases: |^assertions: - none -$|^No tests ran\.?$|^={79}$"
    r"|^(?:Passed|Failed) (?:all |both )?\d+ test cases?"
    rf"|{ctest.SPAN}"
)

_SEED = re2.compile(r"^Randomness seeded to: \d+$")
_BANNER = re2.compile(r"^\S.* is a Catch2? v\d\S* host application\.$")
_NOTHING = re2.compile(r"^No tests ran\.?$")
_ALL_PASSED = re2.compile(r"^All tests passed \(\d{1,9} assertions? in (\d{1,9}) test cases?\)$")
_CASES = re2.compile(
    r"^test cases: +(\d{1,9})(?: \| +(\d{1,9}) passed)?(?: \| +(\d{1,9}) failed)?(?: \| +(\d{1,9}) skipped)?"
    r"(?: \| +(\d{1,9}) failed as expected)?$"
)
_COMPACT_PASSED = re2.compile(r"^Passed (?:all |both )?(\d{1,9}) test cases? with (?:no|\d{1,9}) assertions?\.$")
_COMPACT_FAILED = re2.compile(
    r"^Failed (?:all |both )?(\d{1,9}) test cases?, failed (?:all |both )?\d{1,9} assertions?\.$"
)
_MOST_FILTERS = 100
_RULE = "=" * 79


class Catch2Reader:
    def __init__(self) -> None:
        self._span = ctest.Span()
        self._line = 0  # where the open run began; 0: none is open
        self._nested = False  # it began inside a run of ctest
        self._filters: list[int] = []  # lines of filters that may have begun a run
        self._ruled = False
        self._closed: list[Summary] = []
        self._step_start = 0
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        ruled, self._ruled = self._ruled, line == _RULE
        if self._span.feed(line):
            self._settle()
        elif self._ruled:
            return
        elif line.startswith("Filters: "):
            self._filters = [*self._filters, number][:_MOST_FILTERS]
        elif _SEED.match(line):
            self._abandon()
            self._start(number)
        elif _BANNER.match(line):
            self._start(number)
        elif line == "assertions: - none -":
            self._nothing_asserted()
        else:
            self._total(number, line, ruled)

    def boundary(self) -> None:
        self._settle()
        if len(self._closed) > self._step_start:
            self._unfinished += [_unfinished(line) for line in self._filters]
        self._filters, self._step_start, self._ruled, self._span = [], len(self._closed), False, ctest.Span()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _start(self, number: int) -> None:
        """One run prints its filters, its seed (version 3), and a banner before its first failure, in this order."""
        if not self._line:
            self._line, self._nested = number, self._span.inside
            self._filters = self._filters[:-1]

    def _settle(self) -> None:
        self._abandon()
        self._unfinished += self._span.take()

    def _abandon(self) -> None:
        if self._line:
            self._lose(_unfinished(self._line), self._nested)
        self._line = 0

    def _total(self, number: int, line: str, ruled: bool) -> None:
        counts = _counts(line)
        if counts is None and (ruled or self._line or self._filters) and _NOTHING.match(line):
            counts = Counter()
        if counts is not None:
            self._start(number)
            self._line = 0
            self._closed.append(_summary(number, line, counts, self._nested))

    def _nothing_asserted(self) -> None:
        """Cases passed, but none of them looked at anything: that proves nothing."""
        if len(self._closed) > self._step_start and self._closed[-1].green:
            self._closed[-1] = replace(self._closed[-1], green=None)

    def _lose(self, unfinished: Summary, nested: bool) -> None:
        if nested:
            self._span.hold(unfinished)
        else:
            self._unfinished.append(unfinished)


def _counts(line: str) -> Counter[str] | None:
    if found := _ALL_PASSED.match(line) or _COMPACT_PASSED.match(line):
        return Counter(passed=int(found.group(1)))
    if found := _COMPACT_FAILED.match(line):
        return Counter(failed=int(found.group(1)), unknown=1)
    if found := _CASES.match(line):
        total, passed, failed, skipped, expected = (int(count or 0) for count in found.groups())
        lost = total - passed - failed - skipped - expected
        return Counter(passed=passed, failed=failed, skipped=skipped, expected=expected, lost=lost)
    return None


def _summary(number: int, line: str, counts: Counter[str], nested: bool) -> Summary:
    reasons = tuple(_reasons(counts))
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=None if counts["unknown"] else counts["passed"],
        failed=counts["failed"],
        errors=0,
        skipped=None if counts["unknown"] else counts["skipped"],
        green=False if reasons else (True if counts["passed"] else None),
        reasons=reasons,
        counted=not nested,
        xfailed=counts["expected"],
    )


def _reasons(counts: Counter[str]) -> list[str]:
    reasons = []
    if counts["failed"]:
        reasons.append(f"{counts['failed']} failed")
    elif counts["lost"]:
        reasons.append("the parts of the total do not add up")
    return reasons


def _unfinished(line: int) -> Summary:
    reasons = ("the test program ended without a total",)
    return Summary(RUNNER, line, "", 0, 0, 0, 0, green=False, reasons=reasons)
