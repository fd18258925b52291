"""What a proxy tells of itself to those who run it: on its private listener, where it runs without the gate.

Health and readiness in words, and metrics. GitHub's outage is no reason not to be ready: another process would fare no
better, and what is under way is said to agents as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import prometheus_client
from prometheus_client.core import GaugeMetricFamily, Metric

from app.proxy.describing import json_answer
from app.proxy.flights import Flights
from app.proxy.health import Health
from app.proxy.incoming import Receive, Scope, Send, answer
from app.store.database import Database, DatabaseAway
from app.web.database_health import database_trouble
from app.web.process_metrics import build, database_up, exposed, of_sessions, pool
from app.web.troubles import troubles_of


@dataclass(frozen=True, slots=True)
class Watched:
    database: Database
    health: Health
    flights: Flights


class PrivatePages:
    """An ASGI application; `draining` says whether the process was told to end. `now` is a clock for people."""

    def __init__(
        self, watched: Watched, draining: Callable[[], bool], now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._watched = watched
        self._draining = draining
        self._now = now

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        match scope["path"]:
            case "/healthz":
                await self._healthz(send)
            case "/readyz":
                await self._readyz(send)
            case "/metrics":
                await answer(send, 200, await self._metrics(), prometheus_client.CONTENT_TYPE_LATEST)
            case _:
                await json_answer(send, 404, {"message": "/healthz, /readyz and /metrics are here"})

    async def _healthz(self, send: Send) -> None:
        because = await database_trouble(self._watched.database)
        found = {"status": "ok"} if because is None else {"status": "database away", "because": because}
        await json_answer(send, 200 if because is None else 503, found | self._watched.health.as_json())

    async def _readyz(self, send: Send) -> None:
        troubles = await troubles_of(self._watched.database, draining=self._draining())
        status = "not ready" if troubles else "ready"
        await json_answer(send, 503 if troubles else 200, {"status": status, "troubles": troubles})

    async def _metrics(self) -> bytes:
        """Without those of the database while it is away."""
        watched, found = self._watched, [*build(), *pool(self._watched.database), *self._now_metrics()]
        try:
            found += [*await of_sessions(watched.database), database_up(1)]
        except DatabaseAway:
            found.append(database_up(0))
        return exposed(found)

    def _now_metrics(self) -> list[Metric]:
        under_way = GaugeMetricFamily("mergegate_proxy_requests_under_way", "Requests of sessions under way")
        under_way.add_metric([], self._watched.flights.number)
        failing = GaugeMetricFamily(
            "mergegate_proxy_github_failing_seconds",
            "How long git's service of GitHub has not answered as it should; 0: it does",
            labels=["direction"],
        )
        for direction, state in self._watched.health.directions.items():
            since = state.failing_since
            failing.add_metric([direction], 0.0 if since is None else (self._now() - since).total_seconds())
        return [under_way, failing]
