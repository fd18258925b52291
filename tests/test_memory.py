"""Freed memory goes back, and garbage is looked for; each in a process of its own, whose settings they are."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LARGE = 600_000  # bytes; below what glibc allots apart once a larger one was freed, above what we ask for
# https://man7.org/linux/man-pages/man3/mallinfo.3.html: ten counts, the fifth is of bytes that were allotted apart
APART = f"""
import ctypes
from app.memory import let_go_of_freed_memory

class Counts(ctypes.Structure):
    _fields_ = [(str(number), ctypes.c_size_t) for number in range(10)]

library = ctypes.CDLL(None)
library.mallinfo2.restype = Counts
apart = lambda: getattr(library.mallinfo2(), "4")
LET_GO
bytes(5_000_000)
before = apart()
kept = [bytes({LARGE}) for _ in range(10)]
held = apart() - before
kept.clear()
print(held, apart() - before)
"""


def _printed(program: str) -> str:
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


glibc = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="the C library is not glibc 2.33 or later"
)


@glibc
def test_large_texts_go_back_when_they_are_freed() -> None:
    held, left = map(int, _printed(APART.replace("LET_GO", "let_go_of_freed_memory()")).split())
    assert held >= 10 * LARGE and left == 0
    held, _ = map(int, _printed(APART.replace("LET_GO", "")).split())
    assert held == 0, "glibc does so by itself now: is the setting still needed?"


HOLES = """
import asyncio, os
from app.memory import Reclaiming, let_go_of_freed_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

async def main():
    reclaiming = Reclaiming(0.1)
    task = asyncio.create_task(reclaiming.serve())
    await asyncio.sleep(0)
    kept = [(bytes(1000), bytes(20_000)) for _ in range(2000)]
    full = resident()
    kept = [small for small, _ in kept]
    holes = resident()
    await asyncio.sleep(0.3)
    trimmed = resident()
    reclaiming.leave()
    await task
    print(full - holes, full - trimmed)

let_go_of_freed_memory()
asyncio.run(main())
"""


@glibc
def test_holes_between_what_is_in_use_go_back() -> None:
    at_once, later = map(int, _printed(HOLES).split())
    assert at_once < 10_000_000 and later > 25_000_000, "of 40 MB in pieces of 20 kB, each between two that are kept"


def test_garbage_does_not_wait_for_more_of_it() -> None:
    program = """
import asyncio, gc, weakref
from app.memory import Reclaiming

class Circle:
    pass

async def main():
    gc.disable()
    circle = Circle()
    circle.itself = circle
    left = weakref.ref(circle)
    del circle
    reclaiming = Reclaiming(0.05)
    task = asyncio.create_task(reclaiming.serve())
    print(left() is not None)
    await asyncio.sleep(0.3)
    print(left() is None)
    reclaiming.leave()
    await task

asyncio.run(main())
"""
    assert _printed(program).split() == ["True", "True"]


def test_garbage_is_looked_for_in_what_is_new() -> None:
    program = """
import gc
from app.memory import look_for_garbage
look_for_garbage()
print(*gc.get_threshold(), gc.isenabled(), gc.get_freeze_count() > 1000)
"""
    assert _printed(program).split() == ["10000", "10", "10", "True", "True"]
