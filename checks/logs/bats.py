"""bats with its pretty formatter: `3 tests, 1 failure, 1 skipped`, and a line with a mark for each test.

Its other formatters print TAP. ExUnit closes with the same words, but after `Finished in`: a closing without any mark
since then is not one of bats. Source of the words: `bats-format-pretty` of bats-core.
"""

from __future__ import annotations

from collections import Counter

import re2

from checks.logs.report import Reading, Summary

RUNNER = "bats"

INTEREST = r"^ [✓✗] \S|^ - .+ \(skipped(?:: .*)?\)|^\d+ tests?, \d+ failures?|^Finished in [\d.]+ seconds"

_CLOSING = re2.compile(
    r"^(\d{1,9}) tests?, (\d{1,9}) failures?(?:, (\d{1,9}) skipped)?(?:, (\d{1,9}) timed out)?(?:, (\d{1,9}) not run)?"
    r"(?: in \d+ seconds?)?$"
)
_MARKS = {" ✓": "passed", " ✗": "failed", " -": "skipped"}


class BatsReader:
    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._closed: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if mark := _MARKS.get(line[:2]):
            self._seen[mark] += 1
        elif line.startswith("Finished in "):
            self._seen = Counter()
        elif closing := _CLOSING.match(line):
            total, failed, skipped, late, missing = (int(count or 0) for count in closing.groups())
            if self._seen:
                self._closed.append(_summary(number, line, total, failed + late, skipped, missing, self._seen))
            self._seen = Counter()

    def boundary(self) -> None:
        self._seen = Counter()

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), ())


def _summary(
    number: int, line: str, total: int, failed: int, skipped: int, missing: int, seen: Counter[str]
) -> Summary:
    passed = max(0, total - failed - skipped - missing)
    reasons = []
    if red := max(failed, seen["failed"]):
        reasons.append(f"{red} failed")
    elif missing:
        reasons.append(f"{missing} did not run")
    elif seen.total() != total:
        reasons.append(f"{total} tests are in the total, but {seen.total()} have a mark")
    return Summary(
        runner=RUNNER,
        line=number,
        text=line,
        passed=passed,
        failed=failed,
        errors=0,
        skipped=skipped,
        green=False if reasons else (True if passed else None),
        reasons=tuple(reasons),
        interrupted=missing > 0,
    )
