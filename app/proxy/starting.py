"""The proxy from its settings to a socket."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from socket import socket

import structlog

from app.config import Settings
from app.proxy.courier_app import courier_identity
from app.proxy.listening import Address, Server, listener, server
from app.proxy.running import proxying
from app.store.database import Database

log = structlog.get_logger(__name__)


class Bound:
    """A server on a socket that is open already, so that a taken port is an error and not an end later on."""

    def __init__(self, serving: Server, socket: socket) -> None:
        self._serving = serving
        self._socket = socket

    async def serve(self) -> None:
        await self._serving.serve(sockets=[self._socket])

    def leave(self) -> None:
        self._serving.leave()


@contextlib.asynccontextmanager
async def proxy_server(settings: Settings) -> AsyncIterator[Bound]:
    """The proxy, bound and ready to serve. Raises Misconfigured and the store's errors before anything is served."""
    address = Address(
        settings.proxy_host,
        settings.proxy_port,
        settings.proxy_certificate,
        settings.proxy_key,
        settings.proxy_plain,
    )
    address.check()
    identity = courier_identity(settings)
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(settings.database_url, settings.data))
        proxy = await stack.enter_async_context(proxying(database, identity))
        bound = stack.enter_context(contextlib.closing(listener(address)))
        log.info("the proxy serves", address=f"{address.scheme}://{address.host}:{address.port}")
        yield Bound(server(proxy, address), bound)
