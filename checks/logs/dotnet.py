"""`dotnet test`: VSTest's console in both verbosities, the terminal logger, and Microsoft.Testing.Platform.

Each says its counts in other words: a line for each assembly, `Total tests: 3` with lines below it, one line for all,
or `Test run summary: ...` with lines below it. A host that crashed leaves green words above `Test Run Aborted.`
https://learn.microsoft.com/dotnet/core/tools/dotnet-test
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import re2

from checks.logs.parts import Counts, empty, not_green, part, unfinished
from checks.logs.report import Reading, Red, Summary

RUNNER = "dotnet test"

INTEREST = (
    r"^ *(?:Test run for \S|Test Run [A-Z]|Total tests: |Test summary: total: |Test run summary: |Total time: )"
    r"|^ *(?:Passed|Failed|Skipped|total|failed|succeeded|skipped|error|duration): +\d|Failed: +\d+, Passed: +\d"
    r"|No test (?:is available in |matches the given testcase filter )|^ *The active test run was aborted\."
    r"|^ *Test run completed with non-success exit code: |^ *Build (?:FAILED\.$|failed with \d)"
)

_starts = re2.compile(r"^ *Test run for (\S.*\.(?:dll|exe)) ?\(").match
_assembly = re2.compile(
    r"^ *(Passed|Failed|Skipped|None)!? +- Failed: +(\d{1,9}), Passed: +(\d{1,9}), Skipped: +(\d{1,9})"
    r", Total: +(\d{1,9})(?:, Duration: .*)?$"
).match
_verdict = re2.compile(r"^ *Test Run (Failed|Aborted|Canceled)\b").match
_old_total = re2.compile(
    r"^ *Total tests: (\d{1,9}|Unknown)\. Passed: (\d{1,9})\. Failed: (\d{1,9})\. Skipped: (\d{1,9})\.$"
).match
_total = re2.compile(r"^ *Total tests: (\d{1,9}|Unknown)$").match
_terminal = re2.compile(
    r"^ *Test summary: total: (\d{1,9}), failed: (\d{1,9}), succeeded: (\d{1,9}), skipped: (\d{1,9}), duration: "
).match
_platform = re2.compile(r"^ *Test run summary: (\S.*?)(?: - .*)?$").match
_part = re2.compile(r"^ *(Passed|Failed|Skipped|total|failed|succeeded|skipped|error): +(\d{1,9})$").match
_none = re2.compile(r"No test (?:is available in |matches the given testcase filter )").search
_aborted = re2.compile(
    r"^ *(?:The active test run was aborted\.|Test run completed with non-success exit code: )"
).match
_build = re2.compile(r"^ *Build (?:FAILED\.$|failed with \d)").match

_WITHIN = 30
"""Lines from a block's headline to its last part: projects that failed to run are listed between them."""

_NOT_RED = frozenset({"", "Passed!", "Zero tests ran"})
_NAMES = {"total": "Total", "failed": "Failed", "succeeded": "Passed", "skipped": "Skipped", "error": "Error"}


@dataclass(slots=True)
class _Block:
    """`Total tests:` or `Test run summary:` and the parts below it."""

    line: int
    text: str
    counts: dict[str, int] = field(default_factory=dict)
    unknown: bool = False  # the total is not known: the run did not end
    verdict: str = ""


class DotnetReader:
    def __init__(self) -> None:
        self._open: dict[str, int] = {}  # line of each assembly whose run has no summary yet
        self._block: _Block | None = None
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if self._continues(number, line):
            return
        if start := _starts(line):
            self._open[_base_name(start.group(1))] = number
        elif assembly := _assembly(line):
            self._assembly(number, line, *assembly.groups())
        elif total := _total(line):
            self._block = _Block(number, line, {"Total": _count(total.group(1))}, total.group(1) == "Unknown")
        elif platform := _platform(line):
            self._block = _Block(number, line, verdict=platform.group(1))
        elif not self._one_line(number, line):
            self._mark(number, line)

    def boundary(self) -> None:
        self._close_block()
        for name, line in self._open.items():
            self._unfinished.append(unfinished(RUNNER, line, f"the tests of {name[:200]} have no summary"))
        self._open = {}

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _continues(self, number: int, line: str) -> bool:
        """Whether the line belongs to the open block; anything else closes it."""
        block = self._block
        if block is None:
            return False
        if number - block.line <= _WITHIN and (found := _part(line)):
            block.counts[_NAMES.get(found.group(1), found.group(1))] = int(found.group(2))
            return True
        self._close_block()
        return False

    def _close_block(self) -> None:
        block, self._block = self._block, None
        if block is None:
            return
        if self._open:
            del self._open[next(iter(self._open))]
        summary = _summary(block.line, block.text, block.counts, block.unknown)
        if block.verdict not in _NOT_RED and summary.green is not False:
            summary = not_green(summary, f"the verdict is {block.verdict[:200]}")
        self._closed.append(summary)

    def _assembly(self, number: int, line: str, word: str, failed: str, passed: str, skipped: str, total: str) -> None:
        name, _, _ = line.rpartition(" - ")[2].partition(" (")
        self._open.pop(_base_name(name), None)
        counts = {"Failed": int(failed), "Passed": int(passed), "Skipped": int(skipped), "Total": int(total)}
        if word == "Failed" and not counts["Failed"]:
            self._reds.append(Red(number, "the verdict is Failed!, but the counts name no failure"))
        self._closed.append(_summary(number, line, counts))

    def _one_line(self, number: int, line: str) -> bool:
        if old := _old_total(line):
            total, passed, failed, skipped = old.groups()
        elif terminal := _terminal(line):
            total, failed, passed, skipped = terminal.groups()
        else:
            return False
        counts = {"Total": _count(total), "Passed": int(passed), "Failed": int(failed), "Skipped": int(skipped)}
        self._open = {}
        self._closed.append(_summary(number, line, counts, total == "Unknown"))
        return True

    def _mark(self, number: int, line: str) -> None:
        if _none(line):
            for name in [name for name in self._open if name in line] or list(self._open)[:1]:
                del self._open[name]
            self._closed.append(empty(RUNNER, number, line))
        elif verdict := _verdict(line):
            self._reds.append(Red(number, f"the verdict is Test Run {verdict.group(1)}"))
        elif _aborted(line):
            self._reds.append(Red(number, "the test run was aborted, or failed as a whole"))
        elif _build(line):
            self._reds.append(Red(number, "the build failed"))


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _summary(number: int, text: str, counts: dict[str, int], unknown: bool = False) -> Summary:
    found = Counts(counts.get("Passed", 0), counts.get("Failed", 0), counts.get("Error", 0), counts.get("Skipped", 0))
    doubts = []
    if unknown:
        doubts.append("the test run did not end")
    elif counts.get("Total", 0) > found.passed + found.failed + found.skipped:
        doubts.append("the counts do not add up to their total")
    return replace(part(RUNNER, number, text, found, doubts), interrupted=unknown)
