"""One process of git within an event loop, see `app.gate.git_process`."""

from __future__ import annotations

import asyncio

from app.gate.ending import end_process
from app.gate.git_process import ERROR_LIMIT, PIECE, Answer, Call, TooMuchSaid
from app.gate.leash import leashed


async def run_in_loop(call: Call) -> Answer:
    """Raises TimeoutError, TooMuchSaid.

    What git started also ends when the attempt is cancelled, or this process killed.
    """
    with leashed() as group:
        process = await asyncio.create_subprocess_exec(
            *call.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=call.environment,
            cwd="/",
            process_group=group,
        )
        try:
            async with asyncio.timeout(call.seconds):
                out, err = await _exchange(process, call)
                return await process.wait(), out, err
        finally:
            await end_process(process, group=group)


async def _exchange(process: asyncio.subprocess.Process, call: Call) -> tuple[bytes, bytes]:
    out = asyncio.create_task(_read_bounded(process.stdout, call.most))
    err = asyncio.create_task(_read_bounded(process.stderr, ERROR_LIMIT))
    try:
        await asyncio.gather(out, err, _feed(process, call.stdin))
        return out.result(), err.result()
    finally:
        # Whoever ends the process reads the rest, which nobody else may be waiting for.
        out.cancel()
        err.cancel()
        await asyncio.gather(out, err, return_exceptions=True)


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(given)
        await process.stdin.drain()
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        return  # git ended without reading; its exit code says why


async def _read_bounded(stream: asyncio.StreamReader | None, limit: int) -> bytes:
    assert stream is not None
    parts: list[bytes] = []
    size = 0
    while part := await stream.read(PIECE):
        size += len(part)
        if size > limit:
            raise TooMuchSaid(limit)
        parts.append(part)
    return b"".join(parts)
