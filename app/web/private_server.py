"""The private listener of any process: on loopback unless it is told else, and no reason to end when it cannot be."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import structlog
import uvicorn

from app.web.server import Server

log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def serving_privately(host: str, port: int, application: Any) -> AsyncIterator[None]:
    """Serve an ASGI application while the block lasts; nothing at port 0.

    A port that is taken is said in the log and no reason to stop: what is watched works without being watched.
    """
    bound = _bound(host, port) if port else None
    if bound is None:
        yield
        return
    config = uvicorn.Config(
        application,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    task = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        yield
    finally:
        server.leave()
        await asyncio.gather(task, return_exceptions=True)
        bound.close()


def _bound(host: str, port: int) -> socket.socket | None:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as wrong:
        log.warning(
            "metrics are not served; set MERGEGATE_METRICS_PORT to a free port, or to 0",
            address=f"{host}:{port}",
            because=str(wrong),
        )
        return None
