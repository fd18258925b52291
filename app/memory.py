"""How the service keeps its memory at what is in use: when garbage is looked for, and when freed memory is let go of.

Otherwise both reach the highest that was ever needed at once, and the holes between what is in use grow every hour.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import functools
import gc

# When circles of objects are looked for besides. What GitHub's answers and processes of git would leave is cut where
# they end (app/github/wire.py, app/gate/git_in_loop.py), so that there are few.
COLLECTIONS = (10_000, 10, 10)

# What glibc is told, by its numbers: https://man7.org/linux/man-pages/man3/mallopt.3.html
_SETTINGS = {
    # M_MMAP_THRESHOLD: what is larger goes back as soon as it is freed. Unless it is set, glibc raises it to what was
    # the largest one. Not below the 256 kB that asyncio reads into: a delivery would take a sixth more of its time.
    -3: 512 * 1024,
    -1: 1024 * 1024,  # M_TRIM_THRESHOLD: free bytes at the heap's end that are kept
    -8: 2,  # M_ARENA_MAX: heaps; Python's threads take turns anyway
}
EVERY = 5.0  # seconds; each time takes some milliseconds


def let_go_of_freed_memory() -> None:
    """To be called before threads are started. Without effect where the C library is another one."""
    with contextlib.suppress(AttributeError, OSError):
        mallopt = _library().mallopt
        for setting, value in _SETTINGS.items():
            mallopt(setting, value)


def reclaim() -> None:
    """Look for all garbage, which also empties the lists in which Python keeps freed tuples for later; then give back
    whole pages between what is in use: https://man7.org/linux/man-pages/man3/malloc_trim.3.html"""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        _library().malloc_trim(0)


@functools.cache
def _library() -> ctypes.CDLL:
    """Each one made is a class of its own, which is left as garbage."""
    return ctypes.CDLL(None)


class Reclaiming:
    """A part of the service that reclaims memory every few seconds until it is told to leave."""

    def __init__(self, seconds: float = EVERY) -> None:
        self._seconds = seconds
        self._told = asyncio.Event()

    async def serve(self) -> None:
        while not self._told.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await self._told.wait()
            reclaim()

    def leave(self) -> None:
        self._told.set()


def look_for_garbage() -> None:
    """To be called when what lives as long as the process has been made: walking through it again would be for nothing,
    and hold deliveries up."""
    gc.set_threshold(*COLLECTIONS)
    gc.freeze()
