"""Lists that must stay within a number of bytes, cut between entries only."""

from __future__ import annotations

from collections.abc import Sequence

LIMIT = 65_535  # bytes of UTF-8
_MORE = 32  # bytes kept free for "and N more"


def size(text: str) -> int:
    return len(text.encode())


def fitted(heading: str, items: Sequence[str], limit: int) -> str:
    """`heading` and as many of `items` as fit into `limit` bytes, each on its own line; the rest is counted."""
    lines = [heading, ""]
    room = limit - size(heading) - 2 - _MORE
    for index, item in enumerate(items):
        room -= size(item) + 1
        if room < 0:
            return "\n".join([*lines, f"- … and {len(items) - index} more"])
        lines.append(item)
    return "\n".join(lines)
