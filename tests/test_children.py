"""Waiting for processes starts no threads, whichever Python it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
import asyncio, threading
from app.children import wait_without_threads

async def main():
    process = await asyncio.create_subprocess_exec("/bin/sh", "-c", "read x; exit 7", stdin=asyncio.subprocess.PIPE)
    started = threading.active_count()
    process.stdin.close()
    print(started, await process.wait())

CALL
asyncio.run(main())
"""


def _printed(call: str) -> str:
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM.replace("CALL", call)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system has no descriptors of processes")
def test_no_thread_waits_for_a_process() -> None:
    assert _printed("wait_without_threads()").split() == ["1", "7"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="asyncio does so by itself")
def test_the_oldest_python_would_start_one() -> None:
    assert _printed("").split() == ["2", "7"]
