"""The state of the gate in a few numbers, read in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection

OVERVIEW = """
select
  (select max(received_at) from deliveries) as last_delivery,
  (select max(decided_at) from decisions) as last_decision,
  (select count(*) from decisions where decided_at > now() - interval '1 hour') as decisions_of_an_hour,
  (select count(*) from pulls where open) as open_pulls,
  (select count(*) from repositories) as repositories,
  (select max(listed_at) from repositories) as last_listing,
  (select count(*) from sessions where ended_at is null and expires_at > now()) as open_sessions,
  clock_timestamp() as now
"""


@dataclass(frozen=True, slots=True)
class Overview:
    """`now` is the database's time; the ages of the others are counted from it."""

    last_delivery: datetime | None
    last_decision: datetime | None
    decisions_of_an_hour: int
    open_pulls: int
    repositories: int
    last_listing: datetime | None
    open_sessions: int
    now: datetime


async def overview(connection: Connection) -> Overview:
    cursor = connection.cursor(row_factory=class_row(Overview))
    await cursor.execute(OVERVIEW)
    row = await cursor.fetchone()
    assert row is not None
    return row
