"""A change of a ticket with what belongs to it: its attempt, what its agent is told, and who looks again."""

from __future__ import annotations

from datetime import timedelta

from app.keys import PullKey, TicketKey
from app.proxy import sessions
from app.proxy.audited import subject_of
from app.store import audit, work
from app.store.audit import Entry
from app.store.database import Connection
from app.store.tickets import moving, runs, ticket
from app.store.tickets.moving import Cause, Moved
from app.store.tickets.runs import Progress, Run
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from policies.tickets.states import Event, State

# The attempt goes on over these; whatever else happens ends it.
GOES_ON = frozenset({Event.CLAIMED, Event.SUBMITTED, Event.ENQUEUED, Event.DEQUEUED, Event.ACCEPTED})


async def change(
    connection: Connection, key: TicketKey, event: Event, cause: Cause, *, minutes_left: int | None = None
) -> Moved | None:
    """What the event made of the ticket; None where it changes nothing. In the caller's transaction, which ends by
    telling the audit log what is `recorded` of it.

    `minutes_left` is for an event that lets an attempt begin: its session lives that long.
    """
    moved = await moving.move(connection, key.repository_id, key.number, event, cause)
    if moved is None:
        return None
    if event not in GOES_ON:
        await runs.end_open(connection, key.repository_id, key.number, outcome=event)
    if moved.after.state is State.RUNNING and event is not Event.CLAIMED:
        await _again(connection, key, counted=event is Event.RESUMED, minutes=minutes_left)
    elif event is Event.SUBMITTED and moved.before.state in (State.MERGEABLE, State.QUEUED):
        await _again(connection, key, counted=True, minutes=minutes_left)
    await work.mark(connection, await marks(connection, key))
    return moved


def recorded(key: TicketKey, event: Event, cause: Cause, moved: Moved) -> list[Entry]:
    """What the audit log is told of a change: `audit.append` it, the last thing of the transaction. Pure."""
    data = {
        "from": moved.before.state.value,
        "to": moved.after.state.value,
        "event": event.value,
        "by": cause.actor,
        "because": cause.because,
        "head": cause.sha,
    }
    ended = {"because": f"ticket #{key.number}: {cause.because}"}
    return [
        Entry("ticket", f"ticket:{key.number}", key.repository_id, data),
        *(Entry("session-ended", subject_of(session), key.repository_id, ended) for session in moved.sessions),
    ]


async def changed(
    connection: Connection, key: TicketKey, event: Event, cause: Cause, *, minutes_left: int | None = None
) -> bool:
    """A change with its record, as the last thing of the transaction; false where it changes nothing."""
    moved = await change(connection, key, event, cause, minutes_left=minutes_left)
    if moved is not None:
        await audit.append(connection, recorded(key, event, cause, moved))
    return moved is not None


async def marks(connection: Connection, key: TicketKey) -> list[Mark]:
    """The ticket, and its pull request, whose verdict it is part of."""
    row = await ticket.find(connection, key.repository_id, key.number)
    pull = None if row is None else row.pull_number
    found = [Mark(str(key))]
    if pull is not None:
        found.append(Mark(str(PullKey(key.installation_id, key.repository_id, pull))))
    return found


async def _again(connection: Connection, key: TicketKey, *, counted: bool, minutes: int | None) -> Run | None:
    """The agent that has the ticket begins once more, in the session that it has."""
    row = await ticket.find(connection, key.repository_id, key.number)
    before = await runs.newest(connection, key.repository_id, key.number)
    if row is None or before is None:
        return None
    session = before.session_id
    if session is not None and minutes is not None:
        await sessions.extend_within(connection, session, timedelta(minutes=max(1, minutes)))
    run = await runs.begin(
        connection,
        key.repository_id,
        key.number,
        revision=row.revision,
        agent=before.agent,
        pool=before.pool,
        branch=before.branch,
        session_id=session,
        counted=counted,
    )
    return await runs.report(connection, run.id, Progress())


def key_of(row: TicketRow) -> TicketKey:
    return TicketKey(row.installation_id, row.repository_id, row.number)
