"""Tickets at the moment of a scrape. A week's numbers are those of `mergegate report`, and too dear for a scrape."""

from __future__ import annotations

from typing import LiteralString

from prometheus_client.core import GaugeMetricFamily, Metric

from app.store.database import Database
from app.store.tickets import canaries
from policies.tickets.scale import STEPS
from policies.tickets.states import State

# A repository that the installation lost goes by its number.
STATES: LiteralString = """
select coalesce(max(owner || '/' || name), repository_id::text), state, count(*),
  max(extract(epoch from now() - since))::float8
from tickets left join repositories using (repository_id) where repository_id > 0 group by repository_id, state
"""
PLACES: LiteralString = """
select coalesce(max(owner || '/' || name), repository_id::text),
  (select step from ticket_steps where ticket_steps.repository_id = tickets.repository_id order by week desc limit 1)
from tickets left join repositories using (repository_id) where repository_id > 0 group by repository_id
"""
# A row for each limit, and one over all of them: `what` is null there.
RAISED: LiteralString = """
select coalesce(max(owner || '/' || name), repository_id::text), what, count(*),
  percentile_cont(0.5) within group (order by became / usual)
from ticket_raises left join repositories using (repository_id)
where repository_id > 0 and at >= date_trunc('week', now(), 'UTC')
group by grouping sets ((repository_id, what), (repository_id))
"""


async def ticket_metrics(database: Database) -> list[Metric]:
    """By repository: tickets by state, how long the oldest has waited for a person, how many may be in work.

    And whether canary tickets were stopped, which are not among them.
    """
    tickets = GaugeMetricFamily("mergegate_tickets", "Tickets by state", labels=["repository", "state"])
    oldest = GaugeMetricFamily(
        "mergegate_tickets_oldest_needs_human_seconds", "How long a person is waited for", labels=["repository"]
    )
    for repository, state, count, seconds in await database.query(STATES):
        tickets.add_metric([repository, state], count)
        if state == State.NEEDS_HUMAN:
            oldest.add_metric([repository], seconds)
    step = GaugeMetricFamily("mergegate_tickets_step", "Tickets that may be in work at a time", labels=["repository"])
    for repository, allowed in await database.query(PLACES):
        step.add_metric([repository], STEPS[0] if allowed is None else allowed)
    return [tickets, oldest, step, *await _raises(database), *await _canaries(database)]


async def _raises(database: Database) -> list[Metric]:
    """What people gave tickets of a repository in the week (UTC) that lasts; none where they gave nothing."""
    raised = GaugeMetricFamily(
        "mergegate_tickets_limits_raised", "Limits that people raised this week", labels=["repository", "limit"]
    )
    drift = GaugeMetricFamily(
        "mergegate_tickets_cap_drift", "Median of this week's raised limits over the default", labels=["repository"]
    )
    for repository, what, count, median in await database.query(RAISED):
        if what is not None:
            raised.add_metric([repository, what], count)
        elif median is not None:
            drift.add_metric([repository], median)
    return [raised, drift]


async def _canaries(database: Database) -> list[Metric]:
    """Nothing before the first one has run."""
    async with database.transaction() as connection:
        newest, missed = await canaries.newest(connection), await canaries.missed(connection)
    held_up = GaugeMetricFamily("mergegate_canary_missed", "1 while no ticket is handed out, as a stop was missed")
    tried = GaugeMetricFamily("mergegate_canary_timestamp_seconds", "When canary tickets ran last")
    if newest is not None:
        held_up.add_metric([], 0 if missed is None else 1)
        tried.add_metric([], newest.timestamp())
    return [held_up, tried]
