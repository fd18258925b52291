"""Whether a small pack shows by itself that a push only adds to its branch.

A yes is proof: the commits are hashed, so the chain of parents is the one that git will see. A no only means that
somebody else has to be asked; most pushes of agents are small, and asking costs a request. Source:
https://git-scm.com/docs/gitformat-pack
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator

MOST_PACK = 256 * 1024  # bytes
MOST_INFLATED = 8 * 1024 * 1024
_HEADER, _TRAILER = 12, 20
_COMMIT, _OFS_DELTA, _REF_DELTA = 1, 6, 7


def adds_to(pack: bytes, old: str, new: str) -> bool:
    """Whether `old` is behind `new` by the commits in `pack` that are stored whole. Never raises."""
    if len(pack) > MOST_PACK or pack[:4] != b"PACK":
        return False
    parents: dict[str, list[str]] = {}
    try:
        for oid, commit in _commits(pack):
            parents[oid] = _parents(commit)
    except (zlib.error, IndexError, ValueError):
        return False
    todo, seen = [new], {new}
    while todo:
        for parent in parents.get(todo.pop(), ()):
            if parent == old:
                return True
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return False


def _commits(pack: bytes) -> Iterator[tuple[str, bytes]]:
    count, position, inflated = int.from_bytes(pack[8:12], "big"), _HEADER, 0
    end = len(pack) - _TRAILER
    for _ in range(count):
        if position >= end:
            return
        kind, size, position = _object_header(pack, position)
        position = _past_base(pack, position, kind)
        inflated += size
        if inflated > MOST_INFLATED:
            return
        content, position = _inflated(pack, position, size)
        if kind == _COMMIT:
            # git's own object ids are SHA-1; a collision would have to be accepted by GitHub too.
            oid = hashlib.sha1(b"commit %d\0" % size + content, usedforsecurity=False).hexdigest()
            yield oid, content


def _object_header(pack: bytes, position: int) -> tuple[int, int, int]:
    """Type, inflated size, and where the object goes on."""
    byte = pack[position]
    kind, size, shift = (byte >> 4) & 7, byte & 15, 4
    while byte & 0x80:
        position += 1
        byte = pack[position]
        size |= (byte & 0x7F) << shift
        shift += 7
        if shift > 63:
            raise ValueError("size")
    return kind, size, position + 1


def _past_base(pack: bytes, position: int, kind: int) -> int:
    if kind == _REF_DELTA:
        return position + 20
    while kind == _OFS_DELTA and pack[position] & 0x80:
        position += 1
    return position + 1 if kind == _OFS_DELTA else position


def _inflated(pack: bytes, position: int, size: int) -> tuple[bytes, int]:
    inflater = zlib.decompressobj()
    content = inflater.decompress(pack[position:], size + 1)
    if len(content) != size:
        raise ValueError("size")
    if not inflater.eof:
        inflater.decompress(inflater.unconsumed_tail, 1)
    if not inflater.eof:
        raise ValueError("end")
    return content, len(pack) - len(inflater.unused_data)


def _parents(commit: bytes) -> list[str]:
    header = commit.partition(b"\n\n")[0].split(b"\n")
    # Behind the tree and before the author; a line that only looks like one can stand in a message or a signature.
    found = []
    for line in header[1:]:
        if not line.startswith(b"parent "):
            break
        found.append(line.removeprefix(b"parent ").decode("ascii"))
    return found
