"""`/healthz` and `/readyz` for probes, and `/metrics` for Prometheus.

What is wrong is told in words only where the private listener answers: the public one names the part.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import prometheus_client
from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.store.database import DatabaseAway
from app.web.readiness import Readiness


def health_router(readiness: Readiness, *, details: bool = False) -> APIRouter:
    router = APIRouter()

    @router.get("/healthz")
    async def healthz() -> JSONResponse:
        """200 while the database answers, 503 when it does not."""
        try:
            await readiness.database.query("select 1")
        except DatabaseAway as away:
            return JSONResponse({"status": "database away"} | ({"because": str(away)} if details else {}), 503)
        return JSONResponse({"status": "ok"})

    @router.get("/readyz")
    async def readyz() -> JSONResponse:
        """200 while work can be done here; 503 with the parts that keep it from it, also while it drains."""
        troubles = await readiness.troubles()
        said = troubles if details else sorted(troubles)
        return JSONResponse(
            {"status": "not ready" if troubles else "ready", "troubles": said}, 503 if troubles else 200
        )

    return router


def metrics_router(exposition: Callable[[], Awaitable[bytes]]) -> APIRouter:
    router = APIRouter()

    @router.get("/metrics")
    async def metrics() -> Response:
        return Response(await exposition(), media_type=prometheus_client.CONTENT_TYPE_LATEST)

    return router
