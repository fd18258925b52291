"""The process that serves: parts of the service until a signal ends them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

import structlog
import uvicorn

from app.config import Settings
from app.service import Parts, running

log = structlog.get_logger(__name__)


async def serve(settings: Settings, parts: Parts) -> None:
    """Run until SIGTERM or SIGINT. Raises Misconfigured and the store's errors before anything is served."""
    async with running(settings, parts) as application:
        if not parts.web:
            log.info("working")
            ended = asyncio.Event()
            with _on_signal(ended.set):
                await ended.wait()
            return
        server = _Server(
            uvicorn.Config(
                application,
                host=settings.host,
                port=settings.port,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=3,
            )
        )
        log.info("serving", address=f"http://{settings.host}:{settings.port}")
        with _on_signal(server.leave):
            await server.serve()


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: it would raise the signal again when it has stopped serving, and that
    would end the process before the worker and the database are stopped."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self) -> None:
        """Stop listening and let requests under way end."""
        self.should_exit = True


@contextlib.contextmanager
def _on_signal(leave: Callable[[], None]) -> Iterator[None]:
    """Call `leave` on SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as stack:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, leave)
            stack.callback(loop.remove_signal_handler, number)
        yield
