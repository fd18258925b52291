# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What went up to people at the moment of a scrape, and whom it told within a day."""

from __future__ import annotations

from typing import LiteralString

from prometheus_client.core import GaugeMetricFamily, Metric

from app.store.database import Database

NAME: LiteralString = "coalesce(max(owner || '/' || name), repository_id::text)"
# With the closed ones, so that a cause that is over reads 0 and not the number that it had last.
OPEN: LiteralString = f"""
select {NAME}, cause, count(*) filter (where closed_at is null),
  count(*) filter (where opened_at > now() - interval '1 day')
from ticket_escalations left join repositories using (repository_id) group by repository_id, cause
"""
TOLD: LiteralString = f"""
select {NAME}, person, count(*) from ticket_pushes left join repositories using (repository_id)
where planned_at > now() - interval '1 day' and outcome = 'posted' group by repository_id, person
"""
CAPPED: LiteralString = f"""
select {NAME}, count(*) from ticket_escalations left join repositories using (repository_id)
where capped_at > now() - interval '1 day' group by repository_id
"""


async def push_metrics(database: Database) -> list[Metric]:
    """By repository: matters by cause, messages by person, matters that a person's full day held back."""
    standing = GaugeMetricFamily(
        "mergegate_escalations_open", "Matters that wait for a person", labels=["repository", "cause"]
    )
    opened = GaugeMetricFamily(
        "mergegate_escalations_day", "Matters that came up within a day", labels=["repository", "cause"]
    )
    for repository, cause, waiting, fresh in await database.query(OPEN):
        standing.add_metric([repository, cause], waiting)
        opened.add_metric([repository, cause], fresh)
    told = GaugeMetricFamily(
        "mergegate_pushes_day", "Messages to a person within a day", labels=["repository", "person"]
    )
    for repository, person, count in await database.query(TOLD):
        told.add_metric([repository, person], count)
    capped = GaugeMetricFamily(
        "mergegate_pushes_capped_day", "Matters that a full day of their person held back", labels=["repository"]
    )
    for repository, count in await database.query(CAPPED):
        capped.add_metric([repository], count)
    return [standing, opened, told, capped]
