"""The day's limits, wherever work goes on: asked before each further attempt and answer, and once a minute of all."""

from __future__ import annotations

from datetime import datetime

from app.keys import WatchKey
from app.store import audit
from app.store.audit import Entry
from app.store.database import Connection
from app.store.tickets import ticket
from app.store.tickets.moving import GATE, Cause
from app.store.tickets.ticket import TicketRow
from app.tickets.changing import change, key_of, recorded
from app.tickets.limiting import alone, day_of, used_on
from app.tickets.parts import Place, TicketParts
from policies.tickets.day import asks_the_day, within_day
from policies.tickets.limits import no_more
from policies.tickets.progress import Next
from policies.tickets.states import Event, State


async def today(connection: Connection, parts: TicketParts, place: Place, row: TicketRow, following: Next) -> Next:
    """What follows of a ticket, or what does instead because of the day. At the beginning of its transaction."""
    if not asks_the_day(row.state, following):
        return following
    await alone(connection, place.repository.id)
    day = await day_of(connection, place, parts.gate.now(), None)
    return within_day(row.state, following, place.rules, place.floor, day)


async def end_day(parts: TicketParts, place: Place, key: WatchKey) -> None:
    """Every agent that works is sent away while the day has nothing left; its ticket waits for another day.

    Before that it waits for nobody: who begins work may wait for a gateway, and the watch sees to all other limits too.
    """
    database, now = parts.gate.database, parts.gate.now()
    if await database.read(_because_no_more, place, now) is None:
        return
    async with database.transaction() as connection:
        await alone(connection, key.repository_id)
        because = await _because_no_more(connection, place, now)
        if because is None:
            return
        entries: list[Entry] = []
        for row in await ticket.in_states(connection, key.repository_id, [State.RUNNING]):
            entries += await _released(connection, row, Cause(GATE, because))
        await audit.append(connection, entries)


async def _because_no_more(connection: Connection, place: Place, now: datetime) -> str | None:
    return no_more(place.rules, place.floor, await used_on(connection, place, now))


async def _released(connection: Connection, row: TicketRow, cause: Cause) -> list[Entry]:
    held = await ticket.lock(connection, row.repository_id, row.number)
    if held is None or held.state is not State.RUNNING:
        return []
    moved = await change(connection, key_of(row), Event.RELEASED, cause)
    assert moved is not None  # it is running, and its row is held
    return recorded(key_of(row), Event.RELEASED, cause, moved)
