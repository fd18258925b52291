"""uvicorn as a part of a process that has signals of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import uvicorn


class Server(uvicorn.Server):
    """uvicorn without its signal handlers: it would raise the signal again when it has stopped serving, and that
    would end the process before the worker and the database are stopped."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self) -> None:
        """Stop listening and let requests under way end."""
        self.should_exit = True
