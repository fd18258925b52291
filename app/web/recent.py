"""What was read a moment ago, for many who look at the same: it is read once, and whoever comes meanwhile waits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Value = TypeVar("Value")
MOST = 200  # kept


class Recent(Generic[Value]):
    """`at_once` of them are read at a time. What could not be read is not kept."""

    def __init__(self, lifetime: timedelta, now: Callable[[], datetime], at_once: int) -> None:
        self._lifetime = lifetime
        self._now = now
        self._free = asyncio.Semaphore(at_once)
        self._kept: OrderedDict[Hashable, tuple[datetime, asyncio.Task[Value]]] = OrderedDict()

    async def get(self, key: Hashable, read: Callable[[], Awaitable[Value]]) -> Value:
        """Raises what reading raises."""
        kept = self._kept.get(key)
        if kept is None or self._is_over(*kept):
            kept = (self._now(), asyncio.create_task(self._read(read)))
            self._kept[key] = kept
            self._kept.move_to_end(key)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        # Who asked first may go away; the others still want it.
        return await asyncio.shield(kept[1])

    def _is_over(self, at: datetime, task: asyncio.Task[Value]) -> bool:
        if not task.done():
            return False
        return task.cancelled() or task.exception() is not None or self._now() - at >= self._lifetime

    async def _read(self, read: Callable[[], Awaitable[Value]]) -> Value:
        async with self._free:
            return await read()
