"""The week's numbers of a repository's tickets, as the store has them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.store.database import Connection
from app.store.tickets import history, steps
from policies.tickets.metrics import Metrics, measure
from policies.tickets.records import Records
from policies.tickets.report import ScaleShown
from policies.tickets.scale import STEPS
from policies.tickets.week import Week

NOT_DECIDED = ("no week was looked at yet",)


@dataclass(frozen=True, slots=True)
class Report:
    """A week, the one before it, and what the scale rule says now."""

    this: Metrics
    before: Metrics
    scale: ScaleShown


async def read_report(connection: Connection, repository_id: int, week: Week, now: datetime) -> Report:
    (before, this), scale = await read_weeks(connection, repository_id, week, 2, now)
    return Report(this, before, scale)


async def read_weeks(
    connection: Connection, repository_id: int, newest: Week, count: int, now: datetime
) -> tuple[tuple[Metrics, ...], ScaleShown]:
    """So many weeks, at least two, the oldest first, and what the scale rule says now."""
    weeks = [newest.before(before) for before in reversed(range(count))]
    # What is enough for a week and the one before it is enough for all that follow.
    records = await history.read_records(connection, repository_id, weeks[1])
    step = await steps.newest(connection, repository_id)
    scale = (
        ScaleShown(STEPS[0], raised=False, because=NOT_DECIDED)
        if step is None
        else ScaleShown(step.step, step.raised, tuple(step.because))
    )
    # Counting thousands of tickets takes a while, in which others are to be served.
    return await asyncio.to_thread(_measured, records, weeks, now), scale


def _measured(records: Records, weeks: Sequence[Week], now: datetime) -> tuple[Metrics, ...]:
    return tuple(measure(records, week, now) for week in weeks)
