"""A store in memory that is bounded in bytes: what was not used for the longest goes first.

Each thing in it remembers for which piece of work it was used last. Where that work is known to be over for good, a
closed pull request or a merge group that is gone, nobody will ask for it again, and it is let go at once: so a day that
brings hundreds of them takes no more memory than those that are open.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_work: ContextVar[str] = ContextVar("work", default="")


@contextmanager
def used_for(work: str) -> Iterator[None]:
    """What is put or found inside, also by tasks started inside, was used for `work`, a key of the work table."""
    token = _work.set(work)
    try:
        yield
    finally:
        _work.reset(token)


class _Kept(NamedTuple, Generic[Value]):
    value: Value
    size: int
    work: str


class Bounded(Generic[Key, Value]):
    """Holds `limit_bytes` together, as `size` counts them. What is over a quarter of that is never kept."""

    def __init__(self, limit_bytes: int, size: Callable[[Key, Value], int]) -> None:
        self._limit = limit_bytes
        self._measure = size
        self._size = 0
        self._kept: OrderedDict[Key, _Kept[Value]] = OrderedDict()

    @property
    def size(self) -> int:
        """Bytes that are kept now, as `size` counted them."""
        return self._size

    def get(self, key: Key) -> Value | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        if kept.work != _work.get():
            self._kept[key] = kept._replace(work=_work.get())
        return kept.value

    def put(self, key: Key, value: Value) -> None:
        self.drop(key)
        size = self._measure(key, value)
        if size > self._limit // 4:
            return
        self._kept[key] = _Kept(value, size, _work.get())
        self._size += size
        while self._size > self._limit:
            self._size -= self._kept.popitem(last=False)[1].size

    def drop(self, key: Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._size -= kept.size

    def forget(self, work: str) -> None:
        """Let go what was last used for `work`, which is over."""
        for key in [key for key, kept in self._kept.items() if kept.work == work]:
            self.drop(key)
