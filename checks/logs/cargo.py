"""`cargo test`: one `test result:` line of libtest for each target (library, binaries, integration tests, doc tests).

A target without tests, or one whose tests are all filtered out, says nothing for or against the others. A target with
`harness = false` prints whatever it likes and is not read. cargo goes on to the next target after one that ended
itself with `exit(0)`, so a `running N tests` without a result is the only trace of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from checks.logs import nextest
from checks.logs.report import Reading, Red, Summary

RUNNER = "cargo test"

# Where the program died in the middle of a line, cargo's word follows on that line.
_SAID = r"^error: [Cc]ould not compile |(?:^|\.\.\. )error: (?:doc)?test failed, |^error: \d+ targets? failed:"
INTEREST = (
    r"^running \d+ tests?$|^test .+ \.\.\. (?:ok|FAILED|ignored)|^test result: "
    rf"|{_SAID}|^ +Executable \S.* \(.+\)$|{nextest.SPAN}"
)

_RUNNING = re2.compile(r"^running (\d{1,9}) tests?$")
_OUTCOME = re2.compile(r"^test .+ \.\.\. (ok|FAILED|ignored)(?:$|[ ,])")
_RESULT = re2.compile(
    r"^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; "
    r"(?:\d{1,9} allowed to fail; )?(\d{1,9}) measured(?:; (\d{1,9}) filtered out)?(?:; finished in [\d.]+s)?$"
)
_ERROR = re2.compile(_SAID)
_BROKEN = re2.compile(r"^error: [Cc]ould not compile `([^`]+)`")
_BUILT = re2.compile(r"^ +Executable \S.* \(.+\)$")


@dataclass(slots=True)
class _Run:
    line: int
    announced: int
    passed: int = 0
    failed: int = 0
    ignored: int = 0
    red: int = 0  # first line of a failure


class CargoReader:
    PLAIN = r"test [\w:]+ \.\.\. ok"

    def __init__(self) -> None:
        self._span = nextest.Span()
        self._run: _Run | None = None
        self._broken: set[str] = set()  # packages of this step that did not compile
        self._built = False  # this step has a summary for test programs that were only built
        self._closed: list[Summary] = []
        self._step_start = 0
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if self._run is None and self._span.feed(line):
            return
        if _ERROR.search(line):
            self._error(number, line)
        elif self._span.inside:
            return
        elif running := _RUNNING.match(line):
            self._abandon()
            self._run = _Run(number, int(running.group(1)))
        elif result := _RESULT.match(line):
            self._close(number, line, result.groups())
        elif outcome := _OUTCOME.match(line):
            self._outcome(number, outcome.group(1))
        elif not self._built and _BUILT.match(line):
            self._built = True
            self._closed.append(Summary(RUNNER, number, line.strip()[:300], 0, 0, 0, 0, green=None))

    def many(self, _number: int, _lines: bytes, count: int) -> None:
        if self._run and not self._span.inside:
            self._run.passed += count

    def boundary(self) -> None:
        self._abandon()
        self._span, self._broken, self._built, self._step_start = nextest.Span(), set(), False, len(self._closed)

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _abandon(self, crashed: int = 0) -> None:
        if self._run:
            self._unfinished.append(_unfinished(self._run, crashed))
        self._run = None

    def _outcome(self, number: int, word: str) -> None:
        run = self._run
        if run:
            run.passed += word == "ok"
            run.failed += word == "FAILED"
            run.ignored += word == "ignored"
            run.red = run.red or (number if word == "FAILED" else 0)

    def _close(self, number: int, line: str, groups: tuple[str | None, ...]) -> None:
        run, self._run = self._run, None
        counts = tuple(int(group or 0) for group in groups[1:])
        self._closed.append(_summary(number, line, groups[0] == "ok", counts, run))

    def _error(self, number: int, line: str) -> None:
        if broken := _BROKEN.match(line):
            if broken.group(1) not in self._broken:
                self._broken.add(broken.group(1))
                self._closed.append(_not_built(number, line))
        elif self._run:
            self._abandon(crashed=1)
        elif all(one.green is not False for one in self._closed[self._step_start :]):
            self._reds.append(Red(number, "cargo says that tests failed"))


def _summary(number: int, line: str, sound: bool, counts: tuple[int, ...], run: _Run | None) -> Summary:
    passed, failed, ignored, _, filtered = counts
    reasons = tuple(_reasons(sound, failed, sum(counts) - filtered, run))
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=passed,
        failed=failed,
        errors=0,
        skipped=ignored,
        green=False if reasons else (True if passed else None),
        reasons=reasons,
        deselected=filtered,
    )


def _reasons(sound: bool, failed: int, total: int, run: _Run | None) -> list[str]:
    if failed or not sound:
        return [f"{failed} failed"]
    if run is None:
        return ["the result has no start: the beginning is missing, or something else printed it"]
    if run.red:
        return [f"the result names no failure, but line {run.red} does"]
    if run.announced != total:
        return [f"{run.announced} tests were announced, but the result accounts for {total}"]
    return []


def _not_built(number: int, line: str) -> Summary:
    return Summary(RUNNER, number, line[:300], 0, 0, 1, 0, green=False, reasons=("a package did not compile",))


def _unfinished(run: _Run, crashed: int) -> Summary:
    return Summary(
        runner=RUNNER,
        line=run.line,
        text="",
        passed=run.passed,
        failed=run.failed,
        errors=crashed,
        skipped=run.ignored,
        green=False,
        reasons=("the test program ended without a result",),
    )
