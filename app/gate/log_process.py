"""Raw logs are parsed in a process of their own: no credential in its environment, bounded memory and time.

A log is hostile, so a child that dies, stalls or answers nonsense makes that log unreadable, never green. The child is
`log_child`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from checks.snapshot import JobLog, Unread

MEMORY_LIMIT = 2 * 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds for one batch
ROOT = str(Path(__file__).resolve().parents[2])
CHILD = f"import app.gate.log_child as child; child.main({MEMORY_LIMIT}, {int(TIME_LIMIT)})"
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
LOG_LIMIT = 32 * 1024**2  # bytes of one log; a longer one is not read


async def parse_logs(logs: Sequence[bytes]) -> list[JobLog | Unread]:
    """What each log says, in order. A log that cannot be read in the limits is Unread."""
    readable = [log for log in logs if len(log) <= LOG_LIMIT]
    lines = iter(await _run_child(readable) if readable else [])
    return [_read(next(lines, b"")) if len(log) <= LOG_LIMIT else _too_long(log) for log in logs]


def _too_long(log: bytes) -> Unread:
    return Unread(f"the log is {len(log)} bytes, more than {LOG_LIMIT} are not read")


def _read(line: bytes) -> JobLog | Unread:
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError:
        return Unread("the log could not be parsed within its limits of time and memory")


_ADAPTER: TypeAdapter[JobLog] = TypeAdapter(JobLog)


async def _run_child(logs: Sequence[bytes]) -> list[bytes]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", f"import sys; sys.path.insert(0, {ROOT!r}); {CHILD}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
    )
    frames = b"".join(len(log).to_bytes(4, "big") + log for log in logs)
    try:
        async with asyncio.timeout(TIME_LIMIT):
            out, _ = await child.communicate(frames)
    except TimeoutError:
        return []
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return out.split(b"\n")
