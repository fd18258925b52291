"""What every process shows at a scrape, the proxy that runs alone too: its version, its database, agents' sessions."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from typing import LiteralString

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.store.database import Database

OPEN_SESSIONS: LiteralString = """
select count(*) filter (where frozen_at is null), count(*) filter (where frozen_at is not null)
from sessions where ended_at is null and expires_at > now()
"""
WRITES_OF_AN_HOUR: LiteralString = """
select case when route = 'push' then 'push' else 'api' end, coalesce(outcome, 'open'), count(*), coalesce(sum(bytes), 0)
from ledger where began_at > now() - interval '1 hour' group by 1, 2
"""


def exposed(found: Sequence[Metric]) -> bytes:
    """What was counted in this process, and what was found just now, in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Found(found))
    return generate_latest(REGISTRY) + generate_latest(registry)


class _Found(Collector):
    def __init__(self, found: Sequence[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        yield from self._found


def build() -> list[Metric]:
    made = GaugeMetricFamily("mergegate_build_info", "The version that runs", labels=["version"])
    made.add_metric([importlib.metadata.version("mergegate")], 1)
    return [made]


def database_up(value: int) -> Metric:
    up = GaugeMetricFamily("mergegate_database_up", "Whether the database answered this scrape")
    up.add_metric([], value)
    return up


def pool(database: Database) -> list[Metric]:
    connections = GaugeMetricFamily("mergegate_database_pool_connections", "Connections of the pool", labels=["state"])
    stats = database.pool_stats()
    connections.add_metric(["open"], stats.get("pool_size", 0))
    connections.add_metric(["idle"], stats.get("pool_available", 0))
    waiting = GaugeMetricFamily("mergegate_database_pool_waiting", "Callers that wait for a connection")
    waiting.add_metric([], stats.get("requests_waiting", 0))
    return [connections, waiting]


async def of_sessions(database: Database) -> list[Metric]:
    """Raises DatabaseAway."""
    (usable, frozen), *_ = await database.query(OPEN_SESSIONS)
    sessions = GaugeMetricFamily("mergegate_proxy_sessions", "Sessions of agents by state", labels=["state"])
    sessions.add_metric(["open"], usable)
    sessions.add_metric(["frozen"], frozen)
    writes = GaugeMetricFamily(
        "mergegate_proxy_recent_writes", "Writes of sessions in the last hour", labels=["route", "outcome"]
    )
    sizes = GaugeMetricFamily("mergegate_proxy_recent_bytes", "Bytes pushed in the last hour", labels=["outcome"])
    for route, outcome, number, size in await database.query(WRITES_OF_AN_HOUR):
        writes.add_metric([route, outcome], number)
        if route == "push":
            sizes.add_metric([outcome], float(size))
    return [sessions, writes, sizes]
