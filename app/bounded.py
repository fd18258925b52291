"""A store in memory that is bounded in bytes: what was not used for the longest goes first.

Each thing in it also remembers for which look at which piece of work it was used last. What a later look at the same
work did not use, the next one will not use either; and of a pull request that is closed, or a merge group that is gone,
nothing will be used again. Letting go of both keeps a long day at the memory of what is open now.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Use:
    """What is used for one look at `work`, a key of the work table. Another look at the same work is another object."""

    def __init__(self, work: str) -> None:
        self.work = work


_NONE = Use("")
_use: ContextVar[Use] = ContextVar("use", default=_NONE)


@contextmanager
def used_for(work: str) -> Iterator[None]:
    """What is put or found inside, also by tasks started inside, was used for one look at `work`."""
    token = _use.set(Use(work))
    try:
        yield
    finally:
        _use.reset(token)


class _Kept(NamedTuple, Generic[Value]):
    value: Value
    size: int
    use: Use


class Bounded(Generic[Key, Value]):
    """Holds `limit_bytes` together, as `size` counts them. What is over a quarter of that is never kept."""

    def __init__(self, limit_bytes: int, size: Callable[[Key, Value], int]) -> None:
        self._limit = limit_bytes
        self._measure = size
        self._size = 0
        self._kept: OrderedDict[Key, _Kept[Value]] = OrderedDict()
        self._of_work: defaultdict[str, set[Key]] = defaultdict(set)

    @property
    def size(self) -> int:
        """Bytes that are kept now, as `size` counted them."""
        return self._size

    def get(self, key: Key) -> Value | None:
        kept = self._taken_out(key)
        if kept is None:
            return None
        self._put_in(key, kept._replace(use=_use.get()))
        return kept.value

    def put(self, key: Key, value: Value) -> None:
        self.drop(key)
        size = self._measure(key, value)
        if size > self._limit // 4:
            return
        self._put_in(key, _Kept(value, size, _use.get()))
        while self._size > self._limit:
            self.drop(next(iter(self._kept)))

    def drop(self, key: Key) -> None:
        self._taken_out(key)

    def forget(self, work: str) -> None:
        """Let go what was last used for `work`, which is over."""
        for key in tuple(self._of_work.get(work, ())):
            self.drop(key)

    def forget_unused(self) -> None:
        """At the end of a look that asked all it could: let go what was last used for an earlier look at its work."""
        use = _use.get()
        for key in tuple(self._of_work.get(use.work, ())):
            if self._kept[key].use is not use:
                self.drop(key)

    def _put_in(self, key: Key, kept: _Kept[Value]) -> None:
        self._kept[key] = kept
        self._size += kept.size
        self._of_work[kept.use.work].add(key)

    def _taken_out(self, key: Key) -> _Kept[Value] | None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        self._size -= kept.size
        keys = self._of_work[kept.use.work]
        keys.discard(key)
        if not keys:
            del self._of_work[kept.use.work]
        return kept
