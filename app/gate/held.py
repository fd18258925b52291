"""Which objects mirrors were seen to hold. A look at a pull request asks six times or so for the same few, and git
takes some milliseconds to say so.

Believed only as long as no pack has come to the mirror or gone from it, nor the mirror itself, which may be deleted at
any time: all of that changes the folder of its packs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

MOST = 10_000  # ids of a mirror; a busy repository has some hundred heads and targets


class Packs(NamedTuple):
    """The folder of a mirror's packs at a moment; it is another one after each change."""

    device: int
    inode: int
    changed: int  # nanoseconds


@dataclass
class Seen:
    packs: Packs
    oids: set[str] = field(default_factory=set)


class Held:
    def __init__(self) -> None:
        self._seen: dict[Path, Seen] = {}

    def has(self, mirror: Path, packs: Packs | None, oids: Collection[str]) -> bool:
        """Whether all were seen in the mirror while its packs were these."""
        seen = self._seen.get(mirror)
        return seen is not None and seen.packs == packs and seen.oids.issuperset(oids)

    def add(self, mirror: Path, packs: Packs | None, oids: Collection[str]) -> None:
        """All are there. `packs` is from before that was asked, so that what changes meanwhile is not missed."""
        if packs is None:
            return
        seen = self._seen.get(mirror)
        if seen is None or seen.packs != packs or len(seen.oids) + len(oids) > MOST:
            seen = self._seen[mirror] = Seen(packs)
        seen.oids.update(oids)


def packs_of(mirror: Path) -> Packs | None:
    """None where there is no mirror."""
    try:
        found = (mirror / "objects" / "pack").stat()
    except FileNotFoundError:
        return None
    return Packs(found.st_dev, found.st_ino, found.st_mtime_ns)
