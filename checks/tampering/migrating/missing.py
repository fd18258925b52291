"""The answer of each reader: where a migration lacks its way back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """`line` is 1-based; `source` is what stands there; `reason` is a sentence."""

    line: int
    source: str
    reason: str


def at(text: str, offset: int, reason: str) -> Missing:
    """The line that holds the character at `offset`."""
    start = text.rfind("\n", 0, offset) + 1
    return Missing(text.count("\n", 0, offset) + 1, text[start:].partition("\n")[0].strip(), reason)
