# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Attempts at a ticket. At most one of a ticket is open; times are the database's clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, LiteralString

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text

CostKind = Literal["hard", "soft"]


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt, from the claim to its end.

    `cost` is in US dollars and None while nothing is known of it; `cost_kind` says whether it was metered before it was
    spent (`hard`) or reported afterwards (`soft`). `minutes` are those from the start to the end, or until now. An
    attempt ends with its verdict, so the runs of CI and of the verifier are within them.
    """

    id: int
    repository_id: int
    number: int
    attempt: int
    revision: int
    agent: str
    pool: str | None
    branch: str  # full ref
    session_id: int | None
    claimed_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    minutes: float
    cost: Decimal | None
    cost_kind: CostKind
    step: int | None
    steps: int | None
    percent: int | None
    doing: str | None
    blocker: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """What an agent says about its attempt; None says nothing new. `cost` is the attempt's total so far."""

    step: int | None = None
    steps: int | None = None
    percent: int | None = None
    doing: str | None = None
    blocker: str | None = None
    cost: Decimal | None = None
    cost_kind: CostKind = "soft"


@dataclass(frozen=True, slots=True)
class Spent:
    """What attempts used: how many began, their minutes, and their cost as far as it is known; of that what was only
    reported, and in how many of the minutes.
    """

    attempts: int
    minutes: float
    cost: Decimal
    soft_cost: Decimal = Decimal(0)
    soft_minutes: float = 0.0


MINUTES = "(coalesce(extract(epoch from coalesce(ended_at, clock_timestamp()) - started_at), 0) / 60)::float8"
COLUMNS = (
    "id, repository_id, number, attempt, revision, agent, pool, branch, session_id, claimed_at, started_at, "
    f"heartbeat_at, ended_at, outcome, {MINUTES} as minutes, cost, cost_kind, step, steps, percent, doing, blocker"
)
OWN = "repository_id = %s and number = %s"
BEGIN = f"""
insert into ticket_runs (repository_id, number, attempt, revision, agent, pool, branch, session_id)
values (%s, %s, %s, %s, %s, %s, %s, %s) returning {COLUMNS}
"""
# An attempt's cost only grows: a report that comes late, or from an agent that began anew, takes nothing back. What is
# metered stays so, whatever an agent adds to it.
REPORT = f"""
update ticket_runs set heartbeat_at = clock_timestamp(), started_at = coalesce(started_at, clock_timestamp()),
  step = coalesce(%s, step), steps = coalesce(%s, steps), percent = coalesce(%s, percent),
  doing = coalesce(%s, doing), blocker = coalesce(%s, blocker), cost = greatest(cost, %s),
  cost_kind = case when %s::numeric is null or cost_kind = 'hard' then cost_kind else %s end
where id = %s and ended_at is null returning {COLUMNS}
"""
SOFT = "cost_kind = 'soft'"
# What independent judges cost is the ticket's too, and is neither metered by its key nor bounded by its minutes.
JUDGES = "(select coalesce(sum(cost), 0) from opinions where repository_id = %(repository)s and {})"
SUMS = (
    "count(distinct (number, attempt)) filter (where started_at is not null or ended_at is null), "
    f"coalesce(sum({MINUTES}), 0)::float8, coalesce(sum(cost), 0) + {{}}, "
    f"coalesce(sum(cost) filter (where {SOFT}), 0), coalesce(sum({MINUTES}) filter (where {SOFT}), 0)::float8"
)
# An attempt that goes on after an answer began when it was claimed first; one that never started gave its number to the
# next. None lasts longer than a week.
DAY = f"""
with held as (
  select ticket_runs.*, coalesce(told.cost, 0) as told, case when started_at is null then 0 else greatest(0, extract(
    epoch from coalesce(ended_at, clock_timestamp()) - greatest(started_at, %(begun)s)) / 60)::float8 end as within,
    claimed_at >= %(begun)s and not exists (select from ticket_runs earlier where earlier.number = ticket_runs.number
      and earlier.repository_id = %(repository)s and earlier.attempt = ticket_runs.attempt
      and earlier.claimed_at < %(begun)s and earlier.started_at is not null) as begins
  from ticket_runs left join ticket_costs told on run_id = id and day = (%(begun)s at time zone 'UTC')::date
  where ticket_runs.repository_id = %(repository)s and claimed_at >= %(begun)s - interval '8 days'
    and (ended_at is null or ended_at >= %(begun)s or told.cost > 0)
)
select count(distinct (number, attempt)) filter (where begins and (started_at is not null or ended_at is null)),
  coalesce(sum(within), 0)::float8,
  coalesce(sum(told), 0) + {JUDGES.format("asked_at >= %(begun)s - interval '1 day' and ended_at >= %(begun)s")},
  coalesce(sum(told) filter (where {SOFT}), 0), coalesce(sum(within) filter (where {SOFT}), 0)::float8
from held
"""


async def begin(
    connection: Connection,
    repository_id: int,
    number: int,
    *,
    revision: int,
    agent: str,
    pool: str | None,
    branch: str,
    session_id: int | None = None,
    counted: bool = True,
) -> Run:
    """A new attempt, counted. The caller holds the row of the ticket, which has no open one (or UniqueViolation).

    Not `counted`: the attempt before goes on, after a person's answer. `branch` is a full ref.
    """
    cursor = await connection.execute(
        f"update tickets set attempts = attempts + %s where {OWN} returning attempts",
        (int(counted), repository_id, number),
    )
    row = await cursor.fetchone()
    attempt = row[0] if row else 1
    names = (text(agent), None if pool is None else text(pool), text(branch))
    return await _must(connection, BEGIN, repository_id, number, attempt, revision, *names, session_id)


async def report(connection: Connection, run_id: int, progress: Progress) -> Run | None:
    """A sign of life, the first of which starts the attempt's clock. None when the attempt has ended."""
    words = [None if each is None else text(each) for each in (progress.doing, progress.blocker)]
    return await _one(
        connection,
        REPORT,
        *(progress.step, progress.steps, progress.percent, *words),
        *(progress.cost, progress.cost, progress.cost_kind, run_id),
    )


async def clear_blocker(connection: Connection, run_id: int) -> None:
    await connection.execute("update ticket_runs set blocker = null where id = %s", (run_id,))


async def set_session(connection: Connection, run_id: int, session_id: int) -> None:
    await connection.execute("update ticket_runs set session_id = %s where id = %s", (session_id, run_id))


async def end_open(connection: Connection, repository_id: int, number: int, *, outcome: str) -> Run | None:
    """End the ticket's open attempt, if there is one. One that never started is not counted."""
    run = await _one(
        connection,
        f"update ticket_runs set ended_at = clock_timestamp(), outcome = %s where {OWN} and ended_at is null "
        f"returning {COLUMNS}",
        *(outcome, repository_id, number),
    )
    if run is not None and run.started_at is None:
        await connection.execute(
            f"update tickets set attempts = greatest(attempts - 1, 0) where {OWN}", (repository_id, number)
        )
    return run


async def open_run(connection: Connection, repository_id: int, number: int) -> Run | None:
    return await _one(
        connection, f"select {COLUMNS} from ticket_runs where {OWN} and ended_at is null", repository_id, number
    )


async def of_session(connection: Connection, session_id: int) -> Run | None:
    """The newest attempt that a session was opened for."""
    return await _one(
        connection, f"select {COLUMNS} from ticket_runs where session_id = %s order by id desc limit 1", session_id
    )


async def newest(connection: Connection, repository_id: int, number: int) -> Run | None:
    """The attempt that began last, under way or ended."""
    return await _one(
        connection, f"select {COLUMNS} from ticket_runs where {OWN} order by id desc limit 1", repository_id, number
    )


async def ticket_of_branch(connection: Connection, repository_id: int, branch: str) -> int | None:
    """The ticket whose newest attempt works on a branch (full ref)."""
    cursor = await connection.execute(
        "select number from ticket_runs where repository_id = %s and branch = %s order by id desc limit 1",
        (repository_id, text(branch)),
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def of_ticket(connection: Connection, repository_id: int, number: int) -> list[Run]:
    """Its attempts, the oldest first; those that never started too."""
    cursor = connection.cursor(row_factory=class_row(Run))
    await cursor.execute(f"select {COLUMNS} from ticket_runs where {OWN} order by id", (repository_id, number))
    return await cursor.fetchall()


async def spent_by(connection: Connection, repository_id: int, number: int) -> Spent:
    """What a ticket used so far."""
    sums = SUMS.format(JUDGES.format("ticket = %(number)s"))
    own = {"repository": repository_id, "number": number}
    return await _spent(
        connection,
        f"select {sums} from ticket_runs where repository_id = %(repository)s and number = %(number)s",
        own,
    )


async def spent_by_each(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, Spent]:
    """The same for many tickets, by number; one without an attempt is missing."""
    sums = SUMS.format(JUDGES.format("ticket = ticket_runs.number"))
    cursor = await connection.execute(
        f"select number, {sums} from ticket_runs where repository_id = %(repository)s and number = any(%(numbers)s) "
        "group by number",
        {"repository": repository_id, "numbers": sorted(numbers)},
    )
    return {row[0]: Spent(*row[1:]) for row in await cursor.fetchall()}


async def spent_on(connection: Connection, repository_id: int, begun: datetime) -> Spent:
    """What a repository used of the day that began then: attempts that began in it, minutes and dollars of all that
    were at work in it. Dollars are those that were told in it, by agents, gateway or judges."""
    return await _spent(connection, DAY, {"repository": repository_id, "begun": begun})


async def ended_by(connection: Connection, repository_id: int, since: datetime, outcome: str) -> tuple[int, int]:
    """Attempts of a repository that ended since then: how many by that event, and how many at all."""
    cursor = await connection.execute(
        "select count(*) filter (where outcome = %s), count(*) from ticket_runs "
        "where repository_id = %s and claimed_at >= %s - interval '7 days' and ended_at >= %s",
        (outcome, repository_id, since, since),
    )
    row = await cursor.fetchone()
    return (row[0], row[1]) if row else (0, 0)


async def open_count(connection: Connection, repository_id: int, pool: str | None = None) -> int:
    """Attempts under way in a repository, or in one of its pools."""
    cursor = await connection.execute(
        "select count(*) from ticket_runs where repository_id = %s and ended_at is null "
        "and (%s::text is null or pool = %s)",
        (repository_id, pool, pool),
    )
    row = await cursor.fetchone()
    return row[0] if row else 0


async def _spent(connection: Connection, sql: LiteralString, parameters: Mapping[str, Any]) -> Spent:
    row = await (await connection.execute(sql, parameters)).fetchone()
    return Spent(*row) if row else Spent(0, 0.0, Decimal(0))


async def _one(connection: Connection, sql: LiteralString, *parameters: Any) -> Run | None:
    cursor = connection.cursor(row_factory=class_row(Run))
    await cursor.execute(sql, parameters)
    return await cursor.fetchone()


async def _must(connection: Connection, sql: LiteralString, *parameters: Any) -> Run:
    run = await _one(connection, sql, *parameters)
    assert run is not None
    return run
