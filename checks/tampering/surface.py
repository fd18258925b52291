"""How a change looks against what it is: what a reader of the difference is not shown, or shown wrongly."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from checks.tampering.alteration import Alteration
from checks.tampering.attributes import hiding_attributes
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change
from checks.tampering.disguises import disguises
from checks.tampering.invisible import invisible_characters


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Everything that is found, in no order that means anything. Never raises for what a change holds."""
    return few_of_each(_alterations(changes))


def _alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    yield from invisible_characters(changes)
    yield from hiding_attributes(changes)
    for change in changes:
        yield from disguises(change)


def twins(paths_after: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Paths of a tree that some file systems take for one another, in pairs.

    Files and folders are compared without case and in Unicode's form NFKC, as macOS and Windows do and more; each is
    paired with the first of its kind in the order of the tree.
    """
    first: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for path in _with_folders(paths_after):
        other = first.setdefault(_folded(path), path)
        if other != path:
            found.append((other, path))
    return tuple(found)


def _with_folders(paths: Iterable[str]) -> Iterator[str]:
    """Every path after the folders that it brings, each once."""
    seen: set[str] = set()
    for path in paths:
        end = path.find("/")
        while end >= 0:
            folder = path[:end]
            if folder not in seen:
                seen.add(folder)
                yield folder
            end = path.find("/", end + 1)
        yield path


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFKC", path).casefold()
