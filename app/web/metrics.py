"""What is read at the moment of a scrape: work, budgets, the pool, sessions. What happens is counted where it happens.

Every process shows the same numbers of the database, so that any one of them suffices; alerts take the highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

from prometheus_client.core import GaugeMetricFamily, Metric

from app.github.clients import GitHubApp
from app.store import work
from app.store.database import Database, DatabaseAway
from app.web.process_metrics import build, database_up, exposed, of_sessions, pool
from app.web.push_metrics import push_metrics
from app.web.ticket_metrics import ticket_metrics

LAST_DELIVERY: LiteralString = "select extract(epoch from max(received_at))::float8 from deliveries"


@dataclass(frozen=True)
class Sources:
    database: Database
    github: GitHubApp

    async def exposition(self) -> bytes:
        """All metrics in Prometheus' text format; without those of the database while it is away."""
        found = [*build(), *_children(), *self._budgets(), *pool(self.database)]
        try:
            found += [database_up(1), *await self._work(), *await of_sessions(self.database), *await self._deliveries()]
            found += [*await ticket_metrics(self.database), *await push_metrics(self.database)]
        except DatabaseAway:
            found.append(database_up(0))
        return exposed(found)

    async def _work(self) -> list[Metric]:
        counts = await work.counts(self.database)
        keys = GaugeMetricFamily("mergegate_work_keys", "Keys of work by state", labels=["state"])
        states = {"due": counts.due, "later": counts.later, "in_work": counts.leased, "parked": counts.parked}
        for state, number in states.items():
            keys.add_metric([state], number)
        oldest = GaugeMetricFamily("mergegate_work_oldest_due_seconds", "How long the key waits that is due longest")
        oldest.add_metric([], max(counts.oldest, 0.0))
        return [keys, oldest]

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


def _children() -> list[Metric]:
    """Processes that read logs, reports and diffs, and git; nothing where the system does not list them."""
    children = GaugeMetricFamily("mergegate_children", "Processes that this one has started and that still run")
    try:
        tasks = list(Path("/proc/self/task").iterdir())
        children.add_metric([], sum(len((task / "children").read_text().split()) for task in tasks))
    except OSError:
        pass
    return [children]
