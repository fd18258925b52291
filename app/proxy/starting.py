"""The proxy from its settings to a socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from socket import socket

import structlog

from app.config import Settings
from app.configuration import record_configuration
from app.proxy.api.limits import Limits
from app.proxy.application import Proxy
from app.proxy.courier_app import courier_identity
from app.proxy.listening import Address, listener, more_files, server, unix_listener
from app.proxy.running import proxying
from app.proxy.watched import PrivatePages, Watched
from app.rotation import Reread, rotated
from app.store.database import Database
from app.until_signal import until_signal
from app.web.private_server import serving_privately
from app.web.server import Server

log = structlog.get_logger(__name__)


class Bound:
    """Servers on sockets that are open already, so that a taken port is an error and not an end later on.

    `watched` is what they tell of themselves, `leaving` whether they were told to end.
    """

    def __init__(self, watched: Watched, *serving: tuple[Server, socket]) -> None:
        self.watched = watched
        self.leaving = False
        self._serving = serving

    async def serve(self) -> None:
        """Until one of them ends; then the others end too."""
        tasks = [asyncio.create_task(serving.serve(sockets=[bound])) for serving, bound in self._serving]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        self.leave()
        await asyncio.gather(*tasks)

    def leave(self) -> None:
        self.leaving = True
        for serving, _ in self._serving:
            serving.leave()


async def serve_proxy(settings: Settings, reread: Reread | None = None) -> None:
    """The proxy alone, which needs the courier App's key and never the gate's, until a signal ends it."""
    async with proxy_server(settings, reread) as server:
        pages = PrivatePages(server.watched, lambda: server.leaving)
        async with serving_privately(settings.metrics_host, settings.metrics_port, pages):
            await until_signal([server])


@contextlib.asynccontextmanager
async def proxy_server(settings: Settings, reread: Reread | None = None) -> AsyncIterator[Bound]:
    """The proxy, bound and ready to serve. Raises Misconfigured and the store's errors before anything is served.

    `reread` reads the settings again; with it its secrets are rotated while it runs.
    """
    address = Address(
        settings.proxy_host,
        settings.proxy_port,
        settings.proxy_certificate,
        settings.proxy_key,
        settings.proxy_plain,
    )
    address.check()
    more_files()
    courier_identity(settings)
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(settings.database_url, settings.data))
        await record_configuration(database, settings)
        settings = await stack.enter_async_context(rotated(settings, reread, database))
        proxy = await stack.enter_async_context(
            proxying(
                database,
                courier_identity(settings),
                operator=settings.operator_tokens,
                issuers=settings.oidc_issuers,
                limits=limits_of(settings),
                fetches=settings.session_fetches,
                lfs_requests=settings.session_lfs,
                largest=settings.push_megabytes * 1024 * 1024,
                baseline=settings.policy_baseline,
                litellm=settings.litellm,
            )
        )
        bound = stack.enter_context(contextlib.closing(listener(address)))
        log.info("the proxy serves", address=f"{address.scheme}://{address.host}:{address.port}")
        yield Bound(proxy.watched, (server(proxy, address), bound), *_by_socket(settings, proxy, stack))


def limits_of(settings: Settings) -> Limits:
    hourly = settings.session_requests
    return Limits(min(Limits().burst, hourly), hourly, settings.session_writes, settings.session_comments)


def _by_socket(settings: Settings, proxy: Proxy, stack: contextlib.AsyncExitStack) -> list[tuple[Server, socket]]:
    """The server for gh on a unix socket, which is in clear, where one is wanted."""
    if settings.proxy_socket is None:
        return []
    bound = stack.enter_context(contextlib.closing(unix_listener(settings.proxy_socket)))
    stack.callback(settings.proxy_socket.unlink, missing_ok=True)
    log.info("the proxy serves", address=f"unix:{settings.proxy_socket}")
    return [(server(proxy, Address("localhost", 0)), bound)]
