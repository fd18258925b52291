"""The program that starts and ends agents for this server: an operator's own, told by its standard input.

It is run as `PROGRAM start` or `PROGRAM stop`, without a shell, with one JSON object on its standard input and nothing
of this process's environment but PATH and HOME. Exit code 0 means done: started, or gone for certain. Anything else,
and more time than it has, means not done; it is then called again, so both must bear being repeated. An agent may live
on after it, with a standard error of its own: the program's is closed once it has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import structlog

from app.gate.ending import let_go_of_pipes

log = structlog.get_logger(__name__)

SECONDS = 30.0  # for one call
MOST_SAID = 4_000  # bytes of its standard error that are kept
LAST_WORDS = 0.2  # seconds for what it said before it ended
STANDARD_ERROR = 2
KEPT = ("PATH", "HOME")


@dataclass(frozen=True, slots=True)
class Supervisor:
    """`program` is the path of an executable file."""

    program: Path
    seconds: float = SECONDS

    async def tell(self, what: Literal["start", "stop"], about: Mapping[str, Any]) -> bool:
        """Whether it did what it was told. A program that cannot be run did not."""
        try:
            async with asyncio.timeout(self.seconds):
                code, said = await self._run(what, json.dumps(about).encode())
        except TimeoutError:
            log.warning("the supervisor took too long", what=what, seconds=self.seconds)
            return False
        except OSError as wrong:
            log.error("the supervisor cannot be run", program=str(self.program), because=wrong.strerror)
            return False
        if code != 0:
            log.warning("the supervisor did not do it", what=what, code=code, said=said.decode("utf-8", "replace"))
        return code == 0

    async def _run(self, what: str, given: bytes) -> tuple[int | None, bytes]:
        call = await self._made(what)
        try:
            call.tell(given)
            await call.ended.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(call.silent.wait(), LAST_WORDS)
            return call.code, call.said
        finally:
            await call.end()

    async def _made(self, what: str) -> _Call:
        """When this is cancelled the process is made all the same, and ends with its group.

        asyncio would kill nothing but the process, and wait until whatever that has started lets go of its pipes.
        """
        making = asyncio.ensure_future(
            asyncio.get_running_loop().subprocess_exec(
                _Call,
                self.program,
                what,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env={name: os.environ[name] for name in KEPT if name in os.environ},
                start_new_session=True,
            )
        )
        try:
            return (await asyncio.shield(making))[1]
        except asyncio.CancelledError:
            making.add_done_callback(_unwanted)
            raise


def _unwanted(making: asyncio.Future[tuple[asyncio.SubprocessTransport, _Call]]) -> None:
    if not making.cancelled() and making.exception() is None:
        making.result()[1].let_go()


class _Call(asyncio.SubprocessProtocol):
    """One process. It has ended when it has, although what it started may hold its pipes open for days."""

    def __init__(self) -> None:
        self.ended, self.silent = asyncio.Event(), asyncio.Event()
        self.said = b""
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def code(self) -> int | None:
        return self._made.get_returncode()

    @property
    def _made(self) -> asyncio.SubprocessTransport:
        assert self._transport is not None
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def tell(self, given: bytes) -> None:
        """Whoever reads nothing of it is told nothing, and is asked for its exit code all the same."""
        stdin = self._made.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        stdin.write(given)
        stdin.close()

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - as asyncio calls it
        """All is read, so that nobody who says much waits for us; the first of it is kept."""
        self.said += data[: MOST_SAID - len(self.said)]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        if fd == STANDARD_ERROR:
            self.silent.set()

    def process_exited(self) -> None:
        self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """It has ended, and its pipes are closed. There may be nobody left who closes the rest."""
        self._made.close()

    async def end(self) -> None:
        self.let_go()
        await self.ended.wait()

    def let_go(self) -> None:
        """Kill it with what it started, unless it has ended: an agent that it started then lives on. In both cases
        its pipes are let go of, whoever else holds them."""
        if not self.ended.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._made.get_pid(), signal.SIGKILL)
        let_go_of_pipes(self._made)
