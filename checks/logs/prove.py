"""What `prove` says around the TAP streams: a line a file, a report of the files that failed, and the two last lines.

Without `-v` it shows no streams and does not say which tests were skipped or marked as todo: it counts them as passed,
and so do we. Source of the words: TAP::Formatter::Console and TAP::Formatter::Base.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import re2

from checks.logs.report import Summary
from checks.logs.tap_stream import Stream

RUNNER = "prove"

INTEREST = (
    r"^\S.*\.t \.\.|^Files=\d+, Tests=\d+, |^Result: (?:PASS|FAIL|NOTESTS)$"
    r"|\(Wstat: \d.* Failed: \d+\)$|^  Parse errors: |^\s*\(less \d+ skipped subtest"
)

WORDS = re2.compile(INTEREST)

FILE = re2.compile(r"^(?:\[\d\d:\d\d:\d\d\] )?\S.*\.t \.\.+(?:$| ok| skipped: )")
"""A line about one file: `t/cart.t .. ok`, or with `-v` what stands before its stream."""

FILES = re2.compile(r"^Files=\d{1,9}, Tests=(\d{1,9}), ")
"""The last line but one, with the number of tests of all files."""

_REPORTED = re2.compile(r"\(Wstat: (\d{1,9}) .*Failed: (\d{1,9})\)$")
_LESS = re2.compile(r"^\s*\(less (\d{1,9}) skipped subtests?: ")


@dataclass(slots=True)
class Prove:
    line: int
    nested: bool  # it began inside a run of ctest
    shown: Counter[str] = field(default_factory=Counter)  # outcomes of the test lines that it showed
    file_skips: int = 0  # skipped tests among them, of the newest file
    failed: int = 0
    broken: int = 0  # files that failed without a failed test
    clean: bool = False  # nothing is known yet against the file that is reported
    hidden: int = 0  # skipped tests of which no line was shown
    total_line: int = 0
    total_text: str = ""
    tests: int = 0

    def add(self, stream: Stream) -> None:
        self.shown.update(stream.counts)
        self.file_skips += stream.counts["skipped"]

    def note(self, line: str) -> None:
        """Take a line of the reports on files that failed."""
        if reported := _REPORTED.search(line):
            failed = int(reported.group(2))
            self.failed += failed
            self.broken += not failed and reported.group(1) != "0"
            self.clean = not failed and reported.group(1) == "0"
        elif line.startswith("  Parse errors: "):
            self.broken += self.clean
            self.clean = False
        elif (less := _LESS.match(line)) and not self.file_skips:
            self.hidden += int(less.group(1))

    def summary(self, word: str) -> Summary:
        """The run, closed by `word` (PASS, FAIL or NOTESTS)."""
        shown = self.shown
        skipped = shown["skipped"] + self.hidden
        passed = max(0, self.tests - self.failed - skipped - shown["xfailed"] - shown["xpassed"])
        reasons = tuple(self._reasons(word))
        return Summary(
            runner=RUNNER,
            line=self.total_line,
            text=f"{self.total_text} Result: {word}"[:300],
            passed=passed,
            failed=self.failed,
            errors=self.broken,
            skipped=skipped,
            green=False if reasons else (True if passed else None),
            reasons=reasons,
            counted=not self.nested,
            xfailed=shown["xfailed"],
            xpassed=shown["xpassed"],
        )

    def _reasons(self, word: str) -> list[str]:
        if word == "FAIL" or self.failed or self.broken:
            return [f"{self.failed} tests failed, and {self.broken} files without a failed test"]
        if self.shown["failed"]:
            return [f"the result names no failure, but {self.shown['failed']} of the lines do"]
        if self.shown.total() > self.tests:
            return [f"{self.tests} tests are in the total, but {self.shown.total()} have a line"]
        return []

    def unfinished(self) -> Summary:
        """The run, which never came to its result."""
        shown = self.shown
        return Summary(
            runner=RUNNER,
            line=self.line,
            text=self.total_text,
            passed=shown["passed"],
            failed=max(self.failed, shown["failed"]),
            errors=self.broken,
            skipped=shown["skipped"],
            green=False,
            reasons=("the run of prove has no result",),
            xfailed=shown["xfailed"],
            xpassed=shown["xpassed"],
        )
