"""mocha's reporters that close with `3 passing (20ms)`: spec, dot, min, list, landing, nyan, progress and their kin.

mocha prints no line where a run starts. Two summaries in one step are believed only if npm's echo of the command or
the check marks before each account for it. Cypress runs mocha once a file and adds up by itself, so what mocha says
within a run of Cypress is not counted and proves nothing. https://mochajs.org/#reporters
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import re2

from checks.logs import cypress
from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "mocha"

_COUNT = r"^ +(\d{1,9}) (passing|pending|skipped|failing(?: as expected)?)(?: \([0-9.]+ ?[a-z]+\))?$"
_MARK = r"^ {2,}[✓✔√] "
_DETAIL = r"^  1\) \S"
_BROKEN = r"^ *Exception during run: |^✖ ERROR: "
_NOTHING = r"^Error: No test files found"
_PROGRAM = "_?b?mocha"
_ECHO = rf"^(?:> |\$ )(?:[^ ].* )?(?:\S*/)?{_PROGRAM}(?: |$)"  # `> mocha` of npm and pnpm, `$ mocha` of yarn

INTEREST = f"{_COUNT}|{_MARK}|{_DETAIL}|{_BROKEN}|{_NOTHING}|{_ECHO}|{cypress.SPAN}"

_count = re2.compile(_COUNT).match
_marked = re2.compile(_MARK).match
_detailed = re2.compile(_DETAIL).match
_broke = re2.compile(_BROKEN).match
_nothing = re2.compile(_NOTHING).match
_echoes = re2.compile(_ECHO).match
_calls = re2.compile(rf"[ /]{_PROGRAM}(?: |$)").findall

_SEVERAL = "several summaries in one step, and neither npm's echo nor the check marks account for each"
_DETAILS = "the summary names no failure, but the details of one follow it"


@dataclass(slots=True)
class _Closing:
    line: int
    text: str
    tally: Tally
    accounted: bool
    within_cypress: bool
    detailed: bool = False  # details of a failure follow


class MochaReader:
    PLAIN = r" {4,}[✓✔√] [ -~]*[!-~]"  # of jest too; with two spaces pest wants them as well

    def __init__(self) -> None:
        self._cypress = cypress.Span()
        self._step: list[_Closing] = []
        self._echo = 0  # line of npm's echo, until its runs have closed
        self._calls = 0  # runs that are still to come from that echo
        self._marks = 0  # check marks since the last summary or echo
        self._awaits_detail = False
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> bool:
        if self._awaits_detail:
            self._awaits_detail = False
            self._step[-1].detailed |= line.startswith(" " * 7)
        if self._cypress.feed(line):
            return False
        if count := _count(line):
            self._counted(number, line, int(count.group(1)), count.group(2))
        elif _detailed(line):
            self._detail(line)
        elif _marked(line):
            self._marks += 1
        else:
            self._surroundings(number, line)
        return self._awaits_detail

    def many(self, _number: int, _lines: bytes, count: int) -> None:
        self._marks += count

    def boundary(self) -> None:
        self._leave()
        self._closed += _summaries(self._step)
        self._step, self._awaits_detail = [], False

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _counted(self, number: int, line: str, count: int, word: str) -> None:
        if word == "passing":
            accounted = self._calls > 0 or self._marks == count
            self._step.append(_Closing(number, line.strip(), Tally(count), accounted, self._cypress.inside))
            self._settle(self._calls - 1)
        elif self._step:
            _add(self._step[-1].tally, count, word)
            if word == "failing":  # what the script had behind it does not run
                self._settle()

    def _detail(self, line: str) -> None:
        """`  1) suite` and the deeper test below it, or `  1) test:`. Anything may print the first line of the two."""
        if self._step and not self._step[-1].tally.failed:
            self._step[-1].detailed |= line.endswith(":")
            self._awaits_detail = True

    def _surroundings(self, number: int, line: str) -> None:
        if _echoes(line):
            self._leave()
            self._echo, self._calls = number, len(_calls(line))
        elif _broke(line):
            self._abandon(number, Tally(errors=1), "mocha broke before it could close")
        elif _nothing(line):
            self._closed.append(closing(RUNNER, number, line, Tally(), ["no test files were found"]))
            self._settle()

    def _abandon(self, line: int, tally: Tally, reason: str) -> None:
        self._unfinished.append(unfinished(RUNNER, line, tally, reason))
        self._settle()

    def _leave(self) -> None:
        if self._echo and self._marks:
            self._abandon(self._echo, Tally(self._marks), "mocha began, but printed no summary")
        self._settle()

    def _settle(self, calls: int = 0) -> None:
        self._calls, self._marks = max(0, calls), 0
        self._echo = self._echo if calls > 0 else 0


def _add(tally: Tally, count: int, word: str) -> None:
    if word == "failing":
        tally.failed = count
    elif word == "failing as expected":
        tally.xfailed = count
    else:
        tally.skipped = count


def _summaries(step: list[_Closing]) -> list[Summary]:
    several = sum(not one.within_cypress for one in step) > 1
    return [_within_cypress(one) if one.within_cypress else _summary(one, several) for one in step]


def _summary(one: _Closing, several: bool) -> Summary:
    doubts = [_DETAILS] if one.detailed else []
    if several and not one.accounted:
        doubts.append(_SEVERAL)
    return closing(RUNNER, one.line, one.text, one.tally, doubts)


def _within_cypress(one: _Closing) -> Summary:
    summary = closing(RUNNER, one.line, one.text, one.tally)
    if one.tally.failed:
        return replace(summary, counted=False)
    return replace(summary, counted=False, green=None, reasons=())
