"""A process that has loaded all commands and forks for each that a test types: loading is most of what one takes.

The fork has its own folder, environment, arguments and streams, and its exit code is told as a shell's would be. What
happens before `main` is called (Python's own options, what is loaded for which command) needs a process of its own.
The service's parts come from it too, where a test is not about their start.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[1]
SECONDS = 120  # that a command may take
REQUEST = 1024 * 1024  # bytes of arguments and environment
# Loaded by `serve`, `web` and `work` once they run.
SERVICE = ("app.service", "app.serving", "app.proxy.starting")

Streams = tuple[int, int, int]


@dataclass
class Forked:
    """A part of the service, with what tests use of `asyncio.subprocess.Process`."""

    pid: int
    returncode: int | None = None
    _told: socket.socket = field(kw_only=True, repr=False)
    _waiting: asyncio.Task[None] | None = field(default=None, repr=False)

    def watch(self) -> None:
        """Learn of its end as soon as that is told."""
        self._waiting = asyncio.create_task(self._learn())

    async def wait(self) -> int:
        assert self._waiting is not None
        await asyncio.shield(self._waiting)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended, and that is still to be told
            os.kill(self.pid, number)

    async def _learn(self) -> None:
        with self._told:
            self.returncode = int(await asyncio.get_running_loop().sock_recv(self._told, 16))


class Standby:
    """Ends with this process, whose end of the socket it reads."""

    def __init__(self, modules: Sequence[str]) -> None:
        """`modules` are loaded beside those of all commands."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = (sys.executable, "-m", __name__, *modules)
            self._process = subprocess.Popen(command, stdin=theirs.fileno(), cwd=ROOT)

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], given: bytes
    ) -> subprocess.CompletedProcess[bytes]:
        """As `subprocess.run` with everything captured. A command that takes too long ends with SIGALRM."""
        with tempfile.TemporaryFile() as put, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            put.write(given)
            put.seek(0)
            streams = (put.fileno(), out.fileno(), err.fileno())
            with self._asked(["mergegate", *arguments], folder, environment, SECONDS, streams) as told:
                told.recv(16)
                code = int(told.recv(16))
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), err.read())

    async def start(self, words: Sequence[str], environment: Mapping[str, str], sink: int) -> Forked:
        """A process that ends when it is told to; all that it says goes to `sink`.

        `words` are `mergegate` and its arguments, or what Python takes: -c or -m, and so on.
        """
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123, ASYNC230 - there is always one, and at once
            told = self._asked(words, ROOT, environment, 0, (nothing.fileno(), sink, sink))
        told.setblocking(False)
        forked = Forked(int(await asyncio.get_running_loop().sock_recv(told, 16)), _told=told)
        forked.watch()
        return forked

    def _asked(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: int, streams: Streams
    ) -> socket.socket:
        """Where the number of the process is told, then its exit code."""
        request = json.dumps([words, str(folder), dict(environment), seconds]).encode()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._socket, [request], [*streams, theirs.fileno()])
        return ours

    def end(self) -> None:
        self._socket.close()
        self._process.wait()


@functools.cache
def standby(*modules: str) -> Standby:
    """The one of this process that has these modules."""
    made = Standby(modules)
    atexit.register(made.end)
    return made


def serve() -> None:
    from app.cli.commands import COMMANDS

    for name in (*(command.target.partition(":")[0] for command in COMMANDS.values()), "main", "plain", "judging"):
        importlib.import_module(f"app.cli.{name}")
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who keep a command
    with socket.socket(fileno=os.dup(0)) as asked:
        while True:
            request, descriptors, _, _ = socket.recv_fds(asked, REQUEST, 4)
            if not request:
                return
            if os.fork() == 0:
                asked.close()
                _keep(request, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)


def _keep(request: bytes, descriptors: Sequence[int]) -> NoReturn:
    """Fork once more, for the command, and tell how that ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, told = descriptors
    child = os.fork()
    if child == 0:
        os.close(told)
        _become(request, streams)
    _tell(told, child)
    _, status = os.waitpid(child, 0)
    _tell(told, os.waitstatus_to_exitcode(status))
    os._exit(0)


def _tell(told: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # whoever asked has ended
        os.write(told, str(number).encode())


def _become(request: bytes, streams: Sequence[int]) -> NoReturn:
    words, folder, environment, seconds = json.loads(request)
    signal.alarm(seconds)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        was = getattr(sys, name)
        setattr(sys, name, os.fdopen(number, mode, encoding=was.encoding, errors=was.errors, closefd=False))
    _end(_called(words))


def _called(words: Sequence[str]) -> int:
    """The exit code, as the interpreter would have it of what is raised."""
    try:
        _call(words)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - this is the outermost
        traceback.print_exc()
        return 1
    return 0


def _call(words: Sequence[str]) -> None:
    match words:
        case "-c", code, *arguments:
            sys.argv = ["-c", *arguments]
            exec(code, {"__name__": "__main__"})
        case "-m", module, *arguments:
            sys.argv = [module, *arguments]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case _:
            from app.cli.main import main

            sys.argv = [*words]
            main()


def _end(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
