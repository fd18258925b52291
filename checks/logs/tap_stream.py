"""One TAP stream, versions 12 to 14: its plan, its top-level tests, and what in it contradicts itself.

Subtests are indented and have a top-level line of their own, which counts. Source: the specifications at
testanything.org and, for directives, TAP::Parser::Grammar.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from checks.logs.report import Summary

RUNNER = "tap"

_KINDS = ("passed", "failed", "skipped", "xfailed", "xpassed")
_NUMBERED = re2.compile(r"^(not )?ok +(\d{1,9})(?:\s(.*))?$")
_BARE = re2.compile(r"^(not )?ok( - .*| *#.*)?$")
_DIRECTIVE = re2.compile(r"(?i)(?:^|[^\\])#\s*(skip|todo)\b")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A test line. `kind`: passed, failed, skipped, xfailed (todo and failing) or xpassed (todo, but passing)."""

    number: int | None
    kind: str


def read_test(line: str) -> Outcome | None:
    """The test of a line that begins with `ok` or `not ok`, or None. A failing test may still be marked as skipped."""
    found = _NUMBERED.match(line)
    if found:
        return Outcome(int(found.group(2)), _kind(bool(found.group(1)), found.group(3) or ""))
    if found := _BARE.match(line):
        return Outcome(None, _kind(bool(found.group(1)), found.group(2) or ""))
    return None


def _kind(failed: bool, rest: str) -> str:
    directive = _DIRECTIVE.search(rest)
    word = directive.group(1).lower() if directive else ""
    if word == "skip":
        return "skipped"
    if word == "todo":
        return "xfailed" if failed else "xpassed"
    return "failed" if failed else "passed"


@dataclass(slots=True)
class Stream:
    line: int
    nested: bool = False  # printed inside a run of ctest
    node: bool = False  # of node:test, whose totals its own reader takes
    plan: int | None = None
    text: str = ""
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    last: int = 0  # number of the last test
    numbered: bool = False
    disordered: int = 0  # first line whose number does not follow the one before it
    inner_red: int = 0  # line of a failed subtest whose own line is yet to come
    denied: int = 0  # first passing line of a test that has a failed subtest
    comments: dict[str, int] = field(default_factory=dict)  # totals that the producer prints as comments
    warned: int = 0  # line where Test::More says that something is wrong
    bailed: int = 0

    @property
    def tests(self) -> int:
        return sum(self.counts.values())

    @property
    def complete(self) -> bool:
        return bool(self.bailed) or (self.plan is not None and self.tests >= self.plan)

    def add(self, number: int, test: Outcome) -> None:
        self.counts[test.kind] += 1
        self.numbered = self.numbered or test.number is not None
        self.last += 1
        if test.number not in (None, self.last):
            self.disordered = self.disordered or number
            self.last = test.number or 0
        if self.inner_red and test.kind == "passed":
            self.denied = self.denied or number
        self.inner_red = 0

    def summary(self) -> Summary:
        """The stream as a run of its own. Without a plan, or with too few tests, it is one that never closed."""
        reasons = tuple(self.reasons())
        counts = self.counts
        return Summary(
            runner=RUNNER,
            line=self.line,
            text=self.text[:300],
            passed=counts["passed"],
            failed=counts["failed"],
            errors=int(self.bailed > 0),
            skipped=counts["skipped"],
            green=False if reasons else (True if counts["passed"] else None),
            reasons=reasons,
            interrupted=self.bailed > 0,
            counted=not self.nested,
            xfailed=counts["xfailed"],
            xpassed=counts["xpassed"],
        )

    def reasons(self) -> list[str]:
        reasons = []
        if self.counts["failed"]:
            reasons.append(f"{self.counts['failed']} failed")
        if self.bailed:
            reasons.append(f"line {self.bailed} bails out")
        elif self.plan is None:
            reasons.append("the stream has no plan")
        elif self.plan != self.tests:
            reasons.append(f"{self.plan} tests were planned, but {self.tests} ran")
        elif said := self._said():
            reasons.append(said)
        return reasons

    def _said(self) -> str | None:
        """What the stream's own words have against its tests."""
        if self.disordered:
            return f"the number in line {self.disordered} does not follow the one before it"
        if self.denied:
            return f"line {self.denied} passes, but a subtest of it failed"
        if self.warned:
            return f"line {self.warned} says that something went wrong"
        failed, passed = self.counts["failed"], self.counts["passed"]
        if self.node:  # counts subtests too
            return None
        if not failed <= self.comments.get("fail", failed) <= failed + self.counts["xfailed"]:
            return f"the comments count {self.comments['fail']} failed, the lines {failed}"
        if not passed <= self.comments.get("pass", passed) <= self.tests - failed:
            return f"the comments count {self.comments['pass']} passed, the lines {passed}"
        return None
