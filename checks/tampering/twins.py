"""Paths of a tree that some file systems take for one another."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator


def twins(paths_after: Iterable[str], touched: Collection[str]) -> Iterator[tuple[str, str]]:
    """The paths in pairs, as far as one of the two, a file or a folder, is among `touched`.

    Files and folders are compared without case and in Unicode's form NFKC, as macOS and Windows do and more; each is
    paired with the first of its kind in the order of the tree. Of a large tree only what may be such a pair is kept.
    """
    kinds = set(map(_folded, touched))
    first: dict[str, str] = {}
    for path in _with_folders(paths_after) if kinds else ():
        kind = _folded(path)
        if kind not in kinds:
            continue
        other = first.setdefault(kind, path)
        if other != path and (other in touched or path in touched):
            yield other, path


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
