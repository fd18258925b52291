"""When a stop is over: no token works, nothing of the agent is under way, and whoever runs it says that it is gone.

The tokens died in the transaction that began the stop. What is left is to see that nothing sent before still happens.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.github import reads
from app.proxy import ledger, sessions
from app.proxy.stopping import AFTERWARDS
from app.store.tickets import runs
from app.store.tickets.ticket import TicketRow
from app.tickets import metering
from app.tickets.parts import Place, TicketParts

log = structlog.get_logger(__name__)

LATE = timedelta(seconds=60)  # a stop that is not confirmed by then is a matter for people


async def confirmed(parts: TicketParts, place: Place, row: TicketRow) -> tuple[bool, str, str | None]:
    """Whether it is over, in words what is known, and the commit where the branch is (None: there is no branch).

    Raises GitHub's errors: a branch that could not be read confirms nothing.
    """
    metered = await metering.keep(parts, place, row.number)
    async with parts.gate.database.transaction() as connection:
        opened = await sessions.of_ticket(connection, row.repository_id, row.number)
        run = await runs.newest(connection, row.repository_id, row.number)
    for session in opened:
        if session.live or await _happens(parts, session.grant.session):
            return False, f"session {session.grant.session} still has something under way", None
    usable = [meter for meter in metered if meter.blocked_at is None]
    if usable:
        return False, f"the key for models of session {usable[0].session_id} is not blocked yet", None
    if parts.supervisor is not None and run is not None and not await parts.supervisor.tell("stop", _about(row, run)):
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


def _about(row: TicketRow, run: runs.Run) -> dict[str, object]:
    return {
        "repository_id": row.repository_id,
        "ticket": row.number,
        "attempt": run.attempt,
        "agent": run.agent,
        "pool": run.pool,
        "branch": run.branch,
        "session": run.session_id,
        "now": row.stop_now,
    }
