"""doctest for C++: the three lines `test cases`, `assertions` and `Status` that close a run, each after `[doctest]`.

Test cases that a filter leaves out are counted as skipped by doctest itself, beside those marked `skip`.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs import ctest
from checks.logs.report import Reading, Summary

RUNNER = "doctest"

INTEREST = (
    rf"^\[doctest\] (?:doctest version is |test cases: |Status: |listing all |unskipped test cases )|{ctest.SPAN}"
)

_CASES = re2.compile(
    r"^\[doctest\] test cases: +(\d{1,9}) \| +(\d{1,9}) passed \| +(\d{1,9}) failed(?: \| +(\d{1,9}) skipped)?"
)
_LISTING = ("[doctest] listing all ", "[doctest] unskipped test cases ")


@dataclass(slots=True)
class _Run:
    line: int
    nested: bool
    counts: tuple[int, int, int, int] | None = None  # test cases: all, passed, failed, skipped
    counts_line: int = 0
    text: str = ""


class DoctestReader:
    def __init__(self) -> None:
        self._span = ctest.Span()
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if self._span.feed(line):
            self._settle()
        elif line.startswith("[doctest] doctest version is "):
            self._abandon()
            self._run = _Run(number, self._span.inside)
        elif line.startswith(_LISTING):
            self._run = None
        elif cases := _CASES.match(line):
            self._cases(number, line, cases.groups())
        elif line.startswith("[doctest] Status: "):
            self._status(number, line)

    def boundary(self) -> None:
        self._settle()
        self._span = ctest.Span()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _settle(self) -> None:
        self._abandon()
        self._unfinished += self._span.take()

    def _abandon(self) -> None:
        if self._run:
            self._lose(_unfinished(self._run), self._run.nested)
        self._run = None

    def _cases(self, number: int, line: str, groups: tuple[str | None, ...]) -> None:
        if self._run is None or self._run.counts:
            self._abandon()
            self._run = _Run(0, self._span.inside)
        total, passed, failed, skipped = (int(count or 0) for count in groups)
        self._run.counts, self._run.counts_line, self._run.text = (total, passed, failed, skipped), number, line

    def _status(self, number: int, line: str) -> None:
        run, self._run = self._run or _Run(number, self._span.inside), None
        if run.counts is None:
            self._lose(_unfinished(run), run.nested)
        else:
            self._closed.append(_summary(run, run.counts, line.endswith(" SUCCESS!")))

    def _lose(self, unfinished: Summary, nested: bool) -> None:
        if nested:
            self._span.hold(unfinished)
        else:
            self._unfinished.append(unfinished)


def _summary(run: _Run, counts: tuple[int, int, int, int], success: bool) -> Summary:
    _, passed, failed, skipped = counts
    reasons = tuple(_reasons(run, counts, success))
    return Summary(
        runner=RUNNER,
        line=run.counts_line,
        text=run.text[:300],
        passed=passed,
        failed=failed,
        errors=0,
        skipped=skipped,
        green=False if reasons else (True if passed else None),
        reasons=reasons,
        counted=not run.nested,
    )


def _reasons(run: _Run, counts: tuple[int, int, int, int], success: bool) -> list[str]:
    total, passed, failed, _ = counts
    reasons = []
    if failed:
        reasons.append(f"{failed} failed")
    elif not success:
        reasons.append("the status is not success, though no test case failed")
    elif passed + failed != total:
        reasons.append(f"{total} test cases ran, but {passed} passed and {failed} failed")
    elif not run.line:
        reasons.append("the run has no first line: the beginning is missing, or something else printed the closing")
    return reasons


def _unfinished(run: _Run) -> Summary:
    _, passed, failed, skipped = run.counts or (0, 0, 0, 0)
    reasons = ("the test program ended without a status",)
    line = run.line or run.counts_line
    return Summary(RUNNER, line, run.text[:300], passed, failed, 0, skipped, green=False, reasons=reasons)
