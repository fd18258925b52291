"""Raw logs are parsed in a process of their own: no credential in its environment, bounded memory and time.

A log is hostile, so a child that dies, stalls or answers nonsense makes that log unreadable, never green. The child is
`log_child`; it is sent a log in pieces and holds none as a whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from pydantic import TypeAdapter, ValidationError

from app.gate.child import ENVIRONMENT, ROOT
from app.gate.ending import end_process
from checks.snapshot import JobLog, Unread

MEMORY_LIMIT = 1024**3  # bytes of address space; some 200 MB of it are libraries
TIME_LIMIT = 60.0  # seconds for one batch
CHILD = f"import app.gate.log_child as child; child.main({MEMORY_LIMIT}, {int(TIME_LIMIT)})"
LOG_LIMIT = 64 * 1024**2  # bytes of one log that this process holds; a longer one is not read

_PIECE = 256 * 1024


async def parse_logs(logs: Sequence[bytes]) -> list[JobLog | Unread]:
    """What each log says, in order. A log that cannot be read in the limits is Unread."""
    readable = [_pieces(log) for log in logs if len(log) <= LOG_LIMIT]
    lines = iter(await _run_child(readable) if readable else [])
    return [_read(next(lines, b"")) if len(log) <= LOG_LIMIT else _too_long(log) for log in logs]


async def parse_log_stream(chunks: Iterable[bytes]) -> JobLog | Unread:
    """What one log of any size says. Its chunks are asked for as the child takes them."""
    lines = await _run_child([chunks])
    return _read(next(iter(lines), b""))


def _pieces(log: bytes) -> Iterator[memoryview]:
    whole = memoryview(log)
    return (whole[at : at + _PIECE] for at in range(0, len(log), _PIECE))


def _too_long(log: bytes) -> Unread:
    return Unread(f"the log is {len(log)} bytes, more than {LOG_LIMIT} are not read")


def _read(line: bytes) -> JobLog | Unread:
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError:
        return Unread("the log could not be parsed within its limits of time and memory")


_ADAPTER: TypeAdapter[JobLog] = TypeAdapter(JobLog)


async def _run_child(logs: Sequence[Iterable[bytes | memoryview]]) -> list[bytes]:
    """The lines that the child wrote; none when it took too long."""
    async with _child() as child:
        assert child.stdin is not None
        assert child.stdout is not None
        out = asyncio.create_task(child.stdout.read())
        try:
            async with asyncio.timeout(TIME_LIMIT):
                await _send(child.stdin, logs)
                return (await out).split(b"\n")
        except TimeoutError:
            return []
        finally:
            # Whoever ends the child reads the rest, which nobody else may be waiting for.
            out.cancel()
            await asyncio.gather(out, return_exceptions=True)


@contextlib.asynccontextmanager
async def _child() -> AsyncIterator[Process]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", f"import sys; sys.path.insert(0, {ROOT!r}); {CHILD}"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
    )
    try:
        yield child
    finally:
        await end_process(child)


async def _send(child: asyncio.StreamWriter, logs: Sequence[Iterable[bytes | memoryview]]) -> None:
    """A child that is dead takes nothing any more; what it has written says the rest."""
    with contextlib.suppress(ConnectionError):
        for log in logs:
            for chunk in filter(len, log):
                await _frame(child, chunk)
            await _frame(child, b"")
        child.close()


async def _frame(child: asyncio.StreamWriter, chunk: bytes | memoryview) -> None:
    """An empty one ends a log."""
    child.writelines((len(chunk).to_bytes(4, "big"), chunk))
    await child.drain()
