"""The attempts under way in a repository, with every sign of life: enough to tell which tickets need a look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from app.store.database import Connection


@dataclass(frozen=True, slots=True)
class OpenAttempt:
    """`number` is the ticket's. `alive_at` is the newest sign of life, its claim included; `session_live` is None where
    it has no session. `begun` says that its session wrote something before the attempt was noted as started."""

    number: int
    claimed_at: datetime
    started_at: datetime | None
    alive_at: datetime
    session_live: bool | None
    begun: bool


OPEN: LiteralString = """
select number, claimed_at, started_at, greatest(claimed_at, started_at, heartbeat_at, wrote.at) as alive_at,
  case when session_id is null then null
       else coalesce(sessions.ended_at is null and sessions.expires_at > clock_timestamp(), false) end as session_live,
  started_at is null and wrote.at is not null as begun
from ticket_runs left join sessions on sessions.id = session_id
left join lateral (select max(coalesce(ledger.ended_at, alive_until)) as at from ledger
                   where ledger.session_id = ticket_runs.session_id) wrote on true
where ticket_runs.repository_id = %s and ticket_runs.ended_at is null order by number
"""


async def under_way(connection: Connection, repository_id: int) -> dict[int, OpenAttempt]:
    """By the ticket's number; a ticket has one at most."""
    cursor = connection.cursor(row_factory=class_row(OpenAttempt))
    await cursor.execute(OPEN, (repository_id,))
    return {each.number: each for each in await cursor.fetchall()}
