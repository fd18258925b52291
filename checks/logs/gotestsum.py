"""gotestsum: its closing line `DONE 12 tests, 1 skipped, 2 failures in 1.2s`, around what `go test` prints.

It counts subtests as tests, as its JUnit report does. Depending on the format the log shows go's own lines wholly, in
part or not at all, so this reader feeds a `GoReader` and takes its findings back: with a closing line they are not
counted, but what they have against green stands. With `--rerun-fails` the last line still counts the failures of
earlier runs; they are flaky when the report of failures names none of the last run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import re2

from checks.logs import go
from checks.logs.report import Reading, Red, Summary

RUNNER = "gotestsum"

INTEREST = rf"{go.INTEREST}|^DONE \d|^=== Failed$|^=== FAIL: |^[✓✖∅]  \S|^PASS \S+ \(cached\)$"

_DONE = re2.compile(
    r"^DONE (?:(\d{1,9}) runs, )?(\d{1,9}) tests?(?:, (\d{1,9}) skipped)?(?:, (\d{1,9}) failures?)?"
    r"(?:, (\d{1,9}) errors?)? in [\d.]+m?s$"
)
_AGAIN = re2.compile(r"^=== FAIL: .* \(re-run (\d{1,9})\) \(")
_PACKAGES = ("✓  ", "✖  ", "∅  ")


@dataclass(slots=True)
class _Run:
    line: int = 0  # of the first line about a package, 0 if none was seen
    cached: bool = False
    listed: bool = False  # the failures are listed
    failed_again: int = 0  # newest re-run of which a failure is listed


class GotestsumReader:
    PLAIN = go.GoReader.PLAIN

    def __init__(self) -> None:
        self._go = go.GoReader()
        self._run = _Run()
        self._series = 0  # index in _closed of the first summary of this run and the runs that it repeats
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if done := _DONE.match(line):
            self._done(number, line, *(int(count or 0) for count in done.groups()))
        elif line.startswith("=== FAIL"):
            self._run.listed = True
        elif line.startswith(_PACKAGES):
            self._run.line = self._run.line or number
            self._run.cached = self._run.cached or line.endswith(" (cached)")
        elif line.startswith("PASS ") and line.endswith(" (cached)"):
            self._run.cached = True
        else:
            self._go.feed(number, line)
        if again := _AGAIN.match(line):
            self._run.failed_again = max(self._run.failed_again, int(again.group(1)))

    def many(self, number: int, lines: bytes, count: int) -> None:
        self._go.many(number, lines, count)

    def boundary(self) -> None:
        reading = self._take()
        self._closed += reading.summaries
        self._unfinished += reading.unfinished
        if self._run.line:
            reasons = ("the run of gotestsum has no closing line",)
            self._unfinished.append(Summary(RUNNER, self._run.line, "", 0, 0, 0, 0, green=False, reasons=reasons))
        self._run, self._series = _Run(), len(self._closed)

    def finish(self) -> Reading:
        of_go = self._go.finish()  # after a boundary there is nothing in it
        return Reading((*self._closed, *of_go.summaries), (*self._unfinished, *of_go.unfinished), tuple(self._reds))

    def _take(self) -> Reading:
        """What go's own reader found since the last closing line."""
        self._go.boundary()
        reading, self._go = self._go.finish(), go.GoReader()
        self._reds += reading.reds
        return reading

    def _done(self, number: int, line: str, runs: int, tests: int, skipped: int, failures: int, errors: int) -> None:
        reading, run = self._take(), self._run
        if not runs:
            self._series = len(self._closed)
        self._closed += [replace(one, counted=False) for one in reading.summaries]
        flaky = runs > 1 and failures > 0 and not errors and run.listed and run.failed_again < runs - 1
        self._replace_earlier(forget=flaky)
        reasons = tuple(_reasons(run, reading, 0 if flaky else failures + errors))
        self._closed.append(_summary(number, line, tests, skipped, failures, errors, flaky, reasons, run.cached))
        self._run = _Run()

    def _replace_earlier(self, *, forget: bool) -> None:
        """The last line of repeated runs stands for all of them. `forget`: what failed in them passed later."""
        for index in range(self._series, len(self._closed)):
            one = replace(self._closed[index], counted=False)
            red = one.failed or one.errors
            self._closed[index] = replace(one, green=None, reasons=()) if forget and red else one


def _summary(
    number: int,
    line: str,
    tests: int,
    skipped: int,
    failures: int,
    errors: int,
    flaky: bool,
    reasons: tuple[str, ...],
    cached: bool,
) -> Summary:
    passed = max(0, tests - skipped - failures)
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=passed,
        failed=0 if flaky else failures,
        errors=errors,
        skipped=skipped,
        green=False if reasons else (True if passed else None),
        reasons=reasons,
        cached=cached,
        flaky=failures if flaky else 0,
    )


def _reasons(run: _Run, reading: Reading, red: int) -> list[str]:
    reasons = []
    if red:
        reasons.append(f"{red} failed or broke")
    elif any(one.failed or one.errors for one in (*reading.summaries, *reading.unfinished)):
        reasons.append("the closing line names no failure, but lines of go test do")
    elif reading.unfinished:
        reasons.append("the closing line came while tests were still running")
    if run.cached:
        reasons.append("results were served from the test cache, it is not a fresh run")
    return reasons
