"""Changed files as a stream of bytes, from the process that has a repository to the one that parses.

For each file a JSON line with its status and, of both sides, path, mode and size; then the bytes of both sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from checks.snapshot import FileStatus
from checks.tampering.change import Change, Version


def read(source: BinaryIO) -> Iterator[Change]:
    for line in iter(source.readline, b""):
        status, before, after = json.loads(line)
        yield Change(FileStatus(status), _side(before, source), _side(after, source))


def _side(described: Any, source: BinaryIO) -> Version | None:
    if described is None:
        return None
    path, mode, size = described
    return Version(path, mode, None if size is None else source.read(size))


def write(changes: tuple[Change, ...]) -> bytes:
    """What `read` reads."""
    parts: list[bytes] = []
    for change in changes:
        sides = (change.before, change.after)
        parts.append(json.dumps([change.status, *(_described(side) for side in sides)]).encode() + b"\n")
        parts += [side.data for side in sides if side is not None and side.data is not None]
    return b"".join(parts)


def _described(side: Version | None) -> tuple[str, str, int | None] | None:
    if side is None:
        return None
    return side.path, side.mode, None if side.data is None else len(side.data)
