"""Processor time and memory of other processes, from /proc. https://man7.org/linux/man-pages/man5/proc.5.html"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def seconds(pid: int) -> float:
    """Processor time of a process so far, without its children."""
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def seconds_of_family(pid: int) -> float:
    """Processor time of a process and of its children, those that ended included."""
    ended = sum(int(field) for field in _fields(pid)[13:15]) / TICKS
    return seconds(pid) + ended + sum(_while_it_lives(child) for child in children(pid))


def _while_it_lives(pid: int) -> float:
    """Of a child that may end in between; what it took is then counted where it ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return seconds(pid)
    return 0.0


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def resident(pid: int) -> int:
    """Bytes of memory."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
