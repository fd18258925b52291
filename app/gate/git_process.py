"""One process of git, bounded in time and in what it may say: within an event loop, or without one.

Local commands run git without an event loop, because asyncio alone takes longer to import than git to answer.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from select import PIPE_BUF
from typing import IO

OUTPUT_LIMIT = 64 * 1024 * 1024
ERROR_LIMIT = 1024 * 1024
PIECE = 65536

Answer = tuple[int, bytes, bytes]  # exit code, standard output, standard error


class TooMuchSaid(Exception):
    """The process wrote more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Call:
    """A command with all that it is given; nothing else reaches it."""

    command: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    seconds: float
    most: int = OUTPUT_LIMIT  # bytes that it may write


async def run(call: Call) -> Answer:
    """Raises TimeoutError, TooMuchSaid. Nothing that the command started outlives the call."""
    if not in_event_loop():
        return run_without_loop(call)
    from app.gate.git_in_loop import run_in_loop

    return await run_in_loop(call)


def in_event_loop() -> bool:
    """Where nothing has imported asyncio, no loop of its runs."""
    events = sys.modules.get("asyncio.events")
    try:
        return events is not None and events.get_running_loop() is not None
    except (AttributeError, RuntimeError):  # another thread is still importing it, or no loop runs
        return False


def end(pid: int) -> None:
    """Kill the command and whatever it started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def run_without_loop(call: Call) -> Answer:
    with subprocess.Popen(  # noqa: S603 - no shell; the command is a list of ours
        call.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=call.environment,
        cwd="/",
        start_new_session=True,
        bufsize=0,
    ) as process:
        deadline = time.monotonic() + call.seconds
        try:
            out, err = _exchange(process, call, deadline)
            return process.wait(max(0.0, deadline - time.monotonic())), out, err
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            if process.poll() is None:
                end(process.pid)


def _exchange(process: subprocess.Popen[bytes], call: Call, deadline: float) -> tuple[bytes, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = Heard(call.most), Heard(ERROR_LIMIT)
    with selectors.DefaultSelector() as open_pipes:
        open_pipes.register(process.stdout, selectors.EVENT_READ, _Read(out))
        open_pipes.register(process.stderr, selectors.EVENT_READ, _Read(err))
        open_pipes.register(process.stdin, selectors.EVENT_WRITE, _Fed(call.stdin))
        while open_pipes.get_map():
            left = deadline - time.monotonic()
            ready = open_pipes.select(left) if left > 0 else []
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                pipe: IO[bytes] = key.fileobj  # type: ignore[assignment] # one of the three above
                if not key.data.moved(pipe):
                    open_pipes.unregister(pipe)
                    pipe.close()
    return bytes(out.heard), bytes(err.heard)


class Heard:
    """What was said so far. `take` raises TooMuchSaid."""

    def __init__(self, limit: int) -> None:
        self.heard = bytearray()
        self._limit = limit

    def take(self, piece: bytes) -> None:
        if len(self.heard) + len(piece) > self._limit:
            raise TooMuchSaid(self._limit)
        self.heard += piece


class _Read:
    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def moved(self, pipe: IO[bytes]) -> bool:
        """False at the end."""
        piece = os.read(pipe.fileno(), PIECE)
        self._heard.take(piece)
        return bool(piece)


class _Fed:
    def __init__(self, given: bytes) -> None:
        self._left = memoryview(given)

    def moved(self, pipe: IO[bytes]) -> bool:
        """False at the end. A pipe that is ready takes PIPE_BUF bytes without waiting."""
        try:
            self._left = self._left[os.write(pipe.fileno(), self._left[:PIPE_BUF]) :]
        except BrokenPipeError:
            return False  # git ended without reading; its exit code says why
        return bool(self._left)
