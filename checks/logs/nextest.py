"""cargo-nextest: `Starting N tests across N binaries`, and `Summary [ 0.1s] N tests run: …`.

Each test is a process of its own, so one that ends itself with `exit(0)` is a pass for nextest, and its log cannot
tell. What libtest prints inside a run is not a run of its own (`Span` tells the reader of `cargo test`).
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary

RUNNER = "nextest"

_OPENS = r"^ *Starting \d+ tests? across \d+ binar"
_CLOSES = r"^ *Summary \[ *[\d.]+s\] "
SPAN = rf"{_OPENS}|{_CLOSES}"
"""RE2 pattern of the lines that `Span` must be fed."""

_RED = r"^ +(?:FAIL|ABORT|TIMEOUT|SIG[A-Z0-9]+|XFAIL|LEAK-FAIL) \["
_GOOD = r"^ +(?:PASS|LEAK) \["
_SAID = ("error: test run failed", "error: no tests to run")
INTEREST = rf"{SPAN}|{_RED}|{_GOOD}|^(?:{'|'.join(_SAID)})$"

_STARTING = re2.compile(r"^ *Starting (\d{1,9}) tests? across \d+ binar(?:y|ies)")
_SUMMARY = re2.compile(
    r"^ *Summary \[ *[\d.]+s\] (\d{1,9})(?:/(\d{1,9}))? tests? run: (\d{1,9}) passed(?: \(([^()]*)\))?"
    r"(?:, (\d{1,9}) failed(?: \([^()]*\))?)?(?:, (\d{1,9}) exec failed)?(?:, (\d{1,9}) timed out)?"
    r"(?:, (\d{1,9}) skipped)?$"
)
_FLAKY = re2.compile(r"\b(\d{1,9}) flaky\b")
_SPAN_OPENS, _SPAN_CLOSES = re2.compile(_OPENS), re2.compile(_CLOSES)
_RED_LINE, _GOOD_LINE = re2.compile(_RED), re2.compile(_GOOD)


class Span:
    """Whether the lines belong to a run of nextest: between its first line and its summary."""

    def __init__(self) -> None:
        self.inside = False

    def feed(self, line: str) -> bool:
        """Whether the line is one of the two ends of a run."""
        if _SPAN_OPENS.match(line):
            self.inside = True
            return True
        if _SPAN_CLOSES.match(line):
            self.inside = False
            return True
        return False


@dataclass(slots=True)
class _Run:
    line: int
    announced: int | None
    good: int = 0  # result lines of tests that passed at once
    red: int = 0  # result lines of failures; a try that is followed by another one has other words
    first_red: int = 0


class NextestReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if starting := _STARTING.match(line):
            self.boundary()
            self._run = _Run(number, int(starting.group(1)))
        elif summary := _SUMMARY.match(line):
            run, self._run = self._run or _Run(0, None), None
            self._closed.append(_summary(number, line, summary.groups(), run))
        elif line in _SAID:
            self._reds.append(Red(number, "nextest says that the run failed"))
        elif self._run:
            self._result(self._run, number, line)

    def boundary(self) -> None:
        if self._run:
            self._unfinished.append(_unfinished(self._run))
        self._run = None

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _result(self, run: _Run, number: int, line: str) -> None:
        if _RED_LINE.match(line):
            run.red += 1
            run.first_red = run.first_red or number
        elif _GOOD_LINE.match(line):
            run.good += 1


def _summary(number: int, line: str, groups: tuple[str | None, ...], run: _Run) -> Summary:
    flaky = _FLAKY.search(groups[3] or "")
    ran, planned, passed, _, failed, broken, late, skipped = (
        int(group or 0) if index != 3 else 0 for index, group in enumerate(groups)
    )
    red = failed + late
    reasons = tuple(_reasons(run, ran, planned or ran, passed, red + broken))
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=passed,
        failed=red,
        errors=broken,
        skipped=skipped,
        green=not reasons,
        reasons=reasons,
        interrupted=ran < (planned or ran),
        flaky=int(flaky.group(1)) if flaky else 0,
    )


def _reasons(run: _Run, ran: int, planned: int, passed: int, red: int) -> list[str]:
    reasons = []
    if red:
        reasons.append(f"{red} failed or could not be started")
    elif run.first_red:
        reasons.append(f"the summary names no failure, but line {run.first_red} does")
    elif run.announced is None:
        reasons.append("the run has no first line: the beginning is missing, or something else printed the summary")
    elif not ran == planned == run.announced == passed:
        reasons.append(f"{run.announced} tests were to run, but {passed} of {ran} passed")
    if not passed:
        reasons.append("no test passed")
    return reasons


def _unfinished(run: _Run) -> Summary:
    return Summary(
        runner=RUNNER,
        line=run.line,
        text="",
        passed=run.good,
        failed=run.red,
        errors=0,
        skipped=0,
        green=False,
        reasons=("the run of nextest has no summary",),
    )
