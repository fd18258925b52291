"""Coverage below its bar, in the words that nyc, c8, vitest, karma-coverage and node:test share.

Their tests may all have passed, and the run still failed. Runners with other words have them in their own readers.
https://github.com/istanbuljs/nyc#checking-coverage, https://nodejs.org/api/test.html#collecting-code-coverage
"""

from __future__ import annotations

import re2

from checks.logs.report import Reading, Red

INTEREST = (
    r"\bCoverage for \w+ \([0-9.]+%\) does not meet .*threshold"
    r"|\b[0-9.]+% \w+ coverage does not meet threshold of [0-9.]+%"
)

_missed = re2.compile(INTEREST).search


class CoverageBarReader:
    def __init__(self) -> None:
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if _missed(line):
            self._reds.append(Red(number, "a coverage threshold was not met"))

    def boundary(self) -> None:
        """Each line speaks for itself."""

    def finish(self) -> Reading:
        return Reading((), (), tuple(self._reds))
