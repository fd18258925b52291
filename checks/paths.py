"""Path patterns in gitignore's form, for rules that restrict and for rules that permit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import re2
from pathspec import GitIgnoreSpec

MAX_PATTERNS = 1_000
MAX_PATTERN_LENGTH = 512  # characters
MAX_BYTES = 15_000  # of a list's patterns together; beyond it the engine's memory for one list may not do


class PathPatterns:
    """Patterns as in a `.gitignore` file (https://git-scm.com/docs/gitignore), matched in linear time.

    A later pattern wins over an earlier one, `!` takes paths out again, a pattern without a slash matches at any
    depth, and what lies below a matched folder matches too.

    Raises ValueError, naming the pattern, when one cannot be read or could never match.
    """

    __slots__ = ("_folded", "_patterns", "_raw")

    def __init__(self, patterns: Sequence[str]) -> None:
        if len(patterns) > MAX_PATTERNS:
            raise ValueError(f"{len(patterns)} path patterns are too many; at most {MAX_PATTERNS} are read")
        self._patterns = tuple(patterns)
        self._raw = _compile(self._patterns)
        self._folded = _compile(tuple(_fold(pattern) for pattern in self._patterns))

    @property
    def patterns(self) -> tuple[str, ...]:
        return self._patterns

    def matches(self, path: str) -> bool:
        """Whether a rule that restricts applies to `path`.

        Both the path as it is and its folded form (Unicode NFC, no difference of case) are looked at, since a file
        system may take one name for the other; a hit on either side counts.
        """
        return self.first_match(path) is not None

    def first_match(self, path: str) -> str | None:
        """The pattern that decides that `path` matches, in the same two views, or None."""
        return self.first_of_views(*_views(path))

    def matches_exactly(self, path: str) -> bool:
        """Whether a rule that permits applies to `path`: as it is written, without folding."""
        return self._decide(self._raw, _plain(path)) is not None

    def first_of_views(self, plain: str, folded: str) -> str | None:
        """`first_match` for a path whose two views are made already, as an index over many lists has them."""
        return self._decide(self._raw, plain) or self._decide(self._folded, folded)

    def _decide(self, spec: GitIgnoreSpec, path: str) -> str | None:
        result = spec.check_file(path)
        if not result.include or result.index is None:
            return None
        return self._patterns[result.index]


class PathIndex:
    """Many pattern lists asked at once: most paths match nothing, which one look at a bundle of lists tells."""

    __slots__ = ("_bundles",)

    _LISTS = 16  # a bundle; larger ones grow beyond the engine's memory, smaller ones save less
    _BYTES = 6_000

    def __init__(self, lists: Sequence[PathPatterns]) -> None:
        self._bundles = [(_anything_of(part), part) for part in self._cut(lists)]

    def matches(self, path: str) -> Iterator[tuple[int, str]]:
        """The number of every list that matches `path` in either view, with the pattern that decides, in order."""
        plain, folded = _views(path)
        for anything, part in self._bundles:
            if anything is None or anything.match_file(plain) or anything.match_file(folded):
                for number, patterns in part:
                    found = patterns.first_of_views(plain, folded)
                    if found is not None:
                        yield number, found

    def _cut(self, lists: Sequence[PathPatterns]) -> Iterator[list[tuple[int, PathPatterns]]]:
        part: list[tuple[int, PathPatterns]] = []
        for number, patterns in enumerate(lists):
            size = sum(_size(one.patterns) for _, one in part) + _size(patterns.patterns)
            if part and (len(part) == self._LISTS or size > self._BYTES):
                yield part
                part = []
            part.append((number, patterns))
        if part:
            yield part


def _anything_of(part: Sequence[tuple[int, PathPatterns]]) -> GitIgnoreSpec | None:
    """What matches at least whatever one of the lists matches; None where that is too large, so that each is asked."""
    taken = [pattern for _, patterns in part for pattern in patterns.patterns if not pattern.startswith("!")]
    try:
        return GitIgnoreSpec.from_lines([*taken, *(_fold(pattern) for pattern in taken)], backend="re2")
    except re2.error:
        return None


def _compile(patterns: Sequence[str]) -> GitIgnoreSpec:
    for pattern in patterns:
        _refuse_useless(pattern)
    if _size(patterns) > MAX_BYTES:
        raise ValueError(f"the path patterns are {_size(patterns)} bytes together; at most {MAX_BYTES} are read")
    try:
        return GitIgnoreSpec.from_lines(patterns, backend="re2")
    except re2.error as error:
        raise ValueError(f"the path patterns are too complicated together: {error}") from error


def _size(patterns: Sequence[str]) -> int:
    return sum(len(pattern.encode("utf-8", "surrogatepass")) for pattern in patterns)


def _refuse_useless(pattern: str) -> None:
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise ValueError(f"the path pattern {pattern[:40]!r}… is longer than {MAX_PATTERN_LENGTH} characters")
    if any(ord(character) < 32 for character in pattern):
        raise ValueError(f"the path pattern {pattern!r} holds a control character")
    try:
        (compiled,) = GitIgnoreSpec.from_lines([pattern], backend="simple").patterns or (None,)
    except (ValueError, re.error) as error:  # the latter is no ValueError, for example for `[z-a]`
        raise ValueError(f"the path pattern {pattern!r} cannot be read: {error}") from error
    if compiled is None or compiled.include is None:
        raise ValueError(f"the path pattern {pattern!r} matches nothing; write `\\#` for a name that begins with `#`")


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _views(path: str) -> tuple[str, str]:
    plain = _plain(path)
    return plain, _fold(plain)


def _plain(path: str) -> str:
    """The path with line breaks and undecodable bytes replaced, as `.` in the engine's patterns stops at a break."""
    return path.translate(_BREAKS).encode("utf-8", "replace").decode()


_BREAKS = {ord("\n"): "\ufffd", ord("\r"): "\ufffd"}
