"""Running one script as a process group of its own, line by line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.gate.ending import end_process

GRACE_SECONDS = 1.0
LINE_LIMIT = 1024 * 1024  # a longer line is logged in pieces


async def run_script(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    write: Callable[[str], None],
) -> int:
    """Run `command`, hand each output line (standard output and error together) to `write`, return the exit code.

    The process group is killed when the caller is cancelled (that is how time limits work) and after the script ended,
    so that no background process outlives its step.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return await _follow(process, write)
    finally:
        _kill_group(process.pid)
        await _reap(process)


async def _follow(process: asyncio.subprocess.Process, write: Callable[[str], None]) -> int:
    assert process.stdout is not None
    reader = asyncio.create_task(_read_lines(process.stdout, write))
    try:
        code = await process.wait()
        # A background child may hold the pipe open; what it printed so far is enough.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(reader), GRACE_SECONDS)
        return code
    finally:
        reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reader


async def _read_lines(stream: asyncio.StreamReader, write: Callable[[str], None]) -> None:
    """Lines end at LF, CR or both, as the runner reads them; the last one may have no end."""
    rest = b""
    try:
        while chunk := await stream.read(65536):
            data = (rest + chunk).replace(b"\r\n", b"\n")
            keep_return = data.endswith(b"\r")
            *lines, rest = (data[:-1] if keep_return else data).replace(b"\r", b"\n").split(b"\n")
            rest += b"\r" if keep_return else b""
            for line in lines:
                write(line.decode("utf-8", "replace"))
            if len(rest) > LINE_LIMIT:
                write(rest.decode("utf-8", "replace"))
                rest = b""
    finally:
        if rest := rest.removesuffix(b"\r"):
            write(rest.decode("utf-8", "replace"))


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Collect the dead process and close its pipe, so that nothing is left for the garbage collector."""
    await end_process(process)
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
