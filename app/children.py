"""How asyncio learns that a process has ended."""

from __future__ import annotations

import asyncio
import os
import sys


def wait_without_threads() -> None:
    """Before Python 3.12 asyncio starts a thread for each process, which only waits for its end; and a look at a pull
    request starts dozens of git's. Without effect where the kernel has no descriptors of processes. To be called before
    the loop runs, as the watcher joins a loop when that is set.

    Source: https://docs.python.org/3.11/library/asyncio-policy.html#asyncio.PidfdChildWatcher
    """
    if sys.version_info < (3, 12) and _has_descriptors():
        asyncio.set_child_watcher(asyncio.PidfdChildWatcher())


def _has_descriptors() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True
