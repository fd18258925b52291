"""Playwright Test: `Running 6 tests using 1 worker`, and one line for each outcome that occurred.

      1 failed
        a.spec.js:3:1 › title
      1 flaky
      2 skipped
      2 passed (3.3s)

No line is last in every run, so the announced number of tests tells whether the block is whole.
https://playwright.dev/docs/test-reporters
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "playwright"

_START = r"^Running (\d{1,9}) tests? using \d+ workers?\b"
_OUTCOME = r"^  (\d{1,9}) (failed|interrupted|flaky|skipped|did not run|passed)(?: \([0-9.]+ ?[a-z]+\))?$"
_ERRORS = r"^  (\d{1,9}) errors? (?:was|were) not a part of any test, see above for details$"
_NOTHING = r"^Error: No tests found"

INTEREST = f"{_START}|{_OUTCOME}|{_ERRORS}|{_NOTHING}"

_starts = re2.compile(_START).match
_outcome = re2.compile(_OUTCOME).match
_errors = re2.compile(_ERRORS).match
_nothing = re2.compile(_NOTHING).match


@dataclass(slots=True)
class _Run:
    line: int
    announced: int
    outcomes: dict[str, int] = field(default_factory=dict)
    closing_line: int = 0
    text: str = ""
    errors: int = 0
    repeated: str = ""  # an outcome that was printed twice


class PlaywrightReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if start := _starts(line):
            self.boundary()
            self._run = _Run(number, int(start.group(1)))
        elif _nothing(line):
            self._closed.append(closing(RUNNER, number, line, Tally(), ["no tests were found"]))
        elif self._run and (outcome := _outcome(line)):
            _add(self._run, number, line, int(outcome.group(1)), outcome.group(2))
        elif self._run and (errors := _errors(line)):
            self._run.errors = int(errors.group(1))

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        if run.outcomes:
            self._closed.append(_summary(run))
        else:
            self._unfinished.append(unfinished(RUNNER, run.line, Tally(), "Playwright began, but printed no summary"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))


def _add(run: _Run, number: int, line: str, count: int, word: str) -> None:
    if word in run.outcomes:
        run.repeated = word
    run.outcomes[word] = count
    run.closing_line, run.text = number, line.strip()


def _summary(run: _Run) -> Summary:
    tally = Tally(
        run.outcomes.get("passed", 0),
        run.outcomes.get("failed", 0),
        run.errors,
        run.outcomes.get("skipped", 0),
        flaky=run.outcomes.get("flaky", 0),
    )
    missing = run.outcomes.get("did not run", 0) + run.outcomes.get("interrupted", 0)
    total = sum(run.outcomes.values())
    doubts = [f"{missing} tests did not run or were interrupted"] if missing else []
    if run.repeated:
        doubts.append(f"the run says twice how many tests {run.repeated}")
    if total != run.announced:
        doubts.append(f"{run.announced} tests were to run, but the summary has {total}")
    return closing(RUNNER, run.closing_line, run.text, tally, doubts, interrupted=missing > 0)
