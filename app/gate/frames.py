"""Bytes one after the other in a stream to a child: four bytes of length (big-endian), then so many bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO


def frames(contents: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Raises OverflowError for 4 GiB and more."""
    for content in contents:
        yield len(content).to_bytes(4, "big")
        yield content


def read_frame(source: BinaryIO) -> bytes:
    """As much as there is, where the stream ends within it."""
    return source.read(int.from_bytes(source.read(4), "big"))
