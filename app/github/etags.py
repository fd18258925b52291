"""Answers kept with their ETag, so that an unchanged object costs nothing of the hourly budget.

Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests
One store an installation: an ETag must never be offered with another installation's token.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.bounded import Bounded


@dataclass(frozen=True)
class Stored:
    """A complete 200 answer: its ETag, its body, and its Link header, which pages are followed by."""

    etag: str
    body: bytes
    link: str

    @property
    def size(self) -> int:
        return len(self.body) + len(self.etag) + len(self.link)


class EtagStore(Bounded[str, Stored]):
    def __init__(self, limit_bytes: int = 16 * 1024 * 1024) -> None:
        super().__init__(limit_bytes, lambda _, stored: stored.size)
