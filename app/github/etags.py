"""Answers kept with their ETag, so that an unchanged object costs nothing of the hourly budget.

Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests
One store an installation: an ETag must never be offered with another installation's token.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True)
class Stored:
    """A complete 200 answer: its ETag, its body, and its Link header, which pages are followed by."""

    etag: str
    body: bytes
    link: str

    @property
    def size(self) -> int:
        return len(self.body) + len(self.etag) + len(self.link)


class EtagStore:
    """Least recently used answers go first when `limit_bytes` is reached; one over a quarter of it is never kept."""

    def __init__(self, limit_bytes: int = 16 * 1024 * 1024) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._stored: OrderedDict[str, Stored] = OrderedDict()

    def get(self, key: str) -> Stored | None:
        stored = self._stored.get(key)
        if stored is not None:
            self._stored.move_to_end(key)
        return stored

    def put(self, key: str, stored: Stored) -> None:
        self.drop(key)
        if stored.size > self._limit // 4:
            return
        self._stored[key] = stored
        self._size += stored.size
        while self._size > self._limit:
            self._size -= self._stored.popitem(last=False)[1].size

    def drop(self, key: str) -> None:
        stored = self._stored.pop(key, None)
        if stored is not None:
            self._size -= stored.size
