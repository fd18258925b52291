"""ava's own reporter: a line for each test, a short rule, then `2 tests passed`, `1 test skipped` and so on.

The number of tests that passed is only printed if no test failed; then the check marks are counted. With `--tap` ava
prints TAP, which has a reader of its own. https://github.com/avajs/ava, lib/reporters/default.js
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "ava"

_RESULT = r"^  ([✔✘✖]) "
_RULE = r"^  ─$"
_TOTAL = (
    r"^  (\d{1,9}) ((?:test|hook)s? (?:passed|failed|skipped|todo|remained pending after a timeout)"
    r"|known failures?|unhandled rejections?|uncaught exceptions?)$"
)
_NOTHING = (
    r"^  [✘✖] (?:Couldn’t find any (?:files to test|matching tests)"
    r"|Based on your configuration, \d+ test files? w(?:as|ere) found, but did not match the filters:)"
)

INTEREST = f"{_RESULT}|{_RULE}|{_TOTAL}"

_result = re2.compile(_RESULT).match
_rule = re2.compile(_RULE).match
_total = re2.compile(_TOTAL).match
_nothing = re2.compile(_NOTHING).match


@dataclass(slots=True)
class _Run:
    marks: int = 0  # check marks, also those of faults that are known and expected
    crossed: bool = False
    rule: int | None = None  # line of the last rule
    totals: dict[str, int] = field(default_factory=dict)  # `test failed`, always singular
    text: str = ""


class AvaReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _nothing(line):
            self._closed.append(closing(RUNNER, number, line.strip(), Tally(), ["no tests were found"]))
        elif result := _result(line):
            self._result(result.group(1))
        elif _rule(line):
            self._run.rule, self._run.totals = number, {}
        elif self._run.rule and (total := _total(line)):
            self._run.totals[total.group(2).replace("s ", " ").removesuffix("s")] = int(total.group(1))
            self._run.text = self._run.text or line.strip()

    def boundary(self) -> None:
        run, self._run = self._run, _Run()
        if run.rule and (run.totals or run.crossed):
            self._closed.append(_summary(run, run.rule))
        elif run.rule and run.marks:
            self._unfinished.append(unfinished(RUNNER, run.rule, Tally(run.marks), "the totals of ava are missing"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _result(self, sign: str) -> None:
        if self._run.totals:
            self.boundary()
        if sign == "✔":
            self._run.marks += 1
        else:
            self._run.crossed = True


def _summary(run: _Run, line: int) -> Summary:
    totals = run.totals
    known = totals.get("known failure", 0)
    failed = totals.get("test failed", 0) + totals.get("test remained pending after a timeout", 0)
    errors = sum(totals.get(word, 0) for word in ("hook failed", "unhandled rejection", "uncaught exception"))
    if run.crossed and not failed and not errors:
        errors = 1  # a file that ended itself, or has no tests, is in no total
    tally = Tally(
        totals.get("test passed", max(0, run.marks - known)),
        failed,
        errors,
        totals.get("test skipped", 0),
        xfailed=known,
    )
    return closing(RUNNER, line, run.text, tally)
