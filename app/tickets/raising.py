"""Keeping what a person gave a ticket beyond what it had: what the week's numbers call raised limits."""

from __future__ import annotations

from app.store.database import Connection
from app.store.tickets import raises as store
from app.store.tickets.moving import Cause
from app.store.tickets.ticket import TicketRow
from app.tickets.parts import Place
from policies.tickets.limits import Asked, Limits, limits_of
from policies.tickets.raising import raises


async def keep_raises(
    connection: Connection, place: Place, row: TicketRow, cause: Cause, before: Limits, after: Limits
) -> None:
    """Compared with what a ticket has that says nothing of its own. In the command's transaction."""
    usual = limits_of(place.rules, Asked(), Asked(), place.floor)
    found = raises(before, after, usual)
    await store.add(connection, row.repository_id, row.number, found, by=cause.actor, because=cause.because)


async def keep_grant(connection: Connection, row: TicketRow, cause: Cause, pattern: str) -> None:
    await store.grant(connection, row.repository_id, row.number, pattern, by=cause.actor, because=cause.because)
