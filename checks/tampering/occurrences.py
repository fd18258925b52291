"""Marks in a text (comments, characters, tokens) that a change adds, counted over the whole difference.

A line that moves, within its file or to another one, adds nothing; an edit elsewhere in the line adds nothing either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from checks.tampering.change import Change, Version

LONGEST_LINE = 300  # characters of a line that are shown
MOST_FOUND = 1_000  # of one side of one file; more are not told apart


@dataclass(frozen=True, slots=True)
class Mark:
    """One that came. `line` is 1-based in the new side; `text` is the mark, `source` the line that it stands in."""

    change: Change
    path: str
    line: int
    text: str
    source: str


def added_marks(changes: Sequence[Change], pattern: Any, wants: Callable[[str], bool]) -> Iterator[Mark]:
    """What `pattern` (of re2, over bytes) finds more often than before, in the files whose path `wants` takes.

    Where a mark is both there before and added, the last ones in the file are called the new ones.
    """
    after = [_found(change.after, pattern, wants) for change in changes]
    if not any(after):
        return
    before = [_found(change.before, pattern, wants) for change in changes]
    budget = _counted(after) - _counted(before)
    for change, old, new in zip(changes, before, after, strict=True):
        if new:
            yield from _newest(change, new, _counted([new]) - _counted([old]), budget)


def _counted(found: Sequence[Sequence[tuple[bytes, int]]]) -> Counter[bytes]:
    return Counter(text for each in found for text, _ in each)


def only_with(changes: Sequence[Change], holds: Callable[[bytes], bool]) -> list[Change]:
    """The changes that hold anything at all on one side, so that the rest need not be searched for each mark."""
    return [change for change in changes if _holds(change.before, holds) or _holds(change.after, holds)]


def _holds(version: Version | None, holds: Callable[[bytes], bool]) -> bool:
    return version is not None and version.data is not None and holds(version.data)


def _newest(
    change: Change, found: Sequence[tuple[bytes, int]], more: Counter[bytes], budget: Counter[bytes]
) -> Iterator[Mark]:
    taken: list[Mark] = []
    for text, at in reversed(found):
        if more[text] > 0 and budget[text] > 0 and change.after is not None:
            more[text] -= 1
            budget[text] -= 1
            taken.append(_mark(change, change.after, text, at))
    yield from reversed(taken)


def _found(version: Version | None, pattern: Any, wants: Callable[[str], bool]) -> list[tuple[bytes, int]]:
    if version is None or not version.data or not wants(version.path):
        return []
    found: list[tuple[bytes, int]] = []
    for match in pattern.finditer(version.data):
        text = match[0].lstrip()  # what stands before a mark may be matched with it
        found.append((text.rstrip(), match.end() - len(text)))
        if len(found) == MOST_FOUND:
            break
    return found


def _mark(change: Change, version: Version, text: bytes, at: int) -> Mark:
    data = version.data or b""
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    source = data[start : end if end >= 0 else len(data)][: LONGEST_LINE * 4].decode("utf-8", "replace").strip()
    number = data.count(b"\n", 0, at) + 1
    return Mark(change, version.path, number, text.decode("utf-8", "replace"), source[:LONGEST_LINE])
