"""The product code of a change: whether it changes at all, which names go with it, and which values change in it.

Tests that go with the code that they tested, and expected values that change as a value in the code does, are honest.
Looking is put off until something asks, since most changes take no test away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from checks.tampering.change import Change, Version
from checks.tampering.languages import adapter_for, defined_names
from checks.tampering.literals import has_other_constants, is_of, vanished_literals
from checks.tampering.places import is_document, is_test_path

_WORD = re.compile(rb"\w++")  # of ASCII letters; others come apart, on both sides alike
_PART = re.compile(r"\w++|\W")
_SHORTEST_NAME = 4  # characters; shorter names are everywhere
_MOST_LOOKS = 300  # for values in all removed lines; then none is found any more
_LONGEST_LINE = 2_000  # characters; longer ones are made by machines
_MOST_LINES = 20_000  # of all removed lines, when a value is looked for


class Excuse(Enum):
    """Whether what a test names is gone from the product."""

    NONE = "none"
    GONE = "gone"
    REPLACED = "replaced"  # gone, and its file got something new that no new test calls


@dataclass(frozen=True, slots=True)
class _Loss:
    """Names that one file had and no file has now, and public names that it has and no file had."""

    gone: frozenset[str]
    new: frozenset[str]


class Product:
    """The files of a change that are neither tests nor documentation."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._looks = _MOST_LOOKS
        self._changes = [change for change in changes if all(map(_is_product, change.paths))]

    @property
    def changes(self) -> bool:
        """Whether there is such a file."""
        return bool(self._changes)

    def excuse(self, names: frozenset[str], newly_called: frozenset[str]) -> Excuse:
        """Whether one of `names` was defined by the product and is not any more.

        `newly_called` are names that new tests call; they tell a replacement that is tested from one that is not.
        """
        losses = [loss for loss in self._losses if not loss.gone.isdisjoint(names)]
        if not losses:
            return Excuse.NONE
        tested = any(not loss.new or not loss.new.isdisjoint(newly_called) for loss in losses)
        return Excuse.GONE if tested else Excuse.REPLACED

    def defines(self, name: str) -> bool:
        """Whether one of its changed files defines that name now."""
        return name in self._defined

    def vanished(self, words: Iterable[str]) -> bool:
        """Whether one of the words, or what is quoted in it, stood in a file that shrank and stands in none now."""
        return any(_unquoted(word) in self._vanished for word in words)

    def drops(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts was an option, a route or a key of it, and is none any more."""
        return any(is_of(text, self._literals) for text in texts if len(text) >= _SHORTEST_NAME)

    def sets_another(self, names: frozenset[str]) -> bool:
        """Whether a constant is another one in a file that defines one of the names."""
        return not self._with_other_constants.isdisjoint(names)

    def substitutes(self, old: str, new: str) -> bool:
        """Whether a line of the product changed in just the way that turns `old` into `new`."""
        old, new = differing_parts(_unquoted(old), _unquoted(new))
        if not old or not new or not self._looks:
            return False
        self._looks -= 1
        whole = re.compile(rf"{_edge(old[0])}{re.escape(old)}{_edge(old[-1])}")  # not a digit inside of a number
        lines = (line for line in self._removed if old in line)
        return any(whole.sub(lambda _: new, line) in self._added for line in lines)

    @cached_property
    def _literals(self) -> frozenset[str]:
        return vanished_literals(self._changes)

    @cached_property
    def _with_other_constants(self) -> frozenset[str]:
        """What is defined in such files."""
        sides = ((_only(one.before, one.after), _only(one.after, one.before)) for one in self._changes)
        found = (names for names, (old, new) in zip(self._names, sides, strict=True) if has_other_constants(old, new))
        return frozenset().union(*(defined for _, defined in found))

    @cached_property
    def _losses(self) -> list[_Loss]:
        before = frozenset().union(*(old for old, _ in self._names))
        return [_Loss(old - self._defined, frozenset(filter(_is_public, new - before))) for old, new in self._names]

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset().union(*(new for _, new in self._names))

    @cached_property
    def _names(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        return [(_defines(change.before), _defines(change.after)) for change in self._changes]

    @cached_property
    def _vanished(self) -> frozenset[str]:
        """Where something was only renamed, as many lines remain, so only files that shrank count."""
        shrunk = [change for change in self._changes if len(_lines(change.after)) < len(_lines(change.before))]
        before = frozenset().union(*(_words(change.before) for change in shrunk))
        after = frozenset().union(*(_words(change.after) for change in self._changes))
        return before - after

    @cached_property
    def _removed(self) -> list[str]:
        return [line for change in self._changes for line in _only(change.before, change.after)][:_MOST_LINES]

    @cached_property
    def _added(self) -> frozenset[str]:
        return frozenset(line for change in self._changes for line in _only(change.after, change.before))


def differing_parts(old: str, new: str) -> tuple[str, str]:
    """What is left of two texts without the words that they begin and end with alike."""
    one, other = _PART.findall(old), _PART.findall(new)
    start = _alike(one, other)
    one, other = one[start:], other[start:]
    end = _alike(one[::-1], other[::-1])
    return "".join(one[: len(one) - end]), "".join(other[: len(other) - end])


def _alike(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _edge(sign: str) -> str:
    return r"\b" if sign.isalnum() or sign == "_" else ""


def _is_product(path: str) -> bool:
    return not (is_test_path(path) or is_document(path) or path.startswith(".github/"))


def _defines(side: Version | None) -> frozenset[str]:
    """Names that it defines; its own name is one, since tests import it."""
    if side is None or side.data is None or adapter_for(side.path) is None:
        return frozenset()
    stem = side.path.rpartition("/")[2].partition(".")[0]
    names = defined_names(side.path, side.data) | {stem}
    return frozenset(name for name in names if len(name) >= _SHORTEST_NAME)


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _unquoted(word: str) -> str:
    return word.strip("\"'`")


def _words(side: Version | None) -> frozenset[str]:
    found = _WORD.findall(side.data) if side is not None and side.data is not None else []
    return frozenset(word.decode(errors="replace") for word in found if len(word) >= _SHORTEST_NAME)


def _lines(side: Version | None) -> list[str]:
    data = side.data if side is not None and side.data is not None else b""
    lines = map(str.strip, data.decode(errors="replace").splitlines())
    return [line for line in lines if 0 < len(line) <= _LONGEST_LINE]


def _only(side: Version | None, other: Version | None) -> list[str]:
    """Lines of one side that the other does not have."""
    others = frozenset(_lines(other))
    return [line for line in _lines(side) if line not in others]
