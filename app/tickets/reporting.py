"""The week's numbers of a repository's tickets, as the store has them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.store.database import Connection
from app.store.tickets import history, steps
from policies.tickets.metrics import Metrics, measure
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
    records = await history.read_records(connection, repository_id, week)
    step = await steps.newest(connection, repository_id)
    scale = (
        ScaleShown(STEPS[0], raised=False, because=NOT_DECIDED)
        if step is None
        else ScaleShown(step.step, step.raised, tuple(step.because))
    )
    return Report(measure(records, week, now), measure(records, week.before(1), now), scale)
