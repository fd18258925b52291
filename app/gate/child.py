"""A process for what is hostile: no credential in its environment, bounded memory and time, nothing of ours at stake.

What a child cannot do in its limits it leaves unsaid; the caller makes that unreadable, never green.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from app.gate.ending import end_process

ROOT = str(Path(__file__).resolve().parents[2])
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}


async def run_child(code: str, given: bytes, seconds: float) -> bytes:
    """What a child running `code` writes when it is given these bytes; nothing if it takes longer than `seconds`."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", f"import sys; sys.path.insert(0, {ROOT!r}); {code}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
    )
    try:
        async with asyncio.timeout(seconds):
            out, _ = await child.communicate(given)
    except TimeoutError:
        return b""
    finally:
        await end_process(child)
    return out
