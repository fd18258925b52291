"""What runs on this machine, as `/proc` has it: a process with all that it started, and whether it still lives.

https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
ENDED = ("Z", "X")  # nobody has waited for it yet; it does nothing any more


@dataclass(frozen=True)
class Known:
    """One process; a number is given again, but not with the same time of start."""

    pid: int
    started: str  # ticks since the machine's start
    command: str


def descendants(pid: int) -> frozenset[Known]:
    """All that a process started and what that started, without itself."""
    parents = {known: parent for known, parent, _ in _all()}
    found: set[Known] = set()
    wanted = {pid}
    while more := {known for known, parent in parents.items() if parent in wanted} - found:
        found |= more
        wanted |= {known.pid for known in more}
    return frozenset(found)


def living(those: Iterable[Known]) -> frozenset[Known]:
    """Those that still run."""
    now = {(known.pid, known.started) for known, _, state in _all() if state not in ENDED}
    return frozenset(each for each in those if (each.pid, each.started) in now)


def left_after(those: Iterable[Known], seconds: float) -> frozenset[Known]:
    """Those that still run when the time is over; none as soon as none does."""
    end = time.monotonic() + seconds
    while (left := living(those)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def _all() -> Iterator[tuple[Known, int, str]]:
    """Each process, its parent's number and its state."""
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            state, parent, *rest = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            yield Known(int(entry.name), rest[17], command[:300]), int(parent), state
