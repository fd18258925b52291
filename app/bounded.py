"""A store in memory that is bounded in bytes: what was not used for the longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Bounded(Generic[Key, Value]):
    """Holds `limit_bytes` together, as `size` counts them. What is over a quarter of that is never kept."""

    def __init__(self, limit_bytes: int, size: Callable[[Key, Value], int]) -> None:
        self._limit = limit_bytes
        self._measure = size
        self._size = 0
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        self.drop(key)
        size = self._measure(key, value)
        if size > self._limit // 4:
            return
        self._kept[key] = value
        self._size += size
        while self._size > self._limit:
            self._size -= self._measure(*self._kept.popitem(last=False))

    def drop(self, key: Key) -> None:
        value = self._kept.pop(key, None)
        if value is not None:
            self._size -= self._measure(key, value)
