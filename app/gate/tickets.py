"""Which ticket a pull request is for, as it was accepted, and who must look again when the pull request changes."""

from __future__ import annotations

from dataclasses import replace

from app.gate.gate import Gate
from app.keys import PullKey, TicketKey
from app.proxy import sessions
from app.store.database import Connection
from app.store.tickets import runs, snapshots, ticket
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from checks.snapshot import Risk, Snapshot, Ticket
from policies.tickets.states import AT_WORK, BLOCKS_MERGE


async def with_ticket(gate: Gate, snapshot: Snapshot) -> Snapshot:
    """The snapshot with its ticket. A pull request becomes a ticket's by the session or the branch of its agent.

    What the pull request itself says about tickets counts for nothing: whoever opened it could name any.
    """
    row = await _ticket_of(gate, snapshot)
    if row is None:
        return snapshot
    async with gate.database.transaction() as connection:
        accepted = await snapshots.newest(connection, row.repository_id, row.number)
        run = await runs.newest(connection, row.repository_id, row.number)
    return replace(snapshot, ticket=_as_seen(row, accepted, None if run is None else run.agent))


async def ticket_marks(connection: Connection, key: PullKey) -> list[Mark]:
    """The ticket of a pull request that changed."""
    row = await ticket.find_of_pull(connection, key.repository_id, key.number)
    return [] if row is None else [Mark(str(TicketKey(key.installation_id, key.repository_id, row.number)))]


async def _ticket_of(gate: Gate, snapshot: Snapshot) -> TicketRow | None:
    repository_id, number, ref = snapshot.repository.id, snapshot.number, snapshot.head.ref
    if number is None:
        return None
    async with gate.database.transaction() as connection:
        known = await ticket.find_of_pull(connection, repository_id, number)
    if known is not None or snapshot.is_fork:
        return known
    named = [one.grant.ticket for one in await sessions.of_branch(gate.database, repository_id, ref)]
    async with gate.database.transaction() as connection:
        found = next((one for one in named if one is not None), None)
        if found is None:
            found = await runs.ticket_of_branch(connection, repository_id, ref)
        row = None if found is None else await ticket.lock(connection, repository_id, found)
        if row is None or row.state not in AT_WORK:
            return None
        await ticket.set_pull(connection, repository_id, row.number, number)
        return await ticket.find_of_pull(connection, repository_id, number)


def _as_seen(row: TicketRow, accepted: TicketSnapshot | None, agent: str | None) -> Ticket:
    blocked = BLOCKS_MERGE.get(row.state)
    if accepted is None:
        return Ticket(str(row.number), "", blocked=blocked or "was never accepted", agent=agent)
    form = accepted.form
    return Ticket(
        id=str(row.number),
        digest=accepted.digest,
        allowed_paths=form.allowed_paths,
        forbidden_paths=form.forbidden_paths,
        risk=Risk[form.risk.upper()],
        verification_commands=form.verify,
        agent=agent,
        operator=accepted.accepted_by,
        blocked=blocked,
        held_by=row.held_by,
        held_because=row.held_because,
        migration=form.migration == "yes",
    )
