"""ExUnit (`mix test`): the line of counts after `Finished in`.

Up to Elixir 1.19 it is `1 doctest, 4 tests, 0 failures, 1 excluded`, where the tests include all others; later ones
print `Result: 9/10 passed, 4 excluded`. Before 1.15 nothing is printed where a run starts. The same words without
`Finished in` are those of bats. An application of an umbrella may well have no test, which says nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary

RUNNER = "exunit"

INTEREST = (
    r"^Running ExUnit with seed: \d+|^Finished in [\d.]+ seconds(?:$| \(\d)|^\d+ [a-z]+, .*\d+ failures?"
    r"|^Result: [\d/]+ passed"
    r"|^== Compilation error in file |--max-failures reached, aborting test suite$|^Aborting test suite, "
    r"|^ERROR! Test suite aborted after successful execution|^Coverage test failed, threshold not met:"
)

_TYPE = r"(?:doctests?|features?|propert(?:y|ies)|tests?)"
_COUNTS = re2.compile(
    rf"^((?:\d{{1,9}} {_TYPE}, )*\d{{1,9}} {_TYPE}), (\d{{1,9}}) failures?"
    r"((?:, \d{1,9} (?:excluded|invalid|skipped))*)$"
)
_RESULT = re2.compile(
    r"^Result: (?:(\d{1,9})/)?(\d{1,9}) passed(?: \([^()]*\))?((?:, \d{1,9} (?:excluded|invalid|skipped))*)$"
)
_FINISHED = re2.compile(r"^Finished in [\d.]+ seconds(?:$| \(\d)")  # RSpec: `seconds (files took`
_STOPPED = ("--max-failures reached, aborting test suite", "Aborting test suite, ")
_REDS = {
    "ERROR! ": "the suite passed, but mix counts its warnings as errors",
    "Coverage ": "the required test coverage was not reached",
}


@dataclass(slots=True)
class _Run:
    line: int = 0
    finished: bool = False
    stopped: bool = False


class ExunitReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if line.startswith("Running ExUnit"):
            self.boundary()
            self._run.line = number
        elif _FINISHED.match(line):
            self._run.finished = True
        elif line.startswith("== Compilation error"):
            self._closed.append(_not_compiled(number, line))
        elif line.startswith(tuple(_REDS)):
            self._reds.append(Red(number, next(_REDS[start] for start in _REDS if line.startswith(start))))
        elif line.endswith(_STOPPED[0]) or line.startswith(_STOPPED[1]):
            self._run.stopped = True
        elif (self._run.finished or self._run.line) and (counts := _counts(line)) is not None:
            self._close(number, line, counts)

    def boundary(self) -> None:
        if self._run.line:
            reasons = ("the run of ExUnit has no counts",)
            self._unfinished.append(Summary(RUNNER, self._run.line, "", 0, 0, 0, 0, green=False, reasons=reasons))
        self._run = _Run()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _close(self, number: int, line: str, counts: Counter[str]) -> None:
        run, self._run = self._run, _Run()
        self._closed.append(_summary(number, line, counts, run.stopped))


def _counts(line: str) -> Counter[str] | None:
    """`passed`, `failed`, `excluded`, `invalid` and `skipped`, in either wording."""
    if found := _COUNTS.match(line):
        others = _pairs(found.group(3))
        ran = _pairs(found.group(1)).total() - int(found.group(2)) - others.total()
        return others + Counter(passed=max(0, ran), failed=int(found.group(2)))
    if found := _RESULT.match(line):
        passed, total = int(found.group(1) or found.group(2)), int(found.group(2))
        others = _pairs(found.group(3))
        return others + Counter(passed=passed, failed=max(0, total - passed - others["invalid"]))
    return None


def _pairs(text: str) -> Counter[str]:
    pairs = (part.split(" ") for part in text.split(", ") if part)
    return Counter({word: int(count) for count, word in pairs})


def _not_compiled(number: int, line: str) -> Summary:
    return Summary(RUNNER, number, line[:300], 0, 0, 1, 0, green=False, reasons=("a file did not compile",))


def _summary(number: int, line: str, counts: Counter[str], stopped: bool) -> Summary:
    passed = counts["passed"]
    reasons = []
    if red := counts["failed"] + counts["invalid"]:
        reasons.append(f"{red} failed or could not run")
    if stopped:
        reasons.append("the run was stopped before its end")
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=passed,
        failed=counts["failed"],
        errors=counts["invalid"],
        skipped=counts["skipped"],
        green=False if reasons else (True if passed else None),
        reasons=tuple(reasons),
        interrupted=stopped,
        deselected=counts["excluded"],
    )
