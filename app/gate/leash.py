"""A process group that ends when this process does, also by kill -9, and however far it has come.

A command whose parent is killed runs on, a fetch from a server that says nothing for ever. Its end with its parent
(`PR_SET_PDEATHSIG`) would have to be asked for between fork and exec, for which a process with this much memory takes
twenty milliseconds longer, and would not reach what the command itself started. So a shell leads the group and waits
for the end of a pipe whose other end is here alone. It is there before the command, which cannot join a group that
has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator

# Git takes its locks away when it is asked to end; two seconds later nobody is asked any more.
WATCH = "trap '' TERM; read -r _; kill -TERM -$$; sleep 2; kill -KILL -$$"


@contextlib.contextmanager
def leashed() -> Iterator[int]:
    """The group that a command may join (`process_group`) while the block lasts; nothing of it outlives the block."""
    with subprocess.Popen(  # noqa: S603 - a constant
        ("/bin/sh", "-c", WATCH),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath},
        cwd="/",
        process_group=0,
    ) as shell:
        try:
            yield shell.pid
        finally:
            # It is not yet waited for, so the number is still the group's.
            os.killpg(shell.pid, signal.SIGKILL)
