"""kill -9 of a process takes everything along that it had started."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.gate.git_process import Call, run
from app.gate.leash import leashed
from tests.databases import anyio_backend
from tests.demo.service import ROOT
from tests.many.processes import Known, descendants, left_after, living

__all__ = ["anyio_backend"]

SECONDS = 20.0
# A command with a child of its own; neither reads or writes anything, so no closed pipe ends them.
STUBBORN = "trap '' HUP PIPE; sleep 300 & exec sleep 300"
PROGRAM = f"""
import asyncio
from app.gate.git_process import Call, run
asyncio.run(run(Call(("sh", "-c", {STUBBORN!r}), {{"PATH": "/usr/bin:/bin"}}, b"", 300.0)))
"""


def _sleepers(pid: int) -> frozenset[Known]:
    """The two processes that sleep below this one, once they do."""
    end = time.monotonic() + SECONDS
    while True:
        found = frozenset(one for one in descendants(pid) if one.command.startswith("sleep 300"))
        if len(found) == 2:
            return found
        assert time.monotonic() < end, descendants(pid)
        time.sleep(0.02)


def test_git_ends_with_the_process_that_asked_it() -> None:
    with subprocess.Popen((sys.executable, "-c", PROGRAM), cwd=ROOT) as asking:
        try:
            sleepers = _sleepers(asking.pid)
            everything = descendants(asking.pid)
        finally:
            asking.kill()
    assert len(everything) == 3 and sleepers < everything, everything  # and the shell that leads their group
    assert left_after(everything, SECONDS) == frozenset()


@pytest.mark.anyio
async def test_a_command_that_has_ended_leaves_nothing_behind(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"sleep 300 >&- 2>&- <&- & echo $! > {pid}; exit 3"
    assert (await run(Call(("sh", "-c", script), {"PATH": "/usr/bin:/bin"}, b"", 20.0)))[0] == 3
    assert int(pid.read_text()) not in {one.pid for one in living(descendants(1))}


def test_nothing_can_join_a_group_that_has_ended() -> None:
    with leashed() as group:
        pass
    with pytest.raises(PermissionError):
        subprocess.run(("true",), process_group=group, check=True)
