"""`mergegate serve`, `web`, `work`, `migrate`: running the service, whole or in parts."""

from __future__ import annotations

import asyncio
import functools
import gc
import os

import structlog

from app.children import wait_without_threads
from app.config import Settings, read_settings
from app.logging import configure_logging
from app.memory import let_go_of_freed_memory
from app.store.database import Database

log = structlog.get_logger(__name__)


def serve() -> None:
    """Run all parts: webhooks, pages, the worker and, where the courier App is set up, the agents' proxy."""
    _run(web=True, work=True, proxy=True)


def web() -> None:
    """Run only the web part: webhooks in, health and metrics."""
    _run(web=True, work=False)


def work() -> None:
    """Run only workers; any number of them may share one database."""
    _run(web=False, work=True)


def migrate() -> None:
    """Bring the database to this version and end."""
    settings = _settings()
    asyncio.run(_migrate(settings))


def _settings() -> Settings:
    configure_logging()
    return read_settings(os.environ)


async def _migrate(settings: Settings) -> None:
    log.info("bringing the database to this version")
    async with Database.open(settings.database_url, settings.data):
        log.info("the database is up to date")


def _run(*, web: bool, work: bool, proxy: bool = False) -> None:
    settings = _settings()  # what is wrong there is said at once
    log.info("starting")
    let_go_of_freed_memory()
    wait_without_threads()
    # Imported here, because the service with its GitHub client takes longer to load than the other commands to run.
    # Nothing of it is garbage; looking for some meanwhile took an eighth of the time.
    gc.disable()
    from app.service import Parts
    from app.serving import serve as serving

    gc.enable()
    reread = functools.partial(read_settings, os.environ)
    asyncio.run(serving(settings, Parts(web=web, work=work), reread=reread, proxy=proxy))
    # The interpreter's last collection would walk through all of githubkit's models, a third of a second for nothing.
    gc.freeze()
