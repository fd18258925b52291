"""tox and nox around other runners: environments begin one after the other, and each of them, or all, must end.

They count no tests. A log that is cut between two environments looks whole to the runner that was started in them.
https://tox.wiki/ and https://nox.thea.codes/
"""

from __future__ import annotations

import re2

from checks.logs.parts import unfinished
from checks.logs.report import Reading, Red, Summary

TOX = "tox"
NOX = "nox"

INTEREST = (
    r"^[^ ]+: commands\[\d+\]> |^[^ ]+ run-test: commands\[\d+\] |^_+ summary _+$"
    r"|^ +congratulations :\)|^ +evaluation failed :\(|^ERROR: +[^ ]+: commands failed$"
    r"|^nox > (?:Running session|Session) "
)

_begins = re2.compile(r"^[^ ]+(?: run-test)?: commands\[\d+\]").match
_ends = re2.compile(r"^_+ summary _+$|^ +congratulations :\)").match
_fails = re2.compile(r"^ +evaluation failed :\(|^ERROR: +[^ ]+: commands failed$").match
_session_begins = re2.compile(r"^nox > Running session (.+)$").match
_session_ends = re2.compile(r"^nox > Session (.+?) (was successful|failed|aborted|skipped|interrupted)\b").match

_RED_ENDS = frozenset({"failed", "aborted", "interrupted"})


class ToxReader:
    def __init__(self) -> None:
        self._begun: int | None = None  # line of tox's first command, until tox says how all ended
        self._sessions: dict[str, int] = {}  # line of each of nox's sessions that has not ended
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if session := _session_begins(line):
            self._sessions[session.group(1)] = number
        elif end := _session_ends(line):
            self._sessions.pop(end.group(1), None)
            if end.group(2) in _RED_ENDS:
                self._reds.append(Red(number, f"the session {end.group(1)[:200]} of nox {end.group(2)}"))
        elif _begins(line):
            self._begun = self._begun or number
        elif _ends(line):
            self._begun = None
        elif _fails(line):
            self._begun = None
            self._reds.append(Red(number, "an environment of tox failed"))

    def boundary(self) -> None:
        if self._begun:
            self._unfinished.append(unfinished(TOX, self._begun, "tox did not say how its environments ended"))
        for name, line in self._sessions.items():
            self._unfinished.append(unfinished(NOX, line, f"the session {name[:200]} of nox has no end"))
        self._begun, self._sessions = None, {}

    def finish(self) -> Reading:
        return Reading((), tuple(self._unfinished), tuple(self._reds))
