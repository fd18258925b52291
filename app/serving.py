"""The process that serves: parts of the service until a signal ends them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence

import structlog
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from app.config import Settings, with_registrations
from app.memory import Reclaiming, look_for_garbage
from app.proxy.listening import GuardedProtocol, more_files
from app.proxy.starting import proxy_server
from app.rotation import Reread
from app.service import Parts, running
from app.until_signal import Serving, until_signal
from app.web.readiness import Readiness
from app.web.server import Server, behind_proxies

DRAIN = 12  # seconds for requests under way when the process ends; GitHub gives a delivery ten

log = structlog.get_logger(__name__)


async def serve(settings: Settings, parts: Parts, *, reread: Reread | None = None, proxy: bool = False) -> None:
    """Run until SIGTERM or SIGINT. Raises Misconfigured and the store's errors before anything is served.

    Where no App is configured the set-up page is served until one is. With `proxy` the agents' proxy runs beside the
    service where there is a courier App, on an address of its own and with connections of its own to the database, so
    that neither starves the other. `reread` reads the settings again, so that secrets can be rotated meanwhile.
    """
    more_files()
    if settings.gate is None and parts.web:
        settings = await _set_up(settings)
        if settings.gate is None:
            return  # a signal ended it
    async with contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(running(settings, parts, reread))
        servers: list[Serving] = [_Draining(service.readiness), Reclaiming()]
        if parts.work:
            log.info("working", slots=settings.slots)
        if parts.web:
            log.info("serving", address=f"http://{settings.host}:{settings.port}")
            servers.append(_web(service.web, settings))
        if proxy and settings.courier is not None:
            servers.append(await stack.enter_async_context(proxy_server(settings, reread)))
        look_for_garbage()
        await until_signal(servers)


async def _set_up(settings: Settings) -> Settings:
    """The settings with the Apps that a person registers from the page, or as they are when a signal ended it."""
    # Imported here, because it is needed once.
    from app.web.pages import Pages
    from app.web.set_up import SetUp, key_address

    key, pages = secrets.token_urlsafe(16), Pages()
    page = SetUp(settings.data, settings.github_api_url, key, pages)
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    application.include_router(page.router())
    application.include_router(pages.router())
    # A connection that stayed open would lead here after the service has taken over.
    server = _web(behind_proxies(application), settings, [("connection", "close")])
    address = key_address(f"http://{settings.host}:{settings.port}", key)
    log.info("no GitHub App is configured: open the set-up page", address=address)
    leaving = asyncio.create_task(_leave_when(page.connected, server))
    await until_signal([server])
    leaving.cancel()
    return with_registrations(settings)


async def _leave_when(connected: asyncio.Event, server: Server) -> None:
    await connected.wait()
    server.leave()


def _web(application: ASGIApp, settings: Settings, headers: Sequence[tuple[str, str]] = ()) -> Server:
    return Server(
        uvicorn.Config(
            application,
            host=settings.host,
            port=settings.port,
            http=GuardedProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            headers=list(headers),
            timeout_graceful_shutdown=DRAIN,
        )
    )


class _Draining:
    """Says so to probes as soon as the process is told to stop."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness
        self._told = asyncio.Event()

    async def serve(self) -> None:
        await self._told.wait()

    def leave(self) -> None:
        self._readiness.draining = True
        self._told.set()
