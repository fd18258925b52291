"""uvicorn as a part of a process that has signals of its own: for pages, for what is private, and for the proxy."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.errors import ActionableError

HANDSHAKE_SECONDS = 10.0


class CannotListen(ActionableError, RuntimeError):
    """The address that the service is to be reached at is taken, or none of this machine's."""


class Server(uvicorn.Server):
    """uvicorn without its signal handlers, and with a limit for handshakes.

    It would raise the signal again when it has stopped serving, and that would end the process before the worker and
    the database are stopped.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen. Raises CannotListen.

        Until TLS is spoken a connection is not counted, and asyncio waits a minute for it unless it is told.

        uvicorn has no setting for that, so it is added where it asks for the server.
        """
        loop = asyncio.get_running_loop()
        create: Any = type(loop).create_server  # not the loop's own: another server may be starting

        async def limited(*arguments: Any, ssl: Any = None, **named: Any) -> asyncio.Server:
            more = {"ssl_handshake_timeout": HANDSHAKE_SECONDS} if ssl is not None else {}
            try:
                made: asyncio.Server = await create(loop, *arguments, ssl=ssl, **more, **named)
            except OSError as wrong:
                raise self._cannot_listen(wrong) from wrong  # of an OSError uvicorn would make an exit code of its own
            return made

        loop.create_server = limited  # type: ignore[method-assign]
        try:
            await super().startup(sockets)
        except CannotListen:
            await self.lifespan.shutdown()
            raise
        finally:
            vars(loop).pop("create_server", None)

    def _cannot_listen(self, wrong: OSError) -> CannotListen:
        because = os.strerror(wrong.errno) if wrong.errno is not None and wrong.errno > 0 else str(wrong)
        return CannotListen(
            f"cannot listen on {self.config.host}:{self.config.port}: {because}. End what listens there, or choose a "
            "free port with MERGEGATE_PORT and an address of this machine with MERGEGATE_HOST"
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self) -> None:
        """Stop listening and let requests under way end."""
        self.should_exit = True


def behind_proxies(application: ASGIApp) -> ASGIApp:
    """What trusted proxies say of a client (X-Forwarded-For, X-Forwarded-Proto) is believed, as uvicorn does by itself:
    https://www.uvicorn.org/deployment/#proxies-and-forwarded-headers. Deliveries are spared the search for it.
    """
    trusted = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")
    # Uvicorn's types of ASGI are dictionaries with named members, Starlette's are plain ones.
    return ProxyHeadersMiddleware(application, trusted)  # type: ignore[arg-type,return-value]
