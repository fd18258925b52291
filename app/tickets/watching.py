"""The watch over a repository's tickets: once a minute, from the store alone, all of them in a few statements.

Limits and silence must show within a minute, also while GitHub cannot be asked; and looking at each ticket on GitHub
that often would be, with hundreds of agents, more than GitHub takes. So a ticket is looked at when there is news, every
ten minutes without, and when the same rule that would move it (`policies.tickets.progress`) says here that it is due.
One that waits for an agent that this server starts is looked at when its pool has a free place.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from app.github.errors import GitHubError
from app.keys import TicketKey, WatchKey
from app.store import work
from app.store.database import Connection
from app.store.tickets import attempts, runs, snapshots, ticket
from app.store.tickets.attempts import OpenAttempt
from app.store.tickets.runs import Spent
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.store.worker import Done, Outcome, Sleep
from app.tickets.days import end_day
from app.tickets.limiting import limits_for, used_of
from app.tickets.parts import Place, TicketParts, place_of
from policies.tickets.limits import Used
from policies.tickets.progress import Attempt, Facts, next_event
from policies.tickets.states import AT_WORK, State

log = structlog.get_logger(__name__)

EVERY = timedelta(minutes=1)


def watch_mark(key: TicketKey) -> Mark:
    """Marked by who lets work begin; from then on the watch sets its own next time."""
    return Mark(str(WatchKey(key.installation_id, key.repository_id)), delay=EVERY, periodic=True)


async def watch(parts: TicketParts, key: WatchKey) -> Outcome:
    """Mark the tickets that are due. Over when none is at work, and none waits for us.

    Raises GitHub's errors where no policy was ever read.
    """
    place = await _place(parts, TicketKey(key.installation_id, key.repository_id, 0))
    if place is None:
        return Done()
    await end_day(parts, place, key)
    async with parts.gate.database.transaction() as connection:
        rows = await ticket.in_states(connection, key.repository_id, AT_WORK)
        waiting = await _waiting_for_us(connection, place)
        due = [*await _due(connection, place, rows, parts.gate.now()), *await _startable(connection, place, waiting)]
        await work.mark(connection, [Mark(str(TicketKey(key.installation_id, key.repository_id, n))) for n in due])
    return Sleep(EVERY) if rows or waiting else Done()


async def _place(parts: TicketParts, key: TicketKey) -> Place | None:
    """While GitHub cannot be asked, what was read last holds."""
    try:
        return await place_of(parts, key)
    except GitHubError as wrong:
        _, kept = parts.places.get(key.repository_id, (None, None))
        if kept is None:
            raise
        log.info("the policy could not be read again", because=str(wrong))
        return replace(kept, key=key)


async def _waiting_for_us(connection: Connection, place: Place) -> list[TicketRow]:
    """Tickets of pools whose agents this server starts, which fetch nothing by themselves."""
    rows = await ticket.in_states(connection, place.repository.id, [State.WAITING])
    return [row for row in rows if is_started_by_us(place, row)]


def is_started_by_us(place: Place, row: TicketRow) -> bool:
    pool = place.rules.pools.get(row.pool or "")
    return row.state is State.WAITING and pool is not None and pool.start != "claim"


async def _startable(connection: Connection, place: Place, waiting: list[TicketRow]) -> list[int]:
    """Of each pool the longest waiting, as many as it has free places: all others would be refused."""
    found: list[int] = []
    for name in {row.pool for row in waiting if row.pool is not None}:
        free = place.rules.pools[name].agents - await runs.open_count(connection, place.repository.id, name)
        own = sorted((row for row in waiting if row.pool == name), key=lambda row: (row.since, row.number))
        found += [row.number for row in own[: max(0, free)]]
    return found


async def _due(connection: Connection, place: Place, rows: list[TicketRow], now: datetime) -> list[int]:
    own, numbers = (connection, place.repository.id), [row.number for row in rows]
    under_way = await attempts.under_way(*own)
    accepted, spent = await snapshots.newest_of(*own, numbers), await runs.spent_by_each(*own, numbers)
    return [
        row.number
        for row in rows
        if _is_due(place, row, under_way.get(row.number), accepted.get(row.number), spent.get(row.number), now)
    ]


def _is_due(
    place: Place,
    row: TicketRow,
    attempt: OpenAttempt | None,
    held: TicketSnapshot | None,
    spent: Spent | None,
    now: datetime,
) -> bool:
    """Whether something follows from what the store knows, whatever GitHub has."""
    if attempt is not None and attempt.begun:
        return True
    facts = Facts(
        now=now,
        position=row.position,
        since=row.since,
        entered_by=None,
        issue_open=True,
        limits=limits_for(place, row, None if held is None else held.form),
        used=Used() if spent is None else used_of(place, spent),
        rules=place.rules,
        paused=row.paused,
        attempt=None if attempt is None else _attempt(attempt),
        # Told by who answers or fails it, with a mark of its own.
        session_live=attempt is not None and bool(attempt.session_live),
    )
    return next_event(facts) is not None


def _attempt(found: OpenAttempt) -> Attempt:
    return Attempt(found.claimed_at, found.started_at, found.alive_at, found.session_live)
