"""TAP streams, and `prove`, which runs test files and reads their streams.

A stream is open until something else begins, since its last comments follow its plan. The streams that prove shows
with `-v` are its own, and no runs beside it. node:test prints TAP too, with totals in comments that have a reader of
their own: here its streams only must not hide a failure.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace

import re2

from checks.logs import ctest, prove
from checks.logs.prove import Prove
from checks.logs.report import Reading, Red, Summary
from checks.logs.tap_stream import Stream, read_test

INTEREST = (
    r"^(?:not )?ok(?: |$)|^1\.\.\d+(?:$| *#)|^TAP version \d+$|^Bail out!|^\s+not ok |^\s+(?:---|\.\.\.)$"
    r"|^# (?:pass|fail|suites|cancelled|duration_ms) +[\d.]+$|^# Looks like you|^  duration_ms: \d"
    rf"|{prove.INTEREST}|{ctest.SPAN}"
)

_PLAN = re2.compile(r"^1\.\.(\d{1,9})(?: *#.*)?$")
_COMMENT = re2.compile(r"^# (pass|fail|suites|cancelled|duration_ms) +(\d{1,9})(?:\.\d+)?$")
_NUMBERS = re.compile(rb"^(?:\S+Z )?ok (\d+)", re.MULTILINE).findall
_MOST_PENDING = 1000  # streams that are kept until it is known whose they are
_NODE = frozenset({"suites", "cancelled", "duration_ms"})


class TapReader:
    PLAIN = r"ok \d{1,9}(?: - [ !-\"$-\[\]-~]*[!-\"$-\[\]-~])?"  # no directive, which begins with `#`

    def __init__(self) -> None:
        self._span = ctest.Span()
        self._stream: Stream | None = None
        self._yaml = False
        self._pending: deque[Stream] = deque()  # ended, and not of a run of prove that is known by now
        self._prove: Prove | None = None
        self._last: Prove | None = None  # a run that has just closed, and named its files
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if line[0] in " \t":
            self._indented(number, line)
        elif self._span.feed(line):
            self._settle()
        elif line[0] == "#":
            self._comment(number, line)
        elif line.startswith(("ok", "not ok")):
            self._test(number, line)
        elif plan := _PLAN.match(line):
            self._plan(number, line, int(plan.group(1)))
        elif line.startswith("TAP version "):
            self._begin(number)
        elif line.startswith("Bail out!"):
            self._bail(number, line)
        else:
            self._prove_line(number, line)

    def many(self, number: int, lines: bytes, count: int) -> None:
        stream = self._stream
        if stream is not None and not stream.inner_red:
            first = stream.last + 1
            if first > 1 and list(map(int, _NUMBERS(lines))) == list(range(first, first + count)):
                self._yaml = False
                stream.counts["passed"] += count
                stream.numbered, stream.last = True, stream.last + count
                return
        for at, line in enumerate(lines.decode("ascii").splitlines()):
            self.feed(number + at, line[line.index("ok ") :])

    def boundary(self) -> None:
        self._settle()
        self._span = ctest.Span()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _begin(self, number: int) -> Stream:
        self._end()
        self._last = None
        self._stream = Stream(number, nested=self._span.inside)
        return self._stream

    def _end(self) -> None:
        stream, self._stream, self._yaml = self._stream, None, False
        if stream and self._prove:
            self._prove.add(stream)
        elif stream:
            self._pending.append(stream)
            if len(self._pending) > _MOST_PENDING:
                self._judge(self._pending.popleft())

    def _settle(self) -> None:
        self._end()
        self._abandon()
        while self._pending:
            self._judge(self._pending.popleft())
        self._last = None
        self._unfinished += self._span.take()

    def _judge(self, stream: Stream) -> None:
        if stream.node:
            self._reds += [Red(stream.line, f"TAP of node:test: {reason}") for reason in stream.reasons()]
        elif stream.complete:
            self._closed.append(stream.summary())
        else:
            self._lose(stream.summary(), stream.nested)

    def _lose(self, unfinished: Summary, nested: bool) -> None:
        if nested:
            self._span.hold(unfinished)
        else:
            self._unfinished.append(unfinished)

    def _plan(self, number: int, line: str, count: int) -> None:
        stream = self._stream
        if stream is None or stream.plan is not None:
            stream = self._begin(number)
        stream.plan, stream.text = count, line

    def _test(self, number: int, line: str) -> None:
        test = read_test(line)
        if test is None:
            return
        self._yaml = False
        stream = self._begin(number) if self._starts(test.number) else self._stream
        if stream is None:
            if test.number and test.kind == "failed":
                self._reds.append(Red(number, "a test failed, and the beginning of its TAP stream is missing"))
        elif test.number or not stream.numbered or test.kind == "failed":
            stream.add(number, test)

    def _starts(self, test: int | None) -> bool:
        """Number 1 starts a stream; in a run of prove, which may be asked to show but a part, every number does."""
        if self._stream:
            return test == 1 and self._stream.tests > 0
        return test == 1 or (test is not None and self._prove is not None)

    def _indented(self, number: int, line: str) -> None:
        text, stream = line.strip(), self._stream
        if text in ("---", "..."):
            self._yaml = text == "---"
        elif stream and line.startswith("  duration_ms: "):
            stream.node = True
        elif stream and not self._yaml and text.startswith("not ok"):
            test = read_test(text)
            if test and test.kind == "failed":
                stream.inner_red = number
        else:
            self._prove_line(number, line)

    def _comment(self, number: int, line: str) -> None:
        stream = self._stream
        if stream is None:
            return
        if line.startswith("# Looks like you"):
            stream.warned = stream.warned or number
        elif comment := _COMMENT.match(line):
            stream.comments[comment.group(1)] = int(comment.group(2))
            stream.node = stream.node or comment.group(1) in _NODE

    def _bail(self, number: int, line: str) -> None:
        stream = self._stream or self._begin(number)
        stream.bailed, stream.text = number, line
        self._end()

    def _prove_line(self, number: int, line: str) -> None:
        if not prove.WORDS.search(line):
            return
        if prove.FILE.match(line):
            self._file(number)
            return
        self._end()
        if self._last and not line.startswith("Result: "):
            self._resume(self._last)
        if files := prove.FILES.match(line):
            self._total(number, line, int(files.group(1)))
        elif self._prove and line.startswith("Result: "):
            self._result(self._prove, line.removeprefix("Result: "))
        elif self._prove:
            self._prove.note(line)

    def _file(self, number: int) -> None:
        self._end()
        if self._prove and self._prove.total_line:
            self._abandon()
        if self._prove is None:
            self._prove = Prove(number, self._span.inside)
        self._prove.file_skips, self._last = 0, None

    def _resume(self, run: Prove) -> None:
        """prove goes on after its closing without a new file: that closing was printed by something else."""
        reason = "prove goes on after it"
        self._closed[-1] = replace(self._closed[-1], green=False, reasons=(reason,), counted=False)
        self._prove, self._last = run, None

    def _total(self, number: int, line: str, tests: int) -> None:
        """With test files of another name than `.t` this is the first line of prove that is known for sure."""
        if self._prove is None:
            self._prove = Prove(number, self._span.inside)
            if sum(stream.tests for stream in self._pending) == tests:
                while self._pending:
                    self._prove.add(self._pending.popleft())
        self._prove.total_line, self._prove.total_text, self._prove.tests = number, line, tests

    def _result(self, run: Prove, word: str) -> None:
        if run.total_line:
            self._closed.append(run.summary(word))
            self._prove, self._last = None, run if run.line < run.total_line else None

    def _abandon(self) -> None:
        if self._prove:
            self._lose(self._prove.unfinished(), self._prove.nested)
        self._prove = None
