"""`/healthz` for probes and `/metrics` for Prometheus."""

from __future__ import annotations

import prometheus_client
from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.store import work
from app.store.database import Database, DatabaseAway

PARKED = prometheus_client.Gauge("mergegate_parked_keys", "Keys that need a person or news")
WAITING = prometheus_client.Gauge("mergegate_due_keys", "Keys that are due and not in work")


def health_router(database: Database) -> APIRouter:
    router = APIRouter()

    @router.get("/healthz")
    async def healthz() -> JSONResponse:
        """200 while the database answers, 503 when it does not."""
        try:
            counts = await work.counts(database)
        except DatabaseAway as away:
            return JSONResponse({"status": "database away", "because": str(away)}, 503)
        return JSONResponse({"status": "ok", "due": counts.due, "in_work": counts.leased, "parked": counts.parked})

    @router.get("/metrics")
    async def metrics() -> Response:
        try:
            counts = await work.counts(database)
            PARKED.set(counts.parked)
            WAITING.set(counts.due)
        except DatabaseAway:
            PARKED.set(float("nan"))
        return Response(prometheus_client.generate_latest(), media_type=prometheus_client.CONTENT_TYPE_LATEST)

    return router
