"""When a stop is over: no token works, nothing of the agent is under way, and whoever runs it says that it is gone.

The tokens died in the transaction that began the stop. What is left is to see that nothing sent before still happens.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.github import reads
from app.proxy import ledger, sessions
from app.proxy.stopping import AFTERWARDS
from app.store.tickets import moving, runs
from app.store.tickets.ticket import TicketRow
from app.tickets import metering
from app.tickets.parts import Place, TicketParts
from app.tickets.stop_story import stop_story

log = structlog.get_logger(__name__)

LATE = timedelta(seconds=60)  # a stop that is not confirmed by then is a matter for people


async def confirmed(parts: TicketParts, place: Place, row: TicketRow) -> tuple[bool, str, str | None]:
    """Whether it is over, in words what is known, and the commit where the branch is (None: there is no branch).

    Raises GitHub's errors: a branch that could not be read confirms nothing.
    """
    await metering.keep(parts, place, row.number)
    metered = await metering.unsettled(parts, place, row.number)
    async with parts.gate.database.transaction() as connection:
        opened = await sessions.of_ticket(connection, row.repository_id, row.number)
        run = await runs.newest(connection, row.repository_id, row.number)
    for session in opened:
        if session.live or await _happens(parts, session.grant.session):
            return False, f"session {session.grant.session} still has something under way", None
    usable = [meter for meter in metered if meter.blocked_at is None]
    if usable:
        return False, f"the key for models of session {usable[0].session_id} is not blocked yet", None
    if run is not None and not await _is_gone(parts, place, row, run):
        return False, "the supervisor did not say that the agent is gone", None
    if run is None:
        return True, "no agent had it", None
    found = await reads.git_ref(place.client, place.repository.owner, place.repository.name, run.branch)
    return True, "nothing of it is under way", None if found is None else found.object.sha


async def _happens(parts: TicketParts, session_id: int) -> bool:
    """GitHub may still finish a push whose connection broke after its last byte."""
    if await ledger.under_way(parts.gate.database, session_id):
        return True
    return bool(await ledger.unsure(parts.gate.database, session_id, timedelta(seconds=AFTERWARDS)))


async def _is_gone(parts: TicketParts, place: Place, row: TicketRow, run: runs.Run) -> bool:
    """What whoever runs the agent says; without one nobody does."""
    if parts.supervisor is None:
        return True
    async with parts.gate.database.transaction() as connection:
        changes = await moving.latest(connection, row.repository_id, row.number)
    return await parts.supervisor.tell("stop", stop_story(place.repository.full_name, row, run, changes))
