"""Runs one program and leaves nothing of it behind, also what went into a session of its own.

Run by its path as `python -I keeper.py PROGRAM`, on Linux. Killing a process group does not reach a process that called
setsid(2). So a keeper in a session of its own has the program as a child and is the one to whom all that it started
falls when their parents end (PR_SET_CHILD_SUBREAPER, prctl(2)). Its own parent stays in the group that is killed;
when that ends, or the program does, the keeper kills whatever it has for children until it has none.
It imports little and nothing of this package, for the program waits until it has.
"""

import ctypes
import os
import select
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
CANNOT_RUN = 127  # as shells have it


def main(program: str) -> int:
    """The program's exit code, for the parent in the group."""
    told, telling = os.pipe()
    watched, alive = os.pipe()
    if os.fork() == 0:
        os.close(told)
        os.close(alive)
        os._exit(_keep(program, watched, telling))
    os.close(telling)
    os.close(watched)
    for descriptor in (0, 1, 2):
        os.close(descriptor)  # who reads them waits for the program alone
    code = os.read(told, 1)
    return code[0] if code else CANNOT_RUN


def _keep(program: str, watched: int, telling: int) -> int:
    os.setsid()
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        return 1
    child = os.fork()
    if child == 0:
        _become(program)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    code = _code(child, watched)
    _end_children()
    os.write(telling, bytes([code]))
    return 0


def _become(program: str) -> None:
    """In a session of its own, so that `kill 0`, with which scripts end what they started, does not end the keeper.

    Every other descriptor is closed on exec: PEP 446. What Python changed for itself is not the program's.
    """
    os.setsid()
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        os.execve(program, [program], kept)  # noqa: S606 - a program of the operator, without a shell
    except OSError:
        os._exit(CANNOT_RUN)


def _code(child: int, watched: int) -> int:
    """When the program ends, or whoever waits for it has."""
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, watched], [], [])
    if ended not in ready:
        return CANNOT_RUN
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _end_children() -> None:
    """The children of one that was killed are ours then."""
    while _reaped():
        for child in _children():
            os.kill(child, signal.SIGKILL)


def _reaped() -> bool:
    """Whether any child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _children() -> list[int]:
    """Nobody else waits for them, so that their numbers are theirs."""
    found = os.listdir("/proc")  # noqa: PTH208 - see above
    return [int(name) for name in found if name.isdecimal() and _parent(name) == os.getpid()]


def _parent(process: str) -> int:
    """The fourth field of /proc/pid/stat, behind a name in brackets that may hold anything: proc(5)."""
    try:
        with open(f"/proc/{process}/stat", "rb") as stat:  # noqa: PTH123 - see above
            return int(stat.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0  # it has just ended


if __name__ == "__main__":
    os._exit(main(sys.argv[1]))
