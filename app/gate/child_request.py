"""What a fork server is asked for: a message of one length, and what the child that it starts says first."""

from __future__ import annotations

from typing import NamedTuple

REQUEST = 256  # bytes; messages of one length cannot run into each other
STARTED = b"+"  # the child lives; all that follows is its answer


class Child(NamedTuple):
    """A process for hostile input: it calls `entry`, `module:function`, with its standard input and output (binary).

    `memory` in bytes of address space; `seconds` of processor time for it, and of patience for whoever waits.
    """

    entry: str
    memory: int
    seconds: float


def write(child: Child) -> bytes:
    return " ".join(map(str, child)).encode().ljust(REQUEST)


def read(request: bytes) -> Child:
    """Raises ValueError."""
    entry, memory, seconds = request.decode().split()
    return Child(entry, int(memory), float(seconds))
