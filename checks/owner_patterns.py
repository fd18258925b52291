"""Path patterns of a CODEOWNERS file: gitignore's form without `!` and `[ ]`, and with a stricter `folder/*`.

Each is compiled once. A path is matched in time linear in its length; plain patterns, most of a large file, cost one
look-up a folder and nothing each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

_BUNDLE = 128  # patterns that one expression asks about at once
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.dot_nl = True


class OwnerPatterns:
    """Patterns in the order of their lines, of which the last that matches decides. They must be fit (see `unfit`)."""

    __slots__ = ("_below", "_bundles", "_exact")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._exact: dict[str, int] = {}  # a file or folder of this name, and what is below it
        self._below: dict[str, int] = {}  # what is below a folder of this name
        wild: list[tuple[int, str]] = []
        for number, pattern in enumerate(patterns):
            plain = _plain(pattern)
            if plain is None:
                wild.append((number, pattern))
            elif plain.endswith("/"):
                self._below[plain[:-1]] = number
            else:
                self._exact[plain] = number
        self._bundles = tuple(_Bundle(wild[at : at + _BUNDLE]) for at in range(0, len(wild), _BUNDLE))[::-1]

    def last_match(self, path: str) -> int | None:
        """The number of the last pattern that matches `path`, from 0."""
        text = path.encode("utf-8", "replace").decode()
        best = max(self._plain_matches(text), default=-1)
        for bundle in self._bundles:
            if bundle.last < best:
                break
            best = max(best, bundle.last_match(text))
        return None if best < 0 else best

    def _plain_matches(self, path: str) -> Iterator[int]:
        if path in self._exact:
            yield self._exact[path]
        for at, character in enumerate(path):
            if character == "/":
                folder = path[:at]
                yield max(self._exact.get(folder, -1), self._below.get(folder, -1))


class _Bundle:
    """A few patterns with wildcards: most paths match none of them, which one expression tells."""

    __slots__ = ("_any", "_each", "last")

    def __init__(self, patterns: Sequence[tuple[int, str]]) -> None:
        self.last = patterns[-1][0]
        expressions = [(number, _expression(pattern)) for number, pattern in reversed(patterns)]
        self._each = [(number, re2.compile(text, _OPTIONS)) for number, text in expressions]
        together = "|".join(f"(?:{text})" for _, text in expressions)
        self._any = re2.compile(together, _OPTIONS) if _fits(together) else None

    def last_match(self, path: str) -> int:
        if self._any is not None and self._any.fullmatch(path) is None:
            return -1
        return next((number for number, one in self._each if one.fullmatch(path) is not None), -1)


def unfit(pattern: str) -> str | None:
    """Why GitHub takes this for no pattern, or None where it is one."""
    if pattern.startswith("!"):
        return "a pattern cannot be negated with `!`; give the paths a line without owners instead"
    if pattern.startswith("\\#"):
        return "a pattern cannot begin with `#`, escaped or not"
    if "***" in pattern:
        return "`***` is no wildcard; write `**`"
    if pattern == "/" or "//" in pattern or {".", ".."} & set(pattern.split("/")):
        # Its page has no such pattern, and users found none that works: https://github.com/sbdchd/codeowners/issues/28
        return "GitHub does not say what a lone `/`, `//`, `./` or `../` matches; write `*`, or one slash before a name"
    if any(character in "[]" for character, escaped in _characters(pattern) if not escaped):
        return "both `[` and `]` must be escaped with a backslash; ranges of characters are not known here"
    if _dangles(pattern):
        return "it ends with a backslash that escapes nothing"
    return None if _plain(pattern) is not None or _fits(_expression(pattern)) else "its pattern is too complicated"


def _dangles(pattern: str) -> bool:
    return (len(pattern) - len(pattern.rstrip("\\"))) % 2 == 1


def _characters(text: str) -> Iterator[tuple[str, bool]]:
    """Each character that stands for something, and whether a backslash takes its meaning."""
    escaped = False
    for character in text:
        if character == "\\" and not escaped:
            escaped = True
            continue
        yield character, escaped
        escaped = False


def _plain(pattern: str) -> str | None:
    """The path that an anchored pattern without wildcards names, with its last slash; None for every other one."""
    if not _is_anchored(pattern) or any(one in "*?" for one, escaped in _characters(pattern) if not escaped):
        return None
    return "".join(character for character, _ in _characters(pattern)).removeprefix("/")


def _is_anchored(pattern: str) -> bool:
    return "/" in pattern.rstrip("/") or pattern.startswith("/")


def _expression(pattern: str) -> str:
    """The pattern for the engine; it must match the whole path."""
    folder = pattern.endswith("/")
    segments = pattern.removeprefix("/").removesuffix("/").split("/")
    if not _is_anchored(pattern):
        segments.insert(0, "**")
    *before, last = segments
    text = "".join("(?:.+/)?" if segment == "**" else f"{_segment(segment)}/" for segment in before)
    text += ".+" if last == "**" else _segment(last)
    if folder:
        return f"{text}/.+"
    # What `folder/*` matches is not looked into, unlike in gitignore.
    return text if last in ("*", "**") else f"{text}(?:/.+)?"


def _segment(segment: str) -> str:
    if segment == "*":
        return "[^/]+"
    return "".join(_character(character, escaped) for character, escaped in _characters(segment))


def _character(character: str, escaped: bool) -> str:
    if not escaped and character in "*?":
        return "[^/]*" if character == "*" else "[^/]"
    return str(re2.escape(character))


def _fits(text: str) -> bool:
    """Whether the engine's memory suffices for it."""
    try:
        re2.compile(text, _OPTIONS)
    except re2.error:
        return False
    return True
