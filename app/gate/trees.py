"""The other names of files in a tree: behind symbolic links, and on file systems that tell names apart less than git.

Format of a listing: https://git-scm.com/docs/git-ls-tree#_output_format
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from posixpath import dirname, join, normpath

from app.gate.blobs import read_blobs
from app.gate.git import GitFailed, GitObjects
from checks.diff import SYMLINK_MODE, Diff
from checks.tampering.twins import twins
from checks.unread import Unread

MOST_LINKS = 2_000  # of one tree
MOST_TWINS = 200
LONGEST_TARGET = 4096  # bytes; Linux follows no longer one

Aliases = Mapping[str, str] | Unread
Twins = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TreeNames:
    """All paths of a tree, and the blob ids of its symbolic links."""

    paths: tuple[str, ...]
    links: Mapping[str, str]


async def read_names(
    objects: GitObjects, target: str, result: str, diffs: Iterable[Diff | Unread]
) -> tuple[Aliases, Twins]:
    """`aliases` and `twins` of a Snapshot: links of both trees, twins in `result` of which the diffs change one.

    Where a tree cannot be listed, the aliases are Unread, which makes the change high risk.
    """
    try:
        result_names = parse_listing(await objects.listing(result))
        target_names = parse_listing(await objects.listing(target))
        aliases = await _aliases(objects, {**result_names.links, **target_names.links})
    except GitFailed as wrong:
        return Unread(str(wrong)), ()
    changed = _with_folders(
        path for diff in diffs if isinstance(diff, Diff) for file in diff.files for path in file.paths
    )
    touched = (pair for pair in twins(result_names.paths) if not changed.isdisjoint(pair))
    return aliases, tuple(islice(touched, MOST_TWINS))


def parse_listing(answer: bytes) -> TreeNames:
    """`<mode> <type> <object>`, a tab, the path, NUL; and again. In UTF-8 a byte of a path is never a tab or NUL."""
    entries = answer.decode("utf-8", "surrogateescape").split("\0")[:-1]
    paths = tuple(entry[entry.index("\t") + 1 :] for entry in entries)
    links = {path: _oid(entry) for path, entry in zip(paths, entries, strict=True) if entry.startswith(SYMLINK_MODE)}
    return TreeNames(paths, links)


def _oid(entry: str) -> str:
    return entry.partition("\t")[0].rpartition(" ")[2]


async def _aliases(objects: GitObjects, links: Mapping[str, str]) -> Aliases:
    if len(links) > MOST_LINKS:
        return Unread(f"there are {len(links)} symbolic links; more than {MOST_LINKS} are not followed")
    contents = await read_blobs(objects, tuple(dict.fromkeys(links.values())))
    targets = ((link, contents.get(oid, b"")) for link, oid in links.items())
    return {link: where for link, target in targets if (where := _inside(link, target)) is not None}


def _inside(link: str, target: bytes) -> str | None:
    """What a link names inside the repository; None for what lies outside or cannot be followed."""
    if not target or target.startswith(b"/") or len(target) > LONGEST_TARGET:
        return None
    where = normpath(join(dirname(link), target.decode("utf-8", "surrogateescape")))
    return None if where == ".." or where.startswith("../") else where


def _with_folders(paths: Iterable[str]) -> set[str]:
    """Paths and every folder around them."""
    found: set[str] = set()
    for path in paths:
        while path and path not in found:
            found.add(path)
            path = dirname(path)
    return found
