"""`mergegate serve`, `web`, `work`, `migrate`: running the service, whole or in parts."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterator

import structlog
import uvicorn

from app.config import Settings, read_settings
from app.logging import configure_logging
from app.service import Parts, running
from app.store.database import Database

log = structlog.get_logger(__name__)


def serve() -> None:
    """Run all parts: webhooks, pages and the worker."""
    _run(Parts(web=True, work=True))


def web() -> None:
    """Run only the web part: webhooks in, health and metrics."""
    _run(Parts(web=True, work=False))


def work() -> None:
    """Run only workers; any number of them may share one database."""
    _run(Parts(web=False, work=True))


def migrate() -> None:
    """Bring the database to this version and end."""
    settings = _settings()
    asyncio.run(_migrate(settings))


def _settings() -> Settings:
    configure_logging()
    return read_settings(os.environ)


async def _migrate(settings: Settings) -> None:
    async with Database.open(settings.database_url, settings.data):
        log.info("the database is up to date")


def _run(parts: Parts) -> None:
    asyncio.run(_serve(_settings(), parts))
    # The interpreter's last collection would walk through all of githubkit's models, a third of a second for nothing.
    gc.freeze()


async def _serve(settings: Settings, parts: Parts) -> None:
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
