"""Changed files as a stream of bytes, from the process that has a repository to the one that parses.

First the paths of the resulting tree with a zero behind each, after a line with their length. Then for each file a
JSON line with its status and, of both sides, path, mode and size; then the bytes of both sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from checks.diff import FileStatus
from checks.tampering.change import Change, Version


def read_tree(source: BinaryIO) -> tuple[str, ...]:
    """The paths, which must be read before the files."""
    paths = source.read(int(source.readline())).split(b"\0")[:-1]
    return tuple(path.decode("utf-8", "surrogateescape") for path in paths)


def read(source: BinaryIO) -> Iterator[Change]:
    for line in iter(source.readline, b""):
        status, before, after = json.loads(line)
        yield Change(FileStatus(status), _side(before, source), _side(after, source))


def _side(described: Any, source: BinaryIO) -> Version | None:
    if described is None:
        return None
    path, mode, size = described
    return Version(path, mode, None if size is None else source.read(size))


def write(changes: tuple[Change, ...], tree: bytes = b"") -> Iterator[bytes]:
    """What `read_tree` and `read` read; `tree` are paths with a zero behind each."""
    yield b"%d\n" % len(tree)
    yield tree
    for change in changes:
        sides = (change.before, change.after)
        yield json.dumps([change.status, *(_described(side) for side in sides)]).encode() + b"\n"
        yield from (side.data for side in sides if side is not None and side.data is not None)


def _described(side: Version | None) -> tuple[str, str, int | None] | None:
    if side is None:
        return None
    return side.path, side.mode, None if side.data is None else len(side.data)
