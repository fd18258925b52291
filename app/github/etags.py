"""Answers kept with their ETag, so that an unchanged object costs nothing of the hourly budget.

Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests
One store an installation: an ETag must never be offered with another installation's token.
"""

from __future__ import annotations

from dataclasses import dataclass

from isal import isal_zlib

from app.bounded import Bounded

LIMIT = 4 * 1024 * 1024  # bytes of an installation, compressed: about 20 MB as GitHub sends them


@dataclass(frozen=True)
class Stored:
    """A complete 200 answer: its ETag, its body, and its Link header, which pages are followed by."""

    etag: str
    body: bytes
    link: str


class EtagStore:
    """What is kept is compressed: JSON with its many addresses shrinks to a fifth, and a day brings megabytes of it."""

    def __init__(self, limit_bytes: int = LIMIT) -> None:
        self._kept: Bounded[str, Stored] = Bounded(limit_bytes, _size)

    @property
    def size(self) -> int:
        """Bytes that are kept now."""
        return self._kept.size

    def get(self, key: str) -> Stored | None:
        kept = self._kept.get(key)
        return None if kept is None else Stored(kept.etag, isal_zlib.decompress(kept.body), kept.link)

    def put(self, key: str, answer: Stored) -> None:
        self._kept.put(key, Stored(answer.etag, isal_zlib.compress(answer.body, 1), answer.link))

    def forget(self, work: str) -> None:
        """Let go what was last read for a piece of work that is over."""
        self._kept.forget(work)


def _size(key: str, kept: Stored) -> int:
    return len(key) + len(kept.body) + len(kept.etag) + len(kept.link)
