"""Starting agents that do not fetch their work: by a workflow of the repository, or by the server's own program.

The ticket is claimed for the agent first, with everything that a claim checks; what is started then has a branch and,
where it can use the proxy, a session. One that does not begin in time returns to waiting like any other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import takewhile

import structlog

from app.github import writes
from app.github.errors import GitHubError
from app.store.tickets import runs
from app.store.tickets.moving import GATE, Cause, Transition
from app.store.tickets.runs import Progress
from app.tickets.changing import changed
from app.tickets.claims import Claimed, NothingToClaim, claim
from app.tickets.parts import Place, TicketParts
from app.tickets.view import TicketView
from policies.ticket_section import Pool
from policies.tickets.states import Event, State

RESTS = timedelta(minutes=1)
LONGEST_REST = timedelta(hours=1)

log = structlog.get_logger(__name__)


async def dispatch(parts: TicketParts, place: Place, view: TicketView) -> bool:
    """Whether an agent was started for a waiting ticket whose pool is started by us."""
    pool = place.rules.pools.get(view.row.pool or "")
    if view.row.state is not State.WAITING or pool is None or pool.start == "claim":
        return False
    if parts.gate.now() - view.row.since < rest_after(view.changes):
        return False
    name, started_with_token = view.row.pool or "", pool.start == "command"
    found = await claim(parts, place, agent=name, pool=name, number=view.row.number, with_session=started_with_token)
    if isinstance(found, NothingToClaim):
        log.info("no agent is started", key=str(place.key), because=found.because)
        return False
    begun = await _started(parts, place, pool, found)
    async with parts.gate.database.transaction() as connection:
        if begun and started_with_token:
            return True  # it says itself when it begins
        if begun:
            await runs.report(connection, found.run.id, Progress())
            return True
        await changed(connection, place.key, Event.NOT_STARTED, Cause(GATE, "the agent could not be started"))
    return True


def rest_after(changes: Sequence[Transition]) -> timedelta:
    """How long a ticket waits before an agent is started for it once more: longer with each start that came to nothing.
    `changes` are the newest first."""
    events = [one.event for one in changes if one.event is not Event.CLAIMED]
    failed = len(list(takewhile(lambda event: event is Event.NOT_STARTED, events)))
    return timedelta(0) if failed == 0 else min(RESTS * 2 ** (failed - 1), LONGEST_REST)


async def _started(parts: TicketParts, place: Place, pool: Pool, claimed: Claimed) -> bool:
    if pool.start == "command":
        return parts.supervisor is not None and await parts.supervisor.tell("start", claimed.record(with_token=True))
    assert pool.workflow is not None
    owner, name = place.repository.owner, place.repository.name
    try:
        await writes.dispatch(
            place.client,
            owner,
            name,
            pool.workflow,
            ref=place.repository.default_branch or "main",
            # Inputs of a workflow are shown to everybody who may read the repository, so no token is among them.
            inputs={"ticket": json.dumps(claimed.record(with_token=False))},
        )
    except GitHubError as wrong:
        log.error("the workflow of a pool could not be started", workflow=pool.workflow, because=str(wrong))
        return False
    return True
