"""The process that children for hostile input are forked from, so that none waits for its imports.

It holds no credential and reads nothing hostile itself: it imports what a child shall do, forks, and ends the child
when nobody waits for it any more. Each child is fresh, in a process group of its own, and has of all descriptors only
its standard input and output, both the socket to whoever asked, and a standard error that leads nowhere.

The standard library's own (`multiprocessing.forkserver`) passes on its parent's environment, credentials and all. Like
there, children share the layout of their addresses and the seed of their hashes as long as the server lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import math
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn

from app.gate import child_request
from app.gate.child_request import REQUEST, STARTED, Child

IDLE = 30.0  # seconds without any child, after which it ends
MOST_DESCRIPTORS = 1024

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, https://man7.org/linux/man-pages/man2/pr_set_pdeathsig.2const.html
_LIBC = ctypes.CDLL(None)

Work = Callable[[BinaryIO, BinaryIO], None]


def main(idle: float = IDLE) -> NoReturn:
    """Serve requests from the socket that is standard input until its other end is closed or nothing comes."""
    for told_to_all in (signal.SIGINT, signal.SIGTERM):  # whoever asked outlives these, and so does the answer
        signal.signal(told_to_all, signal.SIG_IGN)
    _bound_descriptors()
    gc.disable()
    server = ForkServer(socket.socket(fileno=0), idle)
    try:
        server.serve()
    finally:
        server.end()
        os._exit(0)  # taking the modules down would take longer than all else


def _bound_descriptors() -> None:
    """So few that a child can close all that it may have got."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class ForkServer:
    def __init__(self, requests: socket.socket, idle: float) -> None:
        """`idle` in seconds. Takes over SIGCHLD of the process."""
        self._requests = requests
        self._idle = idle
        self._children: dict[int, socket.socket] = {}
        self._deaths, waking = socket.socketpair()
        for end in (self._deaths, waking):
            end.setblocking(False)
        self._waking = waking
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._poll = select.poll()
        self._poll.register(requests, select.POLLIN)
        self._poll.register(self._deaths, select.POLLIN)

    def serve(self) -> None:
        """Until there is nobody to serve."""
        while ready := dict(self._poll.poll(None if self._children else self._idle * 1000)):
            self._end_unwanted(ready)
            if self._deaths.fileno() in ready:
                self._bury()
            if self._requests.fileno() in ready and not self._answer():
                return

    def end(self) -> None:
        for pid in self._children:
            _kill(pid)

    def _end_unwanted(self, ready: dict[int, int]) -> None:
        """A socket that was hung up has nobody at its other end; it says so again until it is no longer asked."""
        for pid, stream in self._children.items():
            if stream.fileno() in ready:
                self._poll.unregister(stream)
                _kill(pid)

    def _bury(self) -> None:
        """What a child started ends with it, while no other process can have its number."""
        self._deaths.recv(REQUEST)
        while self._children and (dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            _kill(dead.si_pid)
            os.waitpid(dead.si_pid, 0)
            self._close(self._children.pop(dead.si_pid))

    def _close(self, stream: socket.socket) -> None:
        with contextlib.suppress(KeyError):  # it was hung up
            self._poll.unregister(stream)
        stream.close()

    def _answer(self) -> bool:
        """False when whoever asks is gone."""
        request, descriptors, _, _ = socket.recv_fds(self._requests, REQUEST, 1)
        if len(request) != REQUEST or len(descriptors) != 1:
            return False
        with socket.socket(fileno=descriptors[0]) as stream:
            self._start(request, stream)
        return True

    def _start(self, request: bytes, stream: socket.socket) -> None:
        """Where that fails the socket is closed, and nothing was ever said on it."""
        try:
            child = child_request.read(request)
            work = _work(child.entry)
            server = os.getpid()
            gc.freeze()  # collecting in a child would copy all that it shares
            pid = os.fork()
        except (ValueError, ImportError, AttributeError, OSError):
            return
        if pid == 0:
            _become(child, work, stream, server)
        self._children[pid] = stream.dup()
        self._poll.register(self._children[pid], 0)  # only that it is hung up


def _work(entry: str) -> Work:
    module, _, function = entry.partition(":")
    work: Any = getattr(importlib.import_module(module), function)
    return work  # type: ignore[no-any-return] # whoever asks names one of ours


def _kill(pid: int) -> None:
    """The child with its group; it may not have made one yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _become(child: Child, work: Work, stream: socket.socket, server: int) -> NoReturn:
    """Be the child."""
    status = 1
    try:
        _leave(server, stream)
        _limit(child.memory, math.ceil(child.seconds))
        os.write(1, STARTED)
        gc.enable()
        with open(0, "rb", closefd=False) as source, open(1, "wb", closefd=False) as sink:
            work(source, sink)
        status = 0
    finally:
        os._exit(status)


def _limit(memory: int, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _leave(server: int, stream: socket.socket) -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    if sys.platform == "linux":  # elsewhere its processor time alone ends it, should the server be killed
        _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != server:
        raise ProcessLookupError("the server died before it could be asked for its death")
    for descriptor in (0, 1):
        os.dup2(stream.fileno(), descriptor)
    os.closerange(3, MOST_DESCRIPTORS)
