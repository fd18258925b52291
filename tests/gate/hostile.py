"""What children do in tests once something hostile has got the better of them. Each is an entry of a `Child`."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import BinaryIO

from app.gate.child_request import Child

MEMORY = 1024**3


def hostile(name: str, seconds: float = 20.0, memory: int = MEMORY) -> Child:
    """One of the functions below."""
    return Child(f"{__name__}:{name}", memory, seconds)


def dies(source: BinaryIO, sink: BinaryIO) -> None:
    os._exit(3)


def crashes(source: BinaryIO, sink: BinaryIO) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def raises(source: BinaryIO, sink: BinaryIO) -> None:
    raise ValueError("hostile")


def stalls(source: BinaryIO, sink: BinaryIO) -> None:
    time.sleep(60)


def loops(source: BinaryIO, sink: BinaryIO) -> None:
    """Until its processor time is over."""
    said(sink, str(os.getpid()))
    while True:
        pass


def answers_an_object(source: BinaryIO, sink: BinaryIO) -> None:
    sink.write(b"{}\n")


def answers_null(source: BinaryIO, sink: BinaryIO) -> None:
    sink.write(b"null\n")


def answers_a_list(source: BinaryIO, sink: BinaryIO) -> None:
    sink.write(b"[{}]\n")


def answers_nothing(source: BinaryIO, sink: BinaryIO) -> None:
    """And reads nothing."""


def answers_without_end(source: BinaryIO, sink: BinaryIO) -> None:
    while True:
        sink.write(b"x" * 1024**2)


def takes_memory(source: BinaryIO, sink: BinaryIO) -> None:
    """As many bytes as it is told."""
    taken = b"x" * int(source.read())
    said(sink, str(len(taken)))


def tells_surroundings(source: BinaryIO, sink: BinaryIO) -> None:
    """Its environment, open descriptors and what they lead to, folder, process group and server."""
    descriptors = list(Path("/proc/self/fd").iterdir())
    facts = {
        "environment": Path("/proc/self/environ").read_bytes().decode().split("\0"),
        "descriptors": {each.name: str(each.readlink()) for each in descriptors if each.is_symlink()},
        "folder": str(Path.cwd()),
        "group": os.getpgid(0) == os.getpid(),
        "server": os.getppid(),
        "pid": os.getpid(),
    }
    said(sink, json.dumps(facts))


def spoils_modules(source: BinaryIO, sink: BinaryIO) -> None:
    """What it changes in its own memory, no later child sees."""
    json.dumps = lambda *_, **__: "spoilt"
    os.environ["SPOILT"] = "1"
    os.chdir("/tmp")
    said(sink, json.dumps({}))


def leaves_another(source: BinaryIO, sink: BinaryIO) -> None:
    """A process that holds its output open; its number is the answer."""
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
    said(sink, str(pid))


def says_who_it_is(source: BinaryIO, sink: BinaryIO) -> None:
    """At once, and then waits for the end of what it is given."""
    said(sink, f"{os.getpid()}\n")
    source.read()


def kills_its_server(source: BinaryIO, sink: BinaryIO) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def said(sink: BinaryIO, text: str) -> None:
    sink.write(text.encode())
    sink.flush()
