"""A part of what was to be observed that could not be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unread:
    """A part that could not be read.

    `offline` is true where only GitHub can tell and nobody asked it (a local judgement): that is pending, never an
    error and never assumed.
    """

    because: str
    offline: bool = False
