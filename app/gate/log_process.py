"""Raw logs are parsed in a process of their own: no credential in its environment, bounded memory and time.

A log is hostile, so a child that dies, stalls or answers nonsense makes that log unreadable, never green. The child is
`log_child`; it is sent a log in pieces and holds none as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from pydantic import TypeAdapter

from app.gate.child import run_child
from app.gate.child_answers import ChildAnswers
from app.gate.child_request import Child
from app.gate.frames import frames
from checks.runs import JobLog
from checks.unread import Unread

MEMORY_LIMIT = 1024**3  # bytes of address space; some 200 MB of it are libraries
TIME_LIMIT = 60.0  # seconds for one batch
CHILD = Child("app.gate.log_child:serve", MEMORY_LIMIT, TIME_LIMIT)
ANSWERS: ChildAnswers[JobLog | Unread] = ChildAnswers(TypeAdapter(JobLog | Unread))
LOG_LIMIT = 64 * 1024**2  # bytes of one log that this process holds; a longer one is not read

_PIECE = 256 * 1024


async def parse_logs(logs: Sequence[bytes]) -> list[JobLog | Unread]:
    """What each log says, in order. A log that cannot be read in the limits is Unread."""
    readable = [_pieces(log) for log in logs if len(log) <= LOG_LIMIT]
    lines = iter(await _lines(readable) if readable else [])
    return [_read(next(lines, b"")) if len(log) <= LOG_LIMIT else _too_long(log) for log in logs]


async def parse_log_stream(chunks: Iterable[bytes]) -> JobLog | Unread:
    """What one log of any size says. Its chunks are asked for as the child takes them."""
    lines = await _lines([chunks])
    return _read(next(iter(lines), b""))


def _pieces(log: bytes) -> Iterator[memoryview]:
    whole = memoryview(log)
    return (whole[at : at + _PIECE] for at in range(0, len(log), _PIECE))


def _too_long(log: bytes) -> Unread:
    return Unread(f"the log is {len(log)} bytes, more than {LOG_LIMIT} are not read")


def _read(line: bytes) -> JobLog | Unread:
    try:
        return ANSWERS.read(line)
    except ValueError:
        return Unread("the log could not be parsed within its limits of time and memory")


async def _lines(logs: Sequence[Iterable[bytes | memoryview]]) -> list[bytes]:
    """What the child wrote of each; none when it took too long."""
    return (await run_child(CHILD, (frame for log in logs for frame in _framed(log)))).split(b"\n")


def _framed(log: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """An empty frame ends a log."""
    return frames(itertools.chain(filter(len, log), (b"",)))
