"""Finds the few lines of a log that somebody wants, in bulk: one search over whole blocks of text.

Looking at every line by itself costs a hundred times more than this search. What it finds are candidates: the patterns
are widened so that they also match inside a line that still has its time stamp and prefixes. Who really wants a
cleaned line is then asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import re2

from checks.logs.prefixes import STARTS

_MEMORY = 16 * 1024 * 1024  # bytes for the states of each automaton

# What is cut off at the end of a line (`str.rstrip`), then the end of the piece.
_ENDS = r"[\t\v\f \x1c-\x1f\x{85}\pZ]*(?:\r|$)"
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|[\^$]")


class Sieve:
    """Who wants which line. Use `sieve`, which makes one for all logs."""

    def __init__(self, interests: Iterable[str]) -> None:
        """RE2 patterns of cleaned lines; `^` and `$` are the line's ends. No flags, no other signs for ends."""
        interests = tuple(interests)
        self._wanted = re2.Set.SearchSet(_options())
        for interest in interests:
            self._wanted.Add(interest)
        self._wanted.Compile()
        self._search = re2.compile(b"(?m)" + b"|".join(map(_widened, interests)), _options()).search

    def wanted(self, line: str) -> list[int]:
        """Indices of the interests that want this cleaned line."""
        return self._wanted.Match(line) or []

    def candidate(self, block: bytes, at: int) -> tuple[int, int] | None:
        """Start and end (before its line feed) of the first line that somebody may want; `at` begins a line."""
        found = self._search(block, at)
        if found is None:
            return None
        return max(at, block.rfind(b"\n", at, found.start()) + 1), end_of_line(block, found.end())


def end_of_line(block: bytes, at: int) -> int:
    """Where the line feed of the line is that holds offset `at`, or the end of the block."""
    end = block.find(b"\n", at)
    return len(block) if end < 0 else end


@cache
def sieve(interests: tuple[str, ...]) -> Sieve:
    """The automata are costly to make and fill themselves while they search: one for all logs of a process."""
    return Sieve(interests)


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = _MEMORY
    options.never_nl = True
    options.never_capture = True
    return options


def _widened(interest: str) -> bytes:
    """The pattern for a line that still has its stamp and prefixes, and may have several pieces."""
    wide = _TOKEN.sub(lambda token: {"^": STARTS, "$": _ENDS}.get(token[0], token[0]), interest)
    return f"(?:{wide})".encode()
