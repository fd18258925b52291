"""Files named on the command line: read within a limit, `-` for standard input, errors in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

from app.local.clone import CannotLook
from policies.escape import clean

STANDARD_INPUT = "-"
CHUNK = 256 * 1024
TEXT_LIMIT = 1024 * 1024  # bytes of a bundle, policy or ticket with the Markdown around it


def read_bytes(name: str, limit: int) -> bytes:
    """The bytes of a file of any kind, a pipe too. Raises CannotLook."""
    return b"".join(read_chunks(name, limit))


def read_chunks(name: str, limit: int) -> Iterator[bytes]:
    """The same, chunk by chunk. Raises CannotLook; for a file over the limit only when so many bytes were read."""
    try:
        with _opened(name) as stream:
            left = limit
            while chunk := stream.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise CannotLook(f"{shown(name)} is larger than {limit} bytes, the most that is read. Shorten it.")
                yield chunk
    except (OSError, ValueError) as wrong:
        cause = wrong.strerror if isinstance(wrong, OSError) and wrong.strerror else str(wrong)
        raise CannotLook(f"{shown(name)} cannot be read: {clean(cause, 200)}. Give the path of a file.") from wrong


def read_text(name: str) -> str:
    """The same as UTF-8 text, without a byte-order mark. Raises CannotLook."""
    try:
        return read_bytes(name, TEXT_LIMIT).decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise CannotLook(f"{shown(name)} is no UTF-8 text (byte {wrong.start}). Save it as UTF-8.") from wrong


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    """Standard input stays open: it is not ours."""
    return nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else Path(name).open("rb")


def shown(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else clean(name, 400)
