"""Finds the few lines of a log that somebody wants, in bulk: one search over whole blocks of text.

Looking at every line by itself costs a hundred times more than this search. What it finds are candidates: the patterns
are widened so that they also match inside a line that still has its time stamp and prefixes. Who really wants a
cleaned line is then asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import re2

from checks.logs.prefixes import STARTS

_SEARCH_MEMORY = 24 * 1024 * 1024  # bytes for the states of the automaton that searches blocks
_LINE_MEMORY = 8 * 1024 * 1024  # the same, for cleaned lines

# What is cut off at the end of a line (`str.rstrip`), then the end of the piece.
_ENDS = r"[\t\v\f \x1c-\x1f\x{85}\pZ]*(?:\r|$)"
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|[\^$|()]")


_STAMP = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )?"


class Sieve:
    """Who wants which line. Use `sieve`, which makes one for all logs."""

    def __init__(self, interests: Iterable[str], plain: Iterable[tuple[int, str]] = ()) -> None:
        """RE2 patterns of cleaned lines; `^` and `$` are the line's ends. No flags, no other signs for ends.

        `plain` are patterns of whole lines that the interest of that index may be given many at a time.
        """
        interests = tuple(interests)
        self._wanted = re2.Set.SearchSet(_options(_LINE_MEMORY))
        for interest in interests:
            self._wanted.Add(interest)
        self._wanted.Compile()
        self._search = re2.compile(f"(?m){_widened(interests)}".encode(), _options(_SEARCH_MEMORY)).search

        self._plain = {
            index: re2.compile(f"(?:{_STAMP}(?:{pattern})\n)+".encode(), _capturing_nothing())
            for index, pattern in plain
        }
        self._anywhere = re2.Set.SearchSet(_options(_LINE_MEMORY))
        for interest in interests:
            self._anywhere.Add(f"(?m){_widened((interest,))}")
        self._anywhere.Compile()

    def plain_until(self, indices: Sequence[int], block: bytes, at: int) -> tuple[int, bool]:
        """Where the lines end, from `at` on, that all these interests call plain; and whether nobody else wants one.

        Nobody is asked line by line: what widened patterns find in all of them together is at least what each wants.
        """
        end = len(block)
        for index in indices:
            found = self._plain[index].match(block, at) if index in self._plain else None
            end = min(end, found.end()) if found else at
        if end <= at:
            return at, False
        return end, sorted(self._anywhere.Match(block[at:end]) or ()) == list(indices)

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
def sieve(interests: tuple[str, ...], plain: tuple[tuple[int, str], ...] = ()) -> Sieve:
    """The automata are costly to make and fill themselves while they search: one for all logs of a process."""
    return Sieve(interests, plain)


def _options(memory: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = memory
    options.never_nl = True
    options.never_capture = True
    return options


def _capturing_nothing() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    return options


def _widened(interests: Iterable[str]) -> str:
    """One pattern for lines that still have their stamps and prefixes, and may have several pieces.

    What may stand before a line stands in it once and not before each alternative: a much smaller automaton.
    """
    parts = dict.fromkeys(part for interest in interests for part in _alternatives(interest))
    anchored = "|".join(_with_ends(part[1:]) for part in parts if part.startswith("^"))
    others = [_with_ends(part) for part in parts if not part.startswith("^")]
    return "|".join([f"{STARTS}(?:{anchored})", *others] if anchored else others)


def _alternatives(interest: str) -> Iterator[str]:
    depth = begun = 0
    for token in _TOKEN.finditer(interest):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == "|" and depth == 0:
            yield interest[begun : token.start()]
            begun = token.end()
    yield interest[begun:]


def _with_ends(part: str) -> str:
    return _TOKEN.sub(lambda token: {"^": STARTS, "$": _ENDS}.get(token[0], token[0]), part)
