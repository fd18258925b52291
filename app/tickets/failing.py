"""How a ticket's verdicts failed since a person let it go on last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from app.store import decisions
from app.store.database import Connection
from app.store.tickets.moving import Transition
from app.store.tickets.ticket import TicketRow
from policies.tickets.escalation import failure_fingerprint
from policies.tickets.escalation_facts import Failure, failure_of
from policies.tickets.states import Event, State

LOOKED_AT = frozenset({State.VERIFY_FAILED, State.NEEDS_HUMAN})  # where it matters how it failed before
LETS_GO_ON = frozenset({Event.ACCEPTED, Event.RETRIED})


async def failures_of(connection: Connection, row: TicketRow, changes: Sequence[Transition]) -> tuple[Failure, ...]:
    """The oldest first; `changes` are the newest first. None are read where nothing depends on them."""
    if row.state not in LOOKED_AT:
        return ()
    since = takewhile(lambda one: one.event not in LETS_GO_ON, changes)
    failed = [one for one in since if one.event is Event.FAILED]
    heads = {one.sha for one in failed if one.sha is not None}
    if not failed or row.pull_key is None:
        return ()
    found = await decisions.verdicts_of_heads(connection, row.pull_key, heads, "failed")
    return tuple(_failure(one, found) for one in reversed(failed))


def _failure(one: Transition, found: dict[str, decisions.Json]) -> Failure:
    verdict = found.get(one.sha or "")
    if verdict is not None:
        return failure_of(verdict["evidence"])
    return Failure(failure_fingerprint("evidence", one.cause, ()), one.cause, None)
