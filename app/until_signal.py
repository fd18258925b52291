"""Servers that run until a signal ends them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol


class Serving(Protocol):
    """`leave` makes `serve` return after requests under way have ended."""

    async def serve(self) -> None: ...
    def leave(self) -> None: ...


async def until_signal(servers: Sequence[Serving]) -> None:
    """Serve until SIGTERM or SIGINT."""

    def leave() -> None:
        for server in servers:
            server.leave()

    with _on_signal(leave):
        tasks = [asyncio.create_task(server.serve()) for server in servers]
        # One that cannot serve any more takes the others along, and the process ends visibly.
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        leave()
        await asyncio.gather(*tasks)


@contextlib.contextmanager
def _on_signal(leave: Callable[[], None]) -> Iterator[None]:
    """Call `leave` on SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as stack:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, leave)
            stack.callback(loop.remove_signal_handler, number)
        yield
