"""`mergegate` with a thread beside it that writes down each second how much memory is in use inside.

What is resident also counts what the allocators keep for later, in pieces of up to a megabyte.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from pathlib import Path

from app.cli import main

FILE = "BENCH_INSIDE"  # the variable that names where it is written
PROGRAM = ("-m", "tests.bench.inside")


_NAMES = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]


class _Counts(ctypes.Structure):
    """https://man7.org/linux/man-pages/man3/mallinfo.3.html"""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _NAMES)


def least(file: Path, from_line: int) -> tuple[int, int]:
    """Of what was written since: the fewest blocks of Python's own allocator, and the fewest bytes of malloc's."""
    lines = [line.split() for line in file.read_text("ascii").splitlines()[from_line:]]
    return min(int(blocks) for blocks, _ in lines), min(int(allotted) for _, allotted in lines)


def _watch(file: Path) -> None:
    count = ctypes.CDLL(None).mallinfo2
    count.restype = _Counts
    while True:
        time.sleep(1)
        counts = count()
        with file.open("a", encoding="ascii") as lines:
            lines.write(f"{sys.getallocatedblocks()} {counts.uordblks + counts.hblkhd}\n")


if __name__ == "__main__":
    threading.Thread(target=_watch, args=(Path(os.environ[FILE]),), daemon=True).start()
    main.main()
