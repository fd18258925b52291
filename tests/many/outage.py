"""The PostgreSQL server of the tests is shut down under all that use it, and starts again a while later."""

from __future__ import annotations

import asyncio
import os
import signal
import time

from app.store.embedded import Embedded
from tests.service.process import postmaster

# https://www.postgresql.org/docs/current/server-shutdown.html: FAST breaks off every transaction and writes all down;
# IMMEDIATE ends as if killed, and the next start reads the log again. Neither needs `fsync`: the machine lives on.
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
SECONDS_TO_END = 30.0


async def outage(server: Embedded, how: signal.Signals, seconds: float) -> None:
    """Nobody answers for so long, then a new process of the server does."""
    pid = postmaster(server.data)
    assert pid is not None, "the database does not run"
    os.kill(pid, how)
    end = time.monotonic() + SECONDS_TO_END
    while postmaster(server.data) is not None:
        assert time.monotonic() < end, f"the database did not end by {how.name} within {SECONDS_TO_END:.0f} s"
        await asyncio.sleep(0.02)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(server.ensure_running)
    assert postmaster(server.data) not in (None, pid)
