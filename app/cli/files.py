"""Files named on the command line: read within a limit, `-` for standard input, errors in one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

from app.local.clone import CannotLook
from policies.escape import clean

STANDARD_INPUT = "-"
TEXT_LIMIT = 1024 * 1024  # bytes of a bundle, policy or ticket with the Markdown around it


def read_bytes(name: str, limit: int) -> bytes:
    """The bytes of a file of any kind, a pipe too. Raises CannotLook."""
    try:
        data = _read(name, limit + 1)
    except (OSError, ValueError) as wrong:
        cause = wrong.strerror if isinstance(wrong, OSError) and wrong.strerror else str(wrong)
        raise CannotLook(f"{shown(name)} cannot be read: {clean(cause, 200)}. Give the path of a file.") from wrong
    if len(data) > limit:
        raise CannotLook(f"{shown(name)} is larger than {limit} bytes, which is the most that is read. Shorten it.")
    return data


def read_text(name: str) -> str:
    """The same as UTF-8 text, without a byte-order mark. Raises CannotLook."""
    try:
        return read_bytes(name, TEXT_LIMIT).decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise CannotLook(f"{shown(name)} is no UTF-8 text (byte {wrong.start}). Save it as UTF-8.") from wrong


def _read(name: str, size: int) -> bytes:
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read(size)
    with Path(name).open("rb") as stream:
        return stream.read(size)


def shown(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else clean(name, 400)
