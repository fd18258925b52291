"""ctest: the line `N% tests passed, N tests failed out of N`, and the result lines and lists around it.

The percentage counts skipped tests as passed, so those are taken from the result lines. A disabled test is in none of
the totals. With `--output-on-failure` ctest prints what failing tests printed, as it is: closings of other runners in
there are not runs of the job (`Span` tells their readers).
"""

from __future__ import annotations

from collections import Counter

import re2

from checks.logs.report import Reading, Red, Summary

RUNNER = "ctest"

_OPENS = r"^Test project (?:/|[A-Za-z]:)"
_PERCENT = r"^\d{1,3}% tests passed, \d+ tests? failed out of \d+$"
_NOTHING = "No tests were found!!!"
_LISTED = r"^Total Tests: \d+$"
SPAN = rf"{_OPENS}|{_PERCENT}|^{_NOTHING}$|{_LISTED}"
"""RE2 pattern of the lines that `Span` must be fed."""

INTEREST = (
    rf"{SPAN}|^ *(?:\d+/\d+ +)?Test +#\d+: .* sec$|^ *(?:\d+/\d+ +)?Test +#\d+: .*\*\*\*|^Errors while running CTest$"
)

_CLOSES = re2.compile(r"^\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$")
_SPAN_OPENS = re2.compile(_OPENS)
_SPAN_CLOSES = re2.compile(rf"{_PERCENT}|^{_NOTHING}$|{_LISTED}")
_LISTING = re2.compile(_LISTED)
_RESULT = re2.compile(r"Test +#(\d{1,9}): .*?(\*\*\*(?:Skipped|Not Run \(Disabled\))?|   Passed) *")
_MOST_RESULTS = 100_000
"""Tests of one run whose results are kept. With more of them the results do not account for the total."""

_MOST_HELD = 1000
_KINDS = {"   Passed": "passed", "***Skipped": "skipped", "***Not Run (Disabled)": "disabled"}


class Span:
    """Whether the lines belong to a run of ctest: between `Test project` and its total."""

    def __init__(self) -> None:
        self.inside = False
        self._held: list[Summary] = []
        self._failed = False

    def feed(self, line: str) -> bool:
        """Whether the line is one of the two ends of a run."""
        if _SPAN_OPENS.match(line):
            self.inside, self._failed = True, False
            return True
        if _SPAN_CLOSES.match(line):
            self.inside, self._failed = False, not line.startswith("100% ")
            return True
        return False

    def hold(self, unfinished: Summary) -> None:
        """A run of another runner that began inside and never closed."""
        if len(self._held) < _MOST_HELD:
            self._held.append(unfinished)

    def take(self) -> list[Summary]:
        """What was held, at an end of a run or at a boundary. That a test of ctest's failed explains all of it."""
        held, self._held = self._held, []
        return [] if self._failed else held


class CtestReader:
    def __init__(self) -> None:
        self._line = 0  # where the open run began; 0: none is open
        self._results: dict[int, str] = {}
        self._retried: set[int] = set()  # failed, and were run again
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if _SPAN_OPENS.match(line):
            self.boundary()
            self._line = number
        elif closes := _CLOSES.match(line):
            self._close(
                _summary(number, line, int(closes.group(1)), int(closes.group(2)), self._results, self._retried)
            )
        elif line == _NOTHING:
            self._close(_nothing(number, line, tuple(self._results.values()).count("disabled")))
        elif line == "Errors while running CTest":
            self._reds.append(Red(number, "ctest says that there were errors"))
        elif result := _RESULT.search(line):
            self._result(int(result.group(1)), _KINDS.get(result.group(2), "failed"))
        elif self._line and _LISTING.match(line):
            self._close(Summary(RUNNER, number, line[:300], 0, 0, 0, 0, green=None))  # ctest -N: only listed

    def boundary(self) -> None:
        if self._line:
            self._unfinished.append(_unfinished(self._line, Counter(self._results.values())))
        self._line, self._results, self._retried = 0, {}, set()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _result(self, test: int, kind: str) -> None:
        if self._results.get(test) == "failed":
            self._retried.add(test)
        if test in self._results or len(self._results) < _MOST_RESULTS:
            self._results[test] = kind

    def _close(self, summary: Summary) -> None:
        self._closed.append(summary)
        self._line = 0
        self.boundary()


def _summary(number: int, line: str, failed: int, total: int, results: dict[int, str], retried: set[int]) -> Summary:
    seen = Counter(results.values())
    passed = max(0, total - failed - seen["skipped"])
    reasons = tuple(_reasons(failed, total, passed, seen))
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=passed,
        failed=failed,
        errors=0,
        skipped=seen["skipped"],
        green=not reasons,
        reasons=reasons,
        deselected=seen["disabled"],
        flaky=sum(results[test] == "passed" for test in retried),
    )


def _reasons(failed: int, total: int, passed: int, seen: Counter[str]) -> list[str]:
    reasons = []
    shown = seen["passed"] + seen["failed"] + seen["skipped"]
    if failed:
        reasons.append(f"{failed} failed")
    elif seen["failed"]:
        reasons.append(f"the total names no failure, but {seen['failed']} of the result lines do")
    elif shown != total:
        reasons.append(f"{total} tests are in the total, but {shown} have a result line")
    if not passed:
        reasons.append("no test passed")
    return reasons


def _nothing(number: int, line: str, disabled: int) -> Summary:
    reasons = ("no tests were found",)
    return Summary(RUNNER, number, line, 0, 0, 0, 0, green=False, reasons=reasons, deselected=disabled)


def _unfinished(line: int, seen: Counter[str]) -> Summary:
    return Summary(
        runner=RUNNER,
        line=line,
        text="",
        passed=seen["passed"],
        failed=seen["failed"],
        errors=0,
        skipped=seen["skipped"],
        green=False,
        reasons=("the run of ctest has no total",),
    )
