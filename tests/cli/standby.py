"""A process that has loaded all commands and forks for each that a test types: loading is most of what one takes.

The fork has its own folder, environment, arguments and streams, and its exit code is told as a shell's would be. What
happens before `main` is called (Python's own options, what is loaded for which command) needs a process of its own.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[2]
SECONDS = 120  # that a command may take
REQUEST = 1024 * 1024  # bytes of arguments and environment

Streams = tuple[int, int, int]


class Standby:
    """Ends with this process, whose end of the socket it reads."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen((sys.executable, "-m", __name__), stdin=theirs.fileno(), cwd=ROOT)

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], given: bytes
    ) -> subprocess.CompletedProcess[bytes]:
        """As `subprocess.run` with everything captured. A command that takes too long ends with SIGALRM."""
        request = json.dumps([arguments, str(folder), dict(environment)]).encode()
        with tempfile.TemporaryFile() as put, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            put.write(given)
            put.seek(0)
            code = self._code(request, (put.fileno(), out.fileno(), err.fileno()))
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), err.read())

    def _code(self, request: bytes, streams: Streams) -> int:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(self._socket, [request], [*streams, theirs.fileno()])
            return int(ours.recv(16))

    def end(self) -> None:
        self._socket.close()
        self._process.wait()


@functools.cache
def standby() -> Standby:
    """The one of this process."""
    made = Standby()
    atexit.register(made.end)
    return made


def serve() -> None:
    from app.cli.commands import COMMANDS

    for name in (*(command.target.partition(":")[0] for command in COMMANDS.values()), "main", "plain", "judging"):
        importlib.import_module(f"app.cli.{name}")
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
    _, status = os.waitpid(child, 0)
    os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(request: bytes, streams: Sequence[int]) -> NoReturn:
    arguments, folder, environment = json.loads(request)
    signal.alarm(SECONDS)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["mergegate", *arguments]
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        was = getattr(sys, name)
        setattr(sys, name, os.fdopen(number, mode, encoding=was.encoding, errors=was.errors, closefd=False))
    _end(_called())


def _called() -> int:
    """The exit code, as the interpreter would have it of what `main` raises."""
    from app.cli.main import main

    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - this is the outermost
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
