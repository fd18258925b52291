"""What is read at the moment of a scrape: work, budgets, the pool, sessions. What happens is counted where it happens.

Every process shows the same numbers of the database, so that any one of them suffices; alerts take the highest.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.github.clients import GitHubApp
from app.store import work
from app.store.database import Database, DatabaseAway
from app.web.push_metrics import push_metrics
from app.web.ticket_metrics import ticket_metrics

OPEN_SESSIONS: LiteralString = """
select count(*) filter (where frozen_at is null), count(*) filter (where frozen_at is not null)
from sessions where ended_at is null and expires_at > now()
"""
WRITES_OF_AN_HOUR: LiteralString = """
select case when route = 'push' then 'push' else 'api' end, coalesce(outcome, 'open'), count(*), coalesce(sum(bytes), 0)
from ledger where began_at > now() - interval '1 hour' group by 1, 2
"""
LAST_DELIVERY: LiteralString = "select extract(epoch from max(received_at))::float8 from deliveries"


@dataclass(frozen=True)
class Sources:
    database: Database
    github: GitHubApp

    async def exposition(self) -> bytes:
        """All metrics in Prometheus' text format; without those of the database while it is away."""
        found = [*_build(), *_children(), *self._budgets(), *self._pool()]
        try:
            found += [_up(1), *await self._work(), *await self._proxy(), *await self._deliveries()]
            found += [*await ticket_metrics(self.database), *await push_metrics(self.database)]
        except DatabaseAway:
            found.append(_up(0))
        registry = CollectorRegistry()
        registry.register(_Read(found))
        return generate_latest(REGISTRY) + generate_latest(registry)

    async def _work(self) -> list[Metric]:
        counts = await work.counts(self.database)
        keys = GaugeMetricFamily("mergegate_work_keys", "Keys of work by state", labels=["state"])
        states = {"due": counts.due, "later": counts.later, "in_work": counts.leased, "parked": counts.parked}
        for state, number in states.items():
            keys.add_metric([state], number)
        oldest = GaugeMetricFamily("mergegate_work_oldest_due_seconds", "How long the key waits that is due longest")
        oldest.add_metric([], max(counts.oldest, 0.0))
        return [keys, oldest]

    async def _proxy(self) -> list[Metric]:
        (usable, frozen), *_ = await self.database.query(OPEN_SESSIONS)
        sessions = GaugeMetricFamily("mergegate_proxy_sessions", "Sessions of agents by state", labels=["state"])
        sessions.add_metric(["open"], usable)
        sessions.add_metric(["frozen"], frozen)
        writes = GaugeMetricFamily(
            "mergegate_proxy_recent_writes", "Writes of sessions in the last hour", labels=["route", "outcome"]
        )
        sizes = GaugeMetricFamily("mergegate_proxy_recent_bytes", "Bytes pushed in the last hour", labels=["outcome"])
        for route, outcome, number, size in await self.database.query(WRITES_OF_AN_HOUR):
            writes.add_metric([route, outcome], number)
            if route == "push":
                sizes.add_metric([outcome], float(size))
        return [sessions, writes, sizes]

    async def _deliveries(self) -> list[Metric]:
        last = GaugeMetricFamily("mergegate_last_delivery_timestamp_seconds", "When the last delivery was taken in")
        moment = (await self.database.query(LAST_DELIVERY))[0][0]
        if moment is not None:
            last.add_metric([], moment)
        return [last]

    def _budgets(self) -> list[Metric]:
        names = ["installation", "resource"]
        left = GaugeMetricFamily("mergegate_github_budget_remaining", "What is left of an hourly budget", labels=names)
        limit = GaugeMetricFamily("mergegate_github_budget_limit", "What an hourly budget begins with", labels=names)
        reset = GaugeMetricFamily(
            "mergegate_github_budget_reset_timestamp_seconds", "When an hourly budget begins anew", labels=names
        )
        for installation_id, client in self.github.clients():
            for resource, budget in client.budget.left.items():
                labels = ["" if installation_id is None else str(installation_id), resource]
                left.add_metric(labels, budget.remaining)
                limit.add_metric(labels, budget.limit)
                reset.add_metric(labels, budget.reset)
        return [left, limit, reset]

    def _pool(self) -> list[Metric]:
        pool = GaugeMetricFamily("mergegate_database_pool_connections", "Connections of the pool", labels=["state"])
        stats = self.database.pool_stats()
        pool.add_metric(["open"], stats.get("pool_size", 0))
        pool.add_metric(["idle"], stats.get("pool_available", 0))
        waiting = GaugeMetricFamily("mergegate_database_pool_waiting", "Callers that wait for a connection")
        waiting.add_metric([], stats.get("requests_waiting", 0))
        return [pool, waiting]


class _Read(Collector):
    def __init__(self, found: list[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        yield from self._found


def _up(value: int) -> Metric:
    up = GaugeMetricFamily("mergegate_database_up", "Whether the database answered this scrape")
    up.add_metric([], value)
    return up


def _build() -> list[Metric]:
    build = GaugeMetricFamily("mergegate_build_info", "The version that runs", labels=["version"])
    build.add_metric([importlib.metadata.version("mergegate")], 1)
    return [build]


def _children() -> list[Metric]:
    """Processes that read logs, reports and diffs, and git; nothing where the system does not list them."""
    children = GaugeMetricFamily("mergegate_children", "Processes that this one has started and that still run")
    try:
        tasks = list(Path("/proc/self/task").iterdir())
        children.add_metric([], sum(len((task / "children").read_text().split()) for task in tasks))
    except OSError:
        pass
    return [children]
