"""A process for what is hostile: no credential in its environment, bounded memory and time, nothing of ours at stake.

What a child cannot do in its limits it leaves unsaid; the caller makes that unreadable, never green. All children of
a process are forked from one server (`fork_server`), which is started when it is first needed, and anew when it died.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from app.gate import child_request
from app.gate.child_request import STARTED, Child
from app.logging import LateLogger

log = LateLogger(__name__)

ROOT = str(Path(__file__).resolve().parents[2])
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
LARGEST_ANSWER = 64 * 1024**2  # bytes; of a longer one nothing is taken
SERVER = f"import sys; sys.path.insert(0, {ROOT!r}); from app.gate.fork_server import main; main()"

_PIECE = 256 * 1024

Given = Iterable[bytes | memoryview]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def run_child(child: Child, given: Given) -> bytes:
    """What the child writes when it is given these bytes, each piece asked for as it is taken.

    Nothing if it takes longer than its time, writes more than LARGEST_ANSWER or cannot be started; what it had written
    if it dies. Raises what `given` raises.
    """
    try:
        async with asyncio.timeout(child.seconds):
            for _ in range(2):  # a server may end between two requests
                async with _connected(child) as (source, sink):
                    if await _is_started(source):
                        return await _exchange(source, sink, given)
    except TimeoutError:
        return b""
    log.warning("no child was started; does its module import?", entry=child.entry)
    return b""


@contextlib.asynccontextmanager
async def _connected(child: Child) -> AsyncIterator[Streams]:
    """The server ends a child whose socket is closed."""
    source, sink = await asyncio.open_connection(sock=_SERVERS.ask(child))
    try:
        yield source, sink
    finally:
        await _hang_up(sink)


async def _is_started(source: asyncio.StreamReader) -> bool:
    try:
        return await source.read(len(STARTED)) == STARTED
    except ConnectionError:
        return False


async def _exchange(source: asyncio.StreamReader, sink: asyncio.StreamWriter, given: Given) -> bytes:
    answer = asyncio.create_task(_answer(source))
    try:
        await _send(sink, given)
        return await answer
    finally:
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)


async def _hang_up(sink: asyncio.StreamWriter) -> None:
    sink.transport.abort()
    with contextlib.suppress(OSError):
        await sink.wait_closed()


async def _answer(source: asyncio.StreamReader) -> bytes:
    said = bytearray()
    with contextlib.suppress(ConnectionError):  # it died with something unread
        while piece := await source.read(_PIECE):
            said += piece
            if len(said) > LARGEST_ANSWER:
                return b""
    return bytes(said)


async def _send(sink: asyncio.StreamWriter, given: Given) -> None:
    """A child that is dead takes nothing any more; what it has written says the rest."""
    with contextlib.suppress(ConnectionError):
        for piece in given:
            sink.write(piece)
            await sink.drain()
        sink.write_eof()


class _Servers:
    """The fork server of this process, whichever threads and event loops ask it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: socket.socket | None = None

    def ask(self, child: Child) -> socket.socket:
        """The socket to the child. It is closed without a word if none is started."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            if not self._passed(child, theirs):
                self._requests = _start_server()
                self._passed(child, theirs)
        return ours

    def _passed(self, child: Child, stream: socket.socket) -> bool:
        if self._requests is None:
            return False
        try:
            socket.send_fds(self._requests, [child_request.write(child)], [stream.fileno()])
        except OSError:  # it ended, or takes no more requests
            self._requests.close()
            return False
        return True


_SERVERS = _Servers()


def _start_server() -> socket.socket:
    """The socket that takes requests; the server lives no longer than this end of it."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - no shell, and nothing from outside
            (sys.executable, "-I", "-c", SERVER),
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )
    threading.Thread(target=process.wait, name="fork server's end", daemon=True).start()
    return ours
