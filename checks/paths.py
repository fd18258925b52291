"""Path patterns in gitignore's form, for rules that restrict and for rules that permit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from checks.lookalikes import as_latin
from checks.path_expressions import ExpressionSet, Hit, decides, expressions_of

MAX_PATTERNS = 1_000
MAX_BYTES = 15_000  # of a list's patterns together; beyond it the engine's memory for one list may not do
SURE_BYTES = 1_000  # of patterns that the engine takes whatever they are; tried with eight times as many


class PathPatterns:
    """Patterns as in a `.gitignore` file (https://git-scm.com/docs/gitignore), matched in linear time.

    A later pattern wins over an earlier one, `!` takes paths out again (unlike in git also those in a folder that was
    taken in), a pattern without a slash matches at any depth, and what lies below a matched folder matches too.

    Raises ValueError, naming the pattern, when one cannot be read or could never match.
    """

    __slots__ = ("_folded", "_patterns", "_raw")

    def __init__(self, patterns: Sequence[str]) -> None:
        if len(patterns) > MAX_PATTERNS:
            raise ValueError(f"{len(patterns)} path patterns are too many; at most {MAX_PATTERNS} are read")
        self._patterns = tuple(patterns)
        folded = tuple(map(_fold, self._patterns))
        self._raw = _compiled(self._patterns)
        self._folded = self._raw if folded == self._patterns else _compiled(folded)

    @property
    def patterns(self) -> tuple[str, ...]:
        return self._patterns

    def matches(self, path: str) -> bool:
        """Whether a rule that restricts applies to `path`.

        Both the path as it is and its folded form (as it looks, see `checks.lookalikes`, without difference of case)
        are looked at, since a file system or a person may take one name for the other; a hit on either side counts.
        """
        return self.first_match(path) is not None

    def first_match(self, path: str) -> str | None:
        """The pattern that decides that `path` matches, in the same two views, or None."""
        return self.first_of_views(*_views(path))

    def matches_exactly(self, path: str) -> bool:
        """Whether a rule that permits applies to `path`: as it is written, without folding."""
        return self._raw.first_match(_plain(path)) is not None

    def first_of_views(self, plain: str, folded: str) -> str | None:
        """`first_match` for a path whose two views are made already, as an index over many lists has them."""
        index = self._raw.first_match(plain)
        if index is None:
            index = self._folded.first_match(folded)
        return None if index is None else self._patterns[index]

    def expressions(self) -> Iterator[tuple[str, bool, Hit]]:
        """Every regular expression, whether it is for the folded view of a path, and what it means when it matches."""
        for folded, compiled in ((False, self._raw), (True, self._folded)):
            for regex, hit in zip(compiled.regexes, compiled.hits, strict=True):
                yield regex, folded, hit


class _Compiled:
    """One view of a list."""

    __slots__ = ("_set", "hits", "regexes")

    def __init__(self, patterns: Sequence[str]) -> None:
        found = [(each, index) for index, pattern in enumerate(patterns) for each in expressions_of(pattern)]
        if _size(patterns) > MAX_BYTES:
            raise ValueError(f"the path patterns are {_size(patterns)} bytes together; at most {MAX_BYTES} are read")
        self.regexes = tuple(expression.regex for expression, _ in found)
        self.hits = tuple(Hit(index, expression.takes, expression.below) for expression, index in found)
        # Most lists are only asked together with others, so their own set is made when it is wanted.
        self._set = ExpressionSet(self.regexes) if _size(patterns) > SURE_BYTES else None

    def first_match(self, path: str) -> int | None:
        if self._set is None:
            self._set = ExpressionSet(self.regexes)
        return decides(self.hits[place] for place in self._set.matches(path))


def _compiled(patterns: tuple[str, ...]) -> _Compiled:
    """Short lists are read again for every judgement and are little. A long one is one and a half megabytes, and
    anybody who opens an issue may write it; a policy keeps its own."""
    return _kept(patterns) if _size(patterns) <= SURE_BYTES else _Compiled(patterns)


@lru_cache(maxsize=512)
def _kept(patterns: tuple[str, ...]) -> _Compiled:
    return _Compiled(patterns)


class PathIndex:
    """Many pattern lists asked at once: one pass over a path tells every list that matches it."""

    __slots__ = ("_bundles",)

    _BYTES = 15_000  # of a bundle's patterns; within it the engine takes a path at full speed

    def __init__(self, lists: Sequence[PathPatterns]) -> None:
        self._bundles = [bundle for part in self._cut(lists) for bundle in _bundles(part)]

    def matches(self, path: str) -> Iterator[tuple[int, str]]:
        """The number of every list that matches `path` in either view, with the pattern that decides, in order."""
        views = _views(path)
        for bundle in self._bundles:
            yield from bundle.matches(*views)

    def _cut(self, lists: Sequence[PathPatterns]) -> Iterator[list[tuple[int, PathPatterns]]]:
        part: list[tuple[int, PathPatterns]] = []
        size = 0
        for number, patterns in enumerate(lists):
            size += _size(patterns.patterns)
            if part and size > self._BYTES:
                yield part
                part, size = [], _size(patterns.patterns)
            part.append((number, patterns))
        if part:
            yield part


_Numbered = Sequence[tuple[int, PathPatterns]]


def _bundles(part: _Numbered) -> Iterator[_Together | _Single]:
    """Lists that are too complicated together are parted."""
    try:
        yield _Together(part)
    except ValueError:
        if len(part) == 1:
            yield _Single(*part[0])
            return
        middle = len(part) // 2
        yield from _bundles(part[:middle])
        yield from _bundles(part[middle:])


class _Single:
    """One list whose two views are too complicated together."""

    __slots__ = ("_number", "_patterns")

    def __init__(self, number: int, patterns: PathPatterns) -> None:
        self._number, self._patterns = number, patterns

    def matches(self, plain: str, folded: str) -> Iterator[tuple[int, str]]:
        found = self._patterns.first_of_views(plain, folded)
        if found is not None:
            yield self._number, found


class _Together:
    """Lists in one set. An expression that several lists or both views have stands in it once."""

    __slots__ = ("_lists", "_meanings", "_set")

    def __init__(self, part: _Numbered) -> None:
        meanings: dict[str, list[tuple[int, bool, Hit]]] = defaultdict(list)
        for number, patterns in part:
            for regex, folded, hit in patterns.expressions():
                meanings[regex].append((number, folded, hit))
        self._lists = dict(part)
        self._meanings = tuple(meanings.values())
        self._set = ExpressionSet(meanings)

    def matches(self, plain: str, folded: str) -> Iterator[tuple[int, str]]:
        raw = self._set.matches(plain)
        other = raw if plain == folded else self._set.matches(folded)
        if not raw and not other:
            return
        hits: dict[tuple[int, bool], list[Hit]] = defaultdict(list)
        self._sort(raw, hits, folded=False)
        self._sort(other, hits, folded=True)
        found: dict[int, str] = {}
        for (number, _), each in sorted(hits.items()):  # a list's own view before its folded one
            index = None if number in found else decides(each)
            if index is not None:
                found[number] = self._lists[number].patterns[index]
        yield from found.items()

    def _sort(self, places: Iterable[int], hits: dict[tuple[int, bool], list[Hit]], *, folded: bool) -> None:
        for place in places:
            for number, view, hit in self._meanings[place]:
                if view is folded:
                    hits[number, view].append(hit)


def _size(patterns: Sequence[str]) -> int:
    return sum(len(pattern.encode("utf-8", "surrogatepass")) for pattern in patterns)


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else as_latin(text).casefold()


def _views(path: str) -> tuple[str, str]:
    plain = _plain(path)
    return plain, _fold(plain)


def _plain(path: str) -> str:
    """The path with line breaks and undecodable bytes replaced, as `.` in the engine's patterns stops at a break.

    Patterns are anchored at the root, which may be written `/` or `./`.
    """
    inside = path.removeprefix("/") if path.startswith("/") else path.removeprefix("./")
    if inside.isascii() and "\n" not in inside and "\r" not in inside:
        return inside
    return inside.translate(_BREAKS).encode("utf-8", "replace").decode()


_BREAKS = {ord("\n"): "\ufffd", ord("\r"): "\ufffd"}
