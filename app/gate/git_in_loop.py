"""One process of git within an event loop, see `app.gate.git_process`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio import BaseTransport, SubprocessTransport, WriteTransport
from asyncio.subprocess import PIPE
from typing import cast

from app.gate.ending import let_go_of_pipes
from app.gate.git_process import ERROR_LIMIT, Answer, Call, Heard, TooMuchSaid
from app.gate.leash import leashed

SECONDS = 5.0  # for a process that was killed to be gone


async def run_in_loop(call: Call) -> Answer:
    """Raises TimeoutError, TooMuchSaid.

    What git started also ends when the attempt is cancelled, or this process killed.
    """
    with leashed() as group:
        listener = _Listener(call.most)
        transport = await _made(call, listener, group)
        try:
            async with asyncio.timeout(call.seconds):
                _feed(transport, call.stdin)
                out, err = await listener.all
                return cast("int", transport.get_returncode()), out, err
        finally:
            await _end(transport, listener, group)


async def _made(call: Call, listener: _Listener, group: int) -> SubprocessTransport:
    """When this is cancelled the process is made all the same, and ends with its group.

    asyncio would kill nothing but the process, and wait until whatever that has started lets go of its pipes.
    """
    making = asyncio.get_running_loop().subprocess_exec(
        lambda: listener,
        *call.command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=call.environment,
        cwd="/",
        process_group=group,
    )
    transport, _ = await asyncio.shield(making)
    return transport


class _Listener(asyncio.SubprocessProtocol):
    """What one process says, up to the bounds.

    asyncio's streams would do, but a process's reader, writer and protocol refer to each other, so that they stay with
    their buffers until garbage is looked for: megabytes, with dozens of processes to a look at a pull request.
    """

    def __init__(self, most: int) -> None:
        self._heard = {1: Heard(most), 2: Heard(ERROR_LIMIT)}
        self.all: asyncio.Future[tuple[bytes, bytes]] = asyncio.get_running_loop().create_future()
        self.exited = asyncio.Event()
        self._transport: BaseTransport | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.all.done():  # too much, or too late; what follows is not kept
            return
        try:
            self._heard[fd].take(data)
        except TooMuchSaid as too_much:
            self.all.set_exception(too_much)
            self.all.exception()  # asyncio would complain where nobody asks any more

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio gives it
        """The process has exited, and its pipes have ended. There may be nobody left who closes the rest."""
        assert self._transport is not None
        self._transport.close()
        if not self.all.done():
            self.all.set_result((bytes(self._heard[1].heard), bytes(self._heard[2].heard)))


def _feed(transport: SubprocessTransport, given: bytes) -> None:
    """Where git ends without reading, its exit code says why."""
    stdin = cast("WriteTransport", transport.get_pipe_transport(0))
    stdin.write(given)
    stdin.write_eof()


async def _end(transport: SubprocessTransport, listener: _Listener, group: int) -> None:
    """Kill it where it has not exited, with all that it started, and let go of its pipes, whoever else holds them."""
    if running := transport.get_returncode() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
    let_go_of_pipes(transport)
    if running:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                await listener.exited.wait()
    transport.close()
