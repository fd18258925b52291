"""Which waiting tickets an agent may have, the longest waiting first; what they wait for among themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from app.store.database import Connection
from app.store.tickets import snapshots, ticket
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from policies.tickets.states import State

DONE = frozenset({State.MERGED, State.SETTLED})
MOST_LOOKED_AT = 200  # waiting tickets at one claim


async def candidates(
    connection: Connection, repository_id: int, names: Collection[str | None], number: int | None
) -> list[TicketRow]:
    """Tickets of a pool or agent of these names (None: of nobody's), or only the one of that number.

    Where more wait than are looked at, those that can begin come first: a backlog of paused ones, or of ones that
    depend on others, must not hide them.
    """
    rows = await ticket.in_states(connection, repository_id, [State.WAITING])
    fit = [row for row in rows if row.pool in names and number in (None, row.number)]
    held_up = await _held_up(connection, repository_id, fit) if len(fit) > MOST_LOOKED_AT else frozenset()
    return sorted(fit, key=lambda row: (row.number in held_up, row.since, row.number))[:MOST_LOOKED_AT]


async def open_dependency(connection: Connection, held: TicketSnapshot) -> int | None:
    """The first ticket that this one depends on and that is not merged."""
    needed = held.form.depends_on
    states = await ticket.states_of(connection, held.repository_id, needed)
    return next((number for number in needed if states.get(number) not in DONE), None)


async def _held_up(connection: Connection, repository_id: int, rows: Sequence[TicketRow]) -> frozenset[int]:
    """Those that are paused or depend on a ticket that is not merged, asked together."""
    accepted = await snapshots.newest_of(connection, repository_id, [row.number for row in rows])
    needed = {number: one.form.depends_on for number, one in accepted.items()}
    states = await ticket.states_of(connection, repository_id, {each for some in needed.values() for each in some})
    done = {number for number, state in states.items() if state in DONE}
    return frozenset(row.number for row in rows if row.paused or not done.issuperset(needed.get(row.number, ())))
