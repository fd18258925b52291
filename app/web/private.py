"""The private listener: health, readiness in words, and metrics of this process. On loopback unless it is told else.

It is there for every part, also for workers, which listen to nothing else, and ends after all the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import structlog
import uvicorn
from fastapi import FastAPI

from app.web.health import health_router, metrics_router
from app.web.metrics import Sources
from app.web.readiness import Readiness
from app.web.server import Server

log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def private_listener(host: str, port: int, readiness: Readiness, sources: Sources) -> AsyncIterator[None]:
    """Serve while the block lasts; nothing at port 0.

    A port that is taken is said in the log and no reason to stop: the gate works without being watched.
    """
    bound = _bound(host, port) if port else None
    if bound is None:
        yield
        return
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    application.include_router(health_router(readiness, details=True))
    application.include_router(metrics_router(sources.exposition))
    server = Server(
        uvicorn.Config(application, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=1)
    )
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
