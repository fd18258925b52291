"""The gate's private listener: health, readiness in words, and metrics of this process.

It is there for every part, also for workers, which listen to nothing else, and ends after all the others.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI

from app.web.health import health_router, metrics_router
from app.web.metrics import Sources
from app.web.private_server import serving_privately
from app.web.readiness import Readiness


@contextlib.asynccontextmanager
async def private_listener(host: str, port: int, readiness: Readiness, sources: Sources) -> AsyncIterator[None]:
    """Serve while the block lasts; nothing at port 0, nor at one that is taken."""
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    application.include_router(health_router(readiness, details=True))
    application.include_router(metrics_router(sources.exposition))
    async with serving_privately(host, port, application):
        yield
