# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""The work table: keys that should be looked at (again).

A key is marked by whoever has news about it, claimed by one worker at a time under a lease, and gone when the worker
finishes without newer news. `generation` counts marks and `claimed` is the generation an attempt started from, so
"news came while it was in work" is `generation <> claimed` and nothing is ever lost.

Every time is computed by the database, by one clock for all machines. A condition on the present time uses
`clock_timestamp()`: PostgreSQL checks it again after waiting for a row, and `now()` would then be older than what
another worker has just written, so that its fresh lease would look like one from a clock set back. The statements
write LEASE, AHEAD and PARKS_AT as literals, to be read where they apply.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
from structlog.contextvars import get_contextvars

from app.store import stored
from app.store.database import Connection, Database, DatabaseAway

LEASE = timedelta(seconds=8)
AHEAD = timedelta(minutes=10)  # nothing is ever due later than this; a longer wait looks again and goes on sleeping
PARKS_AT = 12  # attempts
LATE = timedelta(minutes=2)  # that a due key waits; then somebody should look
CHANNEL = "mergegate_work"
LONGEST_ERROR = 4000  # characters of an error text that are kept
CUT_OFF = "the attempt before did not end: its worker died or lost the lease"

# News came while the key was in work: 250 ms, doubling to 5 s.
PACE = "least(5.0, 0.25 * 2 ^ least(rounds, 10)) * interval '1 second'"
# After the n-th attempt: 2^(n-1) s up to ten minutes, between half and all of it so that keys do not march in step.
BACK_OFF = "least(600, 2 ^ least(attempts - 1, 10)) * (0.5 + random() / 2) * interval '1 second'"
BACK_OFF_AT_CLAIM = "least(600, 2 ^ least(attempts, 10)) * (0.5 + random() / 2) * interval '1 second'"

MARK = """
insert into work (key, due_at, priority, periodic, delivery)
select key, now() + make_interval(secs => delay), priority, periodic, delivery
from json_to_recordset(%(marks)s) as mark (key text, delay float8, priority integer, periodic boolean, delivery text)
order by key collate "C"
on conflict (key) do update set
  generation = work.generation + 1,
  due_at = least(work.due_at, excluded.due_at),
  priority = greatest(work.priority, excluded.priority),
  periodic = work.periodic or excluded.periodic,
  delivery = coalesce(excluded.delivery, work.delivery),
  attempts = case when excluded.key = any(%(news)s::text[]) then 0 else work.attempts end,
  parked = work.parked and excluded.key <> all(%(news)s::text[])
"""

# A key that was claimed twelve times without coming to an end: parked, where it would be claimed once more.
WORN = "(attempts >= 12 and not periodic and generation is not distinct from claimed)"
# One key, or one that was just parked (its lease is null; ask again). `due_at` goes where a failure would put it, so
# that a key that kills its workers backs off like one that fails.
CLAIM = f"""
update work set
  lease = case when {WORN} then null else gen_random_uuid() end,
  leased_until = case when {WORN} then null else clock_timestamp() + interval '8 seconds' end,
  parked = {WORN},
  attempts = case when {WORN} then attempts else attempts + 1 end,
  due_at = clock_timestamp() + {BACK_OFF_AT_CLAIM},
  claimed = generation,
  last_error = case when lease is null then last_error else %(cut_off)s end
where key = (
  select key from work
  where not parked
    and (due_at <= clock_timestamp() or due_at > clock_timestamp() + interval '10 minutes')
    and (leased_until is null or leased_until <= clock_timestamp()
         or leased_until > clock_timestamp() + interval '8 seconds')
  order by (due_at at time zone 'UTC') - priority * interval '10 seconds', due_at
  limit 1 for update skip locked)
returning key, lease, claimed, attempts, periodic, priority, delivery, created_at
"""

RENEW = """
update work set leased_until = clock_timestamp() + interval '8 seconds' where key = %s and lease = %s returning true
"""
HOLDS = "select true from work where key = %s and lease = %s and leased_until > clock_timestamp()"

FINISH = "delete from work where key = %s and lease = %s and generation = claimed returning true"
# Only reached when news is waiting: nothing lowers `generation`, so the two statements need no common transaction.
AGAIN = f"""
update work set lease = null, leased_until = null, attempts = 0, last_error = null,
  due_at = clock_timestamp() + {PACE}, rounds = rounds + 1
where key = %s and lease = %s returning true
"""
FAIL = f"""
update work set lease = null, leased_until = null, last_error = %(error)s,
  parked = generation = claimed and attempts >= 12 and not periodic,
  due_at = clock_timestamp() + case when generation <> claimed then {PACE}
    else coalesce(%(after)s::interval, {BACK_OFF}) end,
  rounds = case when generation = claimed then 0 else rounds + 1 end
where key = %(key)s and lease = %(lease)s returning true
"""
SLEEP = f"""
update work set lease = null, leased_until = null, last_error = null, attempts = 0,
  due_at = case when generation <> claimed then clock_timestamp() + {PACE}
    else least(coalesce(%(until)s::timestamptz, clock_timestamp() + %(delay)s::interval),
               clock_timestamp() + interval '10 minutes') end,
  rounds = case when generation = claimed then 0 else rounds + 1 end
where key = %(key)s and lease = %(lease)s returning true
"""
RELEASE = """
update work set lease = null, leased_until = null, attempts = greatest(attempts - 1, 0), due_at = clock_timestamp()
where key = %s and lease = %s returning true
"""

COUNTS = """
select count(*) filter (where free and due_at <= clock_timestamp()),
       count(*) filter (where free and due_at > clock_timestamp()),
       count(*) filter (where leased_until > clock_timestamp()),
       count(*) filter (where parked),
       count(*) filter (where free and rounds > 0),
       coalesce(extract(epoch from clock_timestamp()
         - min(due_at - least(priority, 0) * interval '10 seconds') filter (where free)), 0)::float8,
       extract(epoch from min(due_at) filter (where free and due_at > clock_timestamp()) - clock_timestamp())::float8
from (select *, not parked and (leased_until is null or leased_until <= clock_timestamp()) as free from work) as work
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A key to look at. `news` is something that happened; the resync, which only wants a look, says `news=False`.

    `delivery` is the id of the webhook delivery that it comes from, for the log. A mark that is made in the course of
    working on a key, or of taking a delivery in, need not name it.
    """

    key: str
    delay: timedelta = timedelta(0)
    priority: int = 0
    news: bool = True
    periodic: bool = False
    delivery: str | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a key, until it runs out or is lost. `attempts` counts this attempt.

    `generation` counts from `since`, when the key was marked first: one that is done is gone, and begins anew.
    """

    key: str
    id: UUID
    generation: int
    attempts: int
    periodic: bool
    priority: int
    delivery: str | None = None  # the last one that marked it, if one did
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    key: str
    attempts: int
    last_error: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Counts:
    """How many keys are due, due later, in work, parked; `again` of the first two were sent back by waiting news.

    `oldest` is the longest wait of a due key in seconds, less what its low priority lets it wait (0 or less if none
    waits longer), `following` the seconds until the next
    one is due that is not due yet, None if there is none.
    """

    due: int
    later: int
    leased: int
    parked: int
    again: int
    oldest: float
    following: float | None


async def mark(connection: Connection, marks: Sequence[Mark]) -> None:
    """Ask for a look at these keys, in the caller's transaction; the last thing that it does.

    News resets the attempts and unparks; resync does neither. The earlier due time and the higher priority win.
    """
    rows = _merged(marks)
    if not rows:
        return
    parameters = {
        "marks": stored.records([_record(row) for row in rows]),
        "news": [row.key for row in rows if row.news],
    }
    await connection.execute(MARK, parameters)
    await connection.execute(f"notify {CHANNEL}")


def _record(mark: Mark) -> dict[str, object]:
    """The columns, the delay in seconds."""
    return {
        "key": mark.key,
        "delay": _bounded(mark.delay).total_seconds(),
        "priority": mark.priority,
        "periodic": mark.periodic,
        "delivery": mark.delivery,
    }


def _bounded(delay: timedelta) -> timedelta:
    return min(max(delay, timedelta(0)), AHEAD)


def _merged(marks: Sequence[Mark]) -> list[Mark]:
    """One mark a key, in the order of keys: all transactions lock rows in that order, so none waits in a circle."""
    merged: dict[str, Mark] = {}
    present: str | None = get_contextvars().get("delivery")
    for each in marks:
        key = stored.text(each.key)
        other = merged.get(key, each)
        merged[key] = Mark(
            key,
            min(each.delay, other.delay),
            max(each.priority, other.priority),
            each.news or other.news,
            each.periodic or other.periodic,
            each.delivery or other.delivery or present,
        )
    return [merged[key] for key in sorted(merged)]


async def claim(db: Database) -> Lease | None:
    """The key that should be looked at first, for eight seconds; None when none is due."""
    while rows := await db.query(CLAIM, {"cut_off": CUT_OFF}):
        key, lease, *rest = rows[0]
        if lease is not None:
            return Lease(key, lease, *rest)
    return None


async def renew(db: Database, lease: Lease) -> bool:
    """Eight seconds from now; false when the lease is lost and the attempt must end."""
    return bool(await db.query(RENEW, (lease.key, lease.id)))


async def holds(db: Database, lease: Lease) -> bool:
    """Whether the lease is ours and has not run out; asked before each effect."""
    return bool(await db.query(HOLDS, (lease.key, lease.id)))


async def finish(db: Database, lease: Lease) -> bool:
    """The key was looked at. Gone, or due again soon if news came meanwhile; false when the lease was lost."""
    own = (lease.key, lease.id)
    return bool(await db.query(FINISH, own)) or bool(await db.query(AGAIN, own))


async def fail(db: Database, lease: Lease, error: str, after: timedelta | None = None) -> bool:
    """The attempt failed: due again after a back-off (or the wanted delay), parked after the twelfth.

    If news waits it is due again soon and never parked. False when the lease was lost.
    """
    parameters = {
        "key": lease.key,
        "lease": lease.id,
        "error": stored.text(error[:LONGEST_ERROR]),
        "after": None if after is None else _bounded(after),
    }
    return bool(await db.query(FAIL, parameters))


async def sleep(db: Database, lease: Lease, until: datetime | timedelta) -> bool:
    """Look again at that time, at most ten minutes ahead: no failure, and no reason to park.

    For periodic work and for waiting (for request budget, for GitHub). News that waits comes first. False when the
    lease was lost.
    """
    when = {"until": until, "delay": None} if isinstance(until, datetime) else {"until": None, "delay": until}
    return bool(await db.query(SLEEP, {"key": lease.key, "lease": lease.id, **when}))


async def release(db: Database, lease: Lease) -> bool:
    """Give the key back as if it had not been claimed, because the process ends."""
    return bool(await db.query(RELEASE, (lease.key, lease.id)))


async def parked(db: Database) -> list[Parked]:
    """The keys that need a person or news, oldest first."""
    sql = "select key, attempts, last_error, created_at from work where parked order by created_at, key"
    return [Parked(*row) for row in await db.query(sql)]


async def counts(db: Database) -> Counts:
    return Counts(*(await db.query(COUNTS))[0])


async def listen(db: Database) -> AsyncGenerator[None]:
    """Something whenever keys may have been marked. Only a hint: it may come late, twice or never.

    Never ends; connects again when the database was away.
    """
    while True:
        try:
            async with await db.connect() as connection:
                await connection.execute(f"listen {CHANNEL}")
                yield
                async for _ in connection.notifies():
                    yield
        except (DatabaseAway, psycopg.OperationalError):
            await asyncio.sleep(1)
