"""The other names of files in a tree: behind symbolic links, and on file systems that tell names apart less than git.

Format of a listing: https://git-scm.com/docs/git-ls-tree#_output_format
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
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


async def read_names(
    objects: GitObjects, target: str, result: str, diffs: Iterable[Diff | Unread]
) -> tuple[Aliases, Twins]:
    """`aliases` and `twins` of a Snapshot: links of both trees, twins in `result` of which the diffs change one.

    Where a tree cannot be listed, the aliases are Unread, which makes the change high risk.
    """
    changed = _with_folders(
        path for diff in diffs if isinstance(diff, Diff) for file in diff.files for path in file.paths
    )
    try:
        links, pairs = await _links_and_twins(objects, result, changed)
        of_target, _ = await _links_and_twins(objects, target, ())
        return await _aliases(objects, {**links, **of_target}), pairs
    except GitFailed as wrong:
        return Unread(str(wrong)), ()


async def _links_and_twins(objects: GitObjects, tree: str, touched: Collection[str]) -> tuple[Mapping[str, str], Twins]:
    """Of one tree: `links_of`, and twins of which one is among `touched`."""

    async def make() -> bytes:
        listing = await objects.listing(tree)
        pairs = islice(twins(paths_of(listing), touched), MOST_TWINS)
        return json.dumps([links_of(listing), list(pairs)]).encode()

    about = hashlib.sha256(json.dumps(sorted(touched)).encode()).hexdigest()
    links, pairs = json.loads(await objects.made_once(tree, ("links and twins", about), make))
    return links, tuple((one, other) for one, other in pairs)


def entries(listing: bytes) -> Iterator[tuple[bytes, bytes]]:
    """`<mode> <type> <object>` and the path of each entry, one after the other: all of 100,000 are fifty megabytes.

    Raises ValueError where the listing is cut. A byte of an entry in front of the path is never a tab.
    """
    at = 0
    while at < len(listing):
        end = listing.index(b"\0", at)
        entry, _, path = listing[at:end].partition(b"\t")
        yield entry, path
        at = end + 1


def paths_of(listing: bytes) -> Iterator[str]:
    """All paths of a tree."""
    return (text_of(path) for _, path in entries(listing))


def links_of(listing: bytes) -> dict[str, str]:
    """The paths of a tree's symbolic links, and the ids of their blobs; of more than are followed, the first ones."""
    mode = SYMLINK_MODE.encode()
    links = ((entry, path) for entry, path in entries(listing) if entry.startswith(mode))
    return {text_of(path): entry.rpartition(b" ")[2].decode() for entry, path in islice(links, MOST_LINKS + 1)}


def names_of(listing: bytes) -> bytes:
    """All paths of a tree, a zero behind each."""
    names = bytearray()
    for _, path in entries(listing):
        names += path + b"\0"
    return bytes(names)


def text_of(path: bytes) -> str:
    """Git's bytes of a path, which need not be UTF-8; `encoded` is the way back."""
    return path.decode("utf-8", "surrogateescape")


def encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


async def _aliases(objects: GitObjects, links: Mapping[str, str]) -> Aliases:
    if len(links) > MOST_LINKS:
        return Unread(f"there are more than {MOST_LINKS} symbolic links, and so many are not followed")
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
