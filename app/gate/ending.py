"""The end of a process that asyncio started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio import SubprocessTransport, WriteTransport
from asyncio.subprocess import Process

PIECE = 65536
SECONDS = 5.0  # for what it had written before it died; something else may hold its pipes open


async def end_process(process: Process, *, group: int | None = None) -> None:
    """Kill it, with the whole process group where one is given, and return when it is gone.

    `wait` alone may never return: it waits for the ends of the pipes too, and whoever stopped reading early has paused
    them, so that their ends are not noticed (https://docs.python.org/3/library/asyncio-subprocess.html, `wait`).
    """
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if group is not None:
            os.killpg(group, signal.SIGKILL)
        else:
            process.kill()
    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(_discarded(process.stdout), _discarded(process.stderr))
            await process.wait()
    except TimeoutError:
        process._transport.close()  # type: ignore[attr-defined] # noqa: SLF001 - there is no other way to let pipes go


def let_go_of_pipes(transport: SubprocessTransport) -> None:
    """Close our ends, whoever else holds the other ones."""
    for pipe in filter(None, map(transport.get_pipe_transport, (0, 1, 2))):
        if isinstance(pipe, WriteTransport) and pipe.get_write_buffer_size():
            pipe.abort()  # closing would wait until somebody has read it
        pipe.close()


async def _discarded(stream: asyncio.StreamReader | None) -> None:
    while stream is not None and await stream.read(PIECE):
        pass
