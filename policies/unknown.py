"""Why the answer to a condition is not known, as far as that decides what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from checks.unread import Unread


@dataclass(frozen=True, slots=True)
class NeverKnown(Unread):
    """Looking again is no use: somebody must change what is looked at."""
