"""What was read a moment ago, for many who look at the same: it is read once, and whoever comes meanwhile waits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Value = TypeVar("Value")
MOST = 200  # kept
SECONDS = 20.0  # for one reading


class TooManyWait(Exception):
    """So much is being read that this would wait too long; nothing was begun for it."""


class Recent(Generic[Value]):
    """`at_once` of them are read at a time, and `most` are begun. What could not be read is not kept.

    Who asks may go away and ask for something else while what was begun goes on, so there must be an end of it.
    """

    def __init__(
        self, lifetime: timedelta, now: Callable[[], datetime], at_once: int, most: int, seconds: float = SECONDS
    ) -> None:
        self._lifetime = lifetime
        self._now = now
        self._free = asyncio.Semaphore(at_once)
        self._most = most
        self._seconds = seconds
        self._begun: set[asyncio.Task[Value]] = set()
        self._kept: OrderedDict[Hashable, tuple[datetime, asyncio.Task[Value]]] = OrderedDict()

    async def get(self, key: Hashable, read: Callable[[], Awaitable[Value]]) -> Value:
        """Raises what reading raises, and TooManyWait."""
        kept = self._kept.get(key)
        if kept is None or self._is_over(*kept):
            kept = (self._now(), self._begin(read))
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

    def _begin(self, read: Callable[[], Awaitable[Value]]) -> asyncio.Task[Value]:
        if len(self._begun) >= self._most:
            raise TooManyWait
        task = asyncio.create_task(self._read(read))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    async def _read(self, read: Callable[[], Awaitable[Value]]) -> Value:
        """A reading that takes too long gives its place to the next one, and those who waited for it come again."""
        async with self._free:
            try:
                async with asyncio.timeout(self._seconds):
                    return await read()
            except TimeoutError:
                raise TooManyWait from None
