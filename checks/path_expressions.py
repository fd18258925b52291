"""Gitignore patterns as expressions of the linear-time engine, and which pattern decides when several match.

pathspec translates the patterns. Its own matcher answers for one list at a time; here many lists share one set of
expressions, so that one pass over a path tells all that match it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import re2
from pathspec.patterns.gitignore.spec import _DIR_MARK_CG, _DIR_MARK_OPT, GitIgnoreSpecPattern

MAX_PATTERN_LENGTH = 512  # characters


class Expression(NamedTuple):
    """Half of a pattern: what matches below a folder of its name, or the file itself."""

    regex: str
    takes: bool  # False for a pattern with `!`, which takes paths out again
    below: bool


class Hit(NamedTuple):
    """A pattern that matches, by its place in its list."""

    place: int
    takes: bool
    below: bool


@lru_cache(maxsize=8192)
def expressions_of(pattern: str) -> tuple[Expression, ...]:
    """Raises ValueError, naming the pattern, for one that cannot be read or could never match."""
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise ValueError(f"the path pattern {pattern[:40]!r}… is longer than {MAX_PATTERN_LENGTH} characters")
    if any(ord(character) < 32 for character in pattern):
        raise ValueError(f"the path pattern {pattern!r} holds a control character")
    try:
        regex, takes = GitIgnoreSpecPattern.pattern_to_regex(pattern)
        if regex is not None and "[" in pattern:
            re.compile(regex)  # says what is wrong with a range, as in `[z-a]`
    except (ValueError, re.error) as error:
        raise ValueError(f"the path pattern {pattern!r} cannot be read: {error}") from error
    if regex is None or takes is None:
        raise ValueError(f"the path pattern {pattern!r} matches nothing; write `\\#` for a name that begins with `#`")
    return tuple(Expression(half, takes, below) for half, below in _halves(regex))


def _halves(regex: str) -> tuple[tuple[str, bool], ...]:
    """Sets have no groups, by which pathspec's expressions tell a folder from a file."""
    if regex.endswith(_DIR_MARK_OPT):
        beginning = regex.removesuffix(_DIR_MARK_OPT)
        return (f"{beginning}/", True), (f"{beginning}$", False)
    return ((regex.replace(_DIR_MARK_CG, "/"), _DIR_MARK_CG in regex),)


class ExpressionSet:
    """Expressions that are looked for at once.

    Raises ValueError where they are too complicated together.
    """

    __slots__ = ("_set",)

    def __init__(self, regexes: Iterable[str]) -> None:
        self._set = re2.Set.SearchSet(_OPTIONS)
        try:
            for regex in regexes:
                self._set.Add(regex)
            # Fails unless the engine's memory does for any text, see RE2::Set in its source.
            self._set.Compile()
        except re2.error as error:
            raise ValueError(f"the path patterns are too complicated together: {error}") from error

    def matches(self, path: str) -> Sequence[int]:
        """Places of the expressions that match somewhere in `path`, in no order."""
        found: Sequence[int] = self._set.Match(path) or ()
        return found


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return options


_OPTIONS = _options()


def decides(hits: Iterable[Hit]) -> int | None:
    """The place of the pattern that takes a path in, or None.

    The last pattern that names the file itself decides, and the last that names a folder around it
    (https://git-scm.com/docs/gitignore#_pattern_format). Unlike in git, a later `!` also takes out what lies in a
    folder that was taken in.
    """
    found = sorted(hits)
    itself = next((hit for hit in reversed(found) if not hit.below), None)
    around = next((hit for hit in reversed(found) if hit.below), None)
    if around is None or not around.takes:
        return itself.place if itself is not None and itself.takes else None
    if itself is None or itself.place < around.place:
        return around.place
    return itself.place if itself.takes else None
