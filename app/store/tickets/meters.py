# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Keys for models that sessions of tickets were given, and what was spent with them. Amounts are US dollars."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from psycopg.rows import class_row

from app.store.database import Connection


@dataclass(frozen=True, slots=True)
class Meter:
    """The key of one session. `borne` says whether the session's newest attempt is one whose cost is metered, `live`
    whether the session is live, `expires_at` when it ends by itself, `outlived` that this is later than the key's own
    end, `expired` that the key's time is over for certain, `rested` that it has been blocked for so long that what it
    spent is written down at the gateway."""

    session_id: int
    key_hash: str
    budget: Decimal
    spend: Decimal
    blocked_at: datetime | None
    live: bool
    expires_at: datetime
    outlived: bool
    expired: bool
    rested: bool
    borne: bool


OPEN = """
select session_id, key_hash, budget, spend, blocked_at,
  (sessions.ended_at is null and sessions.expires_at > clock_timestamp()) as live,
  sessions.expires_at, sessions.expires_at > session_meters.expires_at as outlived,
  session_meters.expires_at < clock_timestamp() - interval '1 minute' as expired,
  coalesce(blocked_at < clock_timestamp() - interval '1 minute', false) as rested,
  not exists (select from ticket_runs where id = (select max(id) from ticket_runs as own
    where own.session_id = session_meters.session_id) and cost_kind <> 'hard') as borne
from session_meters join sessions on sessions.id = session_id
where session_meters.repository_id = %s and number = %s and settled_at is null order by session_id
"""
NEWEST = "(select max(id) from ticket_runs where session_id = %(session)s)"
# The attempts of a session share its key: what the earlier ones used is not the newest one's.
TO_RUN = f"""
update ticket_runs set cost_kind = 'hard', cost = greatest(cost, 0, %(spend)s - coalesce((select sum(other.cost)
  from ticket_runs as other where other.session_id = %(session)s and other.id <> {NEWEST}), 0))
where id = {NEWEST}
"""


async def add(
    connection: Connection,
    session_id: int,
    repository_id: int,
    number: int,
    *,
    key_hash: str,
    budget: Decimal,
    expires_at: datetime,
) -> None:
    """The key that a session was given; the costs of its attempts are hard from now on."""
    await connection.execute(
        "insert into session_meters (session_id, repository_id, number, key_hash, budget, expires_at) "
        "values (%s, %s, %s, %s, %s, %s)",
        (session_id, repository_id, number, key_hash, budget, expires_at),
    )
    await connection.execute(TO_RUN, {"session": session_id, "spend": Decimal(0)})


async def unsettled(connection: Connection, repository_id: int, number: int) -> list[Meter]:
    """Keys of a ticket that may still be used, or whose last spend was not read yet."""
    cursor = connection.cursor(row_factory=class_row(Meter))
    await cursor.execute(OPEN, (repository_id, number))
    return await cursor.fetchall()


async def spent(connection: Connection, session_id: int, spend: Decimal) -> None:
    """What a key has spent in all, which never becomes less; the session's newest attempt bears the difference."""
    await connection.execute(
        "update session_meters set spend = greatest(spend, %s) where session_id = %s", (spend, session_id)
    )
    await connection.execute(TO_RUN, {"session": session_id, "spend": spend})


async def renewed(connection: Connection, session_id: int, budget: Decimal, expires_at: datetime) -> None:
    """What the key may spend in all, and until when."""
    await connection.execute(
        "update session_meters set budget = %s, expires_at = %s where session_id = %s",
        (budget, expires_at, session_id),
    )


async def blocked(connection: Connection, session_id: int) -> None:
    await connection.execute(
        "update session_meters set blocked_at = coalesce(blocked_at, clock_timestamp()) where session_id = %s",
        (session_id,),
    )


async def settled(connection: Connection, session_id: int) -> None:
    await connection.execute(
        "update session_meters set settled_at = clock_timestamp() where session_id = %s", (session_id,)
    )
