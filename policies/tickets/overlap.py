"""Whether two tickets may change the same files, told from their patterns alone.

Two patterns are said to overlap unless their fixed beginnings part: `src/cart/**` and `src/cart/tests/**` overlap,
`src/cart/**` and `src/search/**` do not. A pattern that can match anywhere overlaps with everything. So this may say
too much and never too little.
"""

from __future__ import annotations

from collections.abc import Iterable

_WILD = "*?["


def overlapping(one: Iterable[str], other: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of gitignore patterns that may match the same path. Patterns that take paths out are not counted."""
    theirs = [pattern for pattern in other if not pattern.startswith("!")]
    return tuple(
        (mine, their)
        for mine in one
        if not mine.startswith("!")
        for their in theirs
        if _meet(_fixed(mine), _fixed(their))
    )


def _fixed(pattern: str) -> tuple[str, ...]:
    """The folders and names before the first wildcard; none where the pattern matches at any depth."""
    body = pattern.removesuffix("/")
    if "/" not in body.removeprefix("**/").removeprefix("/") and not body.startswith("/"):
        return ()
    parts = body.removeprefix("/").casefold().split("/")
    wild = next((index for index, part in enumerate(parts) if any(sign in part for sign in _WILD)), len(parts))
    return tuple(parts[:wild])


def _meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
