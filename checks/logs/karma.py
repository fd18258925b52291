"""karma: `Chrome 120.0: Executed 5 of 6 (1 FAILED) (skipped 1) (0.06 secs / 0.002 secs)` for each browser.

The line is printed again and again while the tests run, so the last one of a browser counts; it is whole when the
tests that ran and those that were skipped are all. karma-mocha-reporter prints `SUMMARY:` instead.
https://karma-runner.github.io, lib/reporters/base.js; https://github.com/litixsoft/karma-mocha-reporter
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.report import Reading, Summary
from checks.logs.tally import Tally, closing, unfinished

RUNNER = "karma"

_START = r"\bKarma v[0-9.]+ server started at "
_BROWSER = (
    r"^(\S.*): Executed (\d{1,9}) of (\d{1,9})(?: \((\d{1,9}) FAILED\))?(?: \(skipped (\d{1,9})\))?"
    r"( SUCCESS| ERROR| DISCONNECTED)?(?: \(([^()/]+) / [^()/]+\))?$"
)
_TOTAL = r"^TOTAL: (?:(\d{1,9}) FAILED, )?(\d{1,9}) SUCCESS$"
_FINISHED = r"^Finished in [^/@]+ / [^/@]+ @ "
_COUNT = r"^[✔✖ℹ√×i] (\d{1,9}) tests? (completed|skipped|failed)$"
_ERROR = r"^[✖×] Error while running the tests! Exit code: "

INTEREST = f"{_START}|: Executed \\d+ of \\d|{_TOTAL}|{_FINISHED}|{_COUNT}|{_ERROR}"

_starts = re2.compile(_START).search
_browser = re2.compile(_BROWSER).match
_total = re2.compile(_TOTAL).match
_finished = re2.compile(_FINISHED).match
_count = re2.compile(_COUNT).match

_error = re2.compile(_ERROR).match


@dataclass(slots=True)
class _Browser:
    line: int
    text: str
    executed: int
    total: int
    failed: int
    skipped: int
    state: str
    seconds: str

    @property
    def broken(self) -> bool:
        return self.state in (" ERROR", " DISCONNECTED")

    @property
    def whole(self) -> bool:
        """Until the browser has said that it is done, the time that it took is none."""
        return self.executed + self.skipped == self.total and self.seconds not in ("", "0 secs")

    @property
    def tally(self) -> Tally:
        return Tally(max(0, self.executed - self.failed), self.failed, int(self.broken), self.skipped)


@dataclass(slots=True)
class _Run:
    line: int
    browsers: dict[str, _Browser] = field(default_factory=dict)
    total: tuple[int, int] | None = None  # failed and passed, of all browsers
    finished: int | None = None  # line where the summary of karma-mocha-reporter begins
    counts: dict[str, int] = field(default_factory=dict)  # of that summary
    broken: bool = False


class KarmaReader:
    def __init__(self) -> None:
        self._run: _Run | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if _starts(line):
            self.boundary()
            self._run = _Run(number)
        elif browser := _browser(line):
            name, *counts, state, seconds = browser.groups()
            executed, total, failed, skipped = (int(count or 0) for count in counts)
            self._browser(name, _Browser(number, line, executed, total, failed, skipped, state or "", seconds or ""))
        elif self._run:
            _add(self._run, number, line)

    def boundary(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        for browser in run.browsers.values():
            if browser.whole or browser.broken:
                self._closed.append(closing(RUNNER, browser.line, browser.text, browser.tally, _doubts(run)))
            else:
                self._unfinished.append(unfinished(RUNNER, browser.line, browser.tally, "the browser did not finish"))
        if run.counts:
            self._closed.append(_mocha_summary(run))
        elif not run.browsers:
            tally = Tally(errors=int(run.broken))
            self._unfinished.append(unfinished(RUNNER, run.line, tally, "karma started, but no browser has results"))

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _browser(self, name: str, new: _Browser) -> None:
        old = self._run.browsers.get(name) if self._run else None
        if old and old.whole and new.executed < old.executed:
            self.boundary()
        self._run = self._run or _Run(new.line)
        self._run.browsers[name] = new


def _add(run: _Run, number: int, line: str) -> None:
    if total := _total(line):
        run.total = (int(total.group(1) or 0), int(total.group(2)))
    elif _finished(line):
        run.finished = number
    elif _error(line):
        run.broken = True
    elif run.finished and (count := _count(line)):
        run.counts[count.group(2)] = int(count.group(1))


def _doubts(run: _Run) -> list[str]:
    sums = (
        sum(browser.failed for browser in run.browsers.values()),
        sum(browser.executed - browser.failed for browser in run.browsers.values()),
    )
    return ["the browsers do not add up to the total"] if run.total and run.total != sums else []


def _mocha_summary(run: _Run) -> Summary:
    tally = Tally(
        run.counts.get("completed", 0),
        run.counts.get("failed", 0),
        int(run.broken),
        run.counts.get("skipped", 0),
    )
    summary = closing(RUNNER, run.finished or run.line, "SUMMARY:", tally)
    return replace(summary, counted=not run.browsers)
