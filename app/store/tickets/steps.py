"""The step of the scale rule in each repository: what was decided after a week, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.scale import STEPS, Decision


@dataclass(frozen=True, slots=True)
class Step:
    """What was decided after the week of that Monday (UTC). `because` says why the step is not a higher one."""

    week: date
    step: int
    raised: bool
    because: Sequence[str]
    decided_at: datetime


async def newest(connection: Connection, repository_id: int) -> Step | None:
    cursor = connection.cursor(row_factory=class_row(Step))
    await cursor.execute(
        "select week, step, raised, because, decided_at from ticket_steps where repository_id = %s "
        "order by week desc limit 1",
        (repository_id,),
    )
    return await cursor.fetchone()


async def current(connection: Connection, repository_id: int) -> int:
    """How many tickets may be in work: the first step until a week was looked at."""
    found = await newest(connection, repository_id)
    return STEPS[0] if found is None else found.step


async def save(connection: Connection, repository_id: int, week: date, decision: Decision) -> bool:
    """False when the week was decided before: what was decided first stands."""
    cursor = await connection.execute(
        "insert into ticket_steps (repository_id, week, step, raised, because) values (%s, %s, %s, %s, %s) "
        "on conflict do nothing",
        (repository_id, week, decision.step, decision.raised, [text(each) for each in decision.because]),
    )
    return cursor.rowcount == 1
