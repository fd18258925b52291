"""What became of canary tickets, and the rows that they leave behind while they run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString

from psycopg.sql import SQL, Identifier

from app.store.database import Connection
from app.store.stored import text
from policies.tickets.canary import REPOSITORY, Missed, Ran
from policies.tickets.records import Canary

# Of each limit the newest try counts. Whoever let work begin has seen what was missed until then.
MISSED: LiteralString = """
select limit_name, (array_agg(seen order by ran_at desc, id desc))[1], min(ran_at) from canaries
where not passed and ran_at > coalesce((select max(lifted_at) from canary_lifts), '-infinity')
  and not exists (select from canaries better where better.limit_name = canaries.limit_name and better.passed
                  and (better.ran_at, better.id) > (canaries.ran_at, canaries.id))
group by limit_name order by 3, 1 limit 1
"""
BOARDS: LiteralString = """
select installation_id, repository_id from ticket_boards join repositories using (repository_id) order by repository_id
"""
LEFT_BEHIND = (
    *("tickets", "ticket_snapshots", "ticket_transitions", "ticket_runs", "ticket_questions", "ticket_messages"),
    "sessions",
)


async def alone(connection: Connection) -> bool:
    """Whether nobody else runs canaries, until the transaction ends. It does nothing meanwhile, for minutes if it must,
    and holds no row."""
    await connection.execute("set local idle_in_transaction_session_timeout = '6min'")
    sql = "select pg_try_advisory_xact_lock(hashtextextended('mergegate canaries', 0))"
    row = await (await connection.execute(sql)).fetchone()
    return row is not None and bool(row[0])


async def record(connection: Connection, ran: Ran, now: datetime) -> None:
    await _set_back(connection, now)
    await connection.execute(
        "insert into canaries (limit_name, passed, seen, took, ran_at) values (%s, %s, %s, %s, %s)",
        (ran.limit, ran.passed, text(ran.seen), ran.took, now),
    )


async def _set_back(connection: Connection, now: datetime) -> None:
    """What ran before counts as before, also where a clock that was ahead wrote its time: else a miss would outlast
    every try that passes, and every lift, until that time has come."""
    await connection.execute("update canaries set ran_at = %s where ran_at > %s", (now, now))


async def missed(connection: Connection) -> Missed | None:
    """Why nothing may begin: the first limit that did not hold, unless somebody has let work begin since."""
    row = await (await connection.execute(MISSED)).fetchone()
    return None if row is None else Missed(*row)


@dataclass(frozen=True, slots=True)
class Tried:
    """A limit as it was tried last."""

    limit: str
    passed: bool
    seen: str
    took: float
    at: datetime


LAST: LiteralString = """
select distinct on (limit_name) limit_name, passed, seen, took, ran_at from canaries
order by limit_name, ran_at desc, id desc
"""


async def last(connection: Connection) -> list[Tried]:
    """Every limit that was ever tried, by name."""
    return [Tried(*row) for row in await (await connection.execute(LAST)).fetchall()]


async def newest(connection: Connection) -> datetime | None:
    """When one ran last."""
    row = await (await connection.execute("select max(ran_at) from canaries")).fetchone()
    return None if row is None else row[0]


async def boards(connection: Connection) -> list[tuple[int, int]]:
    """Installation and repository of every board."""
    return [(row[0], row[1]) for row in await (await connection.execute(BOARDS)).fetchall()]


async def lift(connection: Connection, by: str, because: str, now: datetime) -> None:
    """Work may begin in spite of everything that was missed until now."""
    await _set_back(connection, now)
    await connection.execute(
        "insert into canary_lifts (lifted_by, because, lifted_at) values (%s, %s, %s)", (text(by), text(because), now)
    )


async def ran_since(connection: Connection, since: datetime) -> tuple[Canary, ...] | None:
    """Every try since then, for the week's numbers; None where none ever ran."""
    if await newest(connection) is None:
        return None
    cursor = await connection.execute(
        "select ran_at, passed from canaries where ran_at >= %s order by ran_at, id", (since,)
    )
    return tuple(Canary(*row) for row in await cursor.fetchall())


async def backdate(connection: Connection, by: timedelta) -> None:
    """Let the attempt under way have begun so much earlier."""
    await connection.execute(
        "update ticket_runs set started_at = started_at - %s where repository_id = %s and ended_at is null",
        (by, REPOSITORY),
    )


async def clear(connection: Connection) -> None:
    """Take away everything that canaries have left, also those whose process was killed. Results stay."""
    for table in LEFT_BEHIND:
        await connection.execute(
            SQL("delete from {} where repository_id = %s").format(Identifier(table)), (REPOSITORY,)
        )
