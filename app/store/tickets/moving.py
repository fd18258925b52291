# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""The one way in which a ticket changes its state.

In one transaction: the row is locked, the table of states is asked, the change is recorded with who, why and at which
commit, and where the new state allows no session every live one of the ticket is ended. So whatever is committed,
a ticket that is stopped has no token that works.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import kwargs_row

from app.store.database import Connection
from app.store.stored import text
from app.store.tickets import runs, ticket
from policies.tickets.states import ENDS_SESSIONS, WITH_SESSION, Event, Position, State, step

GATE = "mergegate"  # the actor where no person is


@dataclass(frozen=True, slots=True)
class Cause:
    """Who or what moved a ticket, and why; `sha` is the commit that it is about, if it is about one."""

    actor: str
    because: str
    sha: str | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """One change of state, as it is kept for good."""

    number: int
    from_state: State
    to_state: State
    event: Event
    actor: str
    cause: str
    sha: str | None
    attempt: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Moved:
    """A change that was made. `sessions` are the ids of those that it ended."""

    before: Position
    after: Position
    sessions: tuple[int, ...] = ()


COLUMNS = "number, from_state, to_state, event, actor, cause, sha, attempt, at"
END_SESSIONS = """
update sessions set ended_at = clock_timestamp(), ended_because = %s
where repository_id = %s and ticket = %s and ended_at is null and expires_at > clock_timestamp() returning id
"""


async def move(connection: Connection, repository_id: int, number: int, event: Event, cause: Cause) -> Moved | None:
    """What the event made of the ticket; None where there is no such ticket, or the event changes nothing there."""
    row = await ticket.lock(connection, repository_id, number)
    after = None if row is None else step(row.position, event)
    if row is None or after is None:
        return None
    await connection.execute(
        "update tickets set state = %s, ends_as = %s, since = clock_timestamp() "
        "where repository_id = %s and number = %s",
        (after.state, after.ends_as, repository_id, number),
    )
    await _record(connection, row, after, event, cause)
    if after.state in WITH_SESSION and event not in ENDS_SESSIONS:
        return Moved(row.position, after)
    await runs.end_open(connection, repository_id, number, outcome=event)
    return Moved(row.position, after, await _end_sessions(connection, row, f"ticket #{number}: {cause.because}"))


async def transitions(connection: Connection, repository_id: int, number: int) -> list[Transition]:
    """Every change of a ticket, the oldest first."""
    cursor = connection.cursor(row_factory=kwargs_row(_transition))
    await cursor.execute(
        f"select {COLUMNS} from ticket_transitions where repository_id = %s and number = %s order by id",
        (repository_id, number),
    )
    return await cursor.fetchall()


async def latest(connection: Connection, repository_id: int, number: int) -> list[Transition]:
    """The newest changes, the newest first: enough to know what was judged last."""
    cursor = connection.cursor(row_factory=kwargs_row(_transition))
    await cursor.execute(
        f"select {COLUMNS} from ticket_transitions where repository_id = %s and number = %s order by id desc limit 20",
        (repository_id, number),
    )
    return await cursor.fetchall()


async def _record(connection: Connection, row: ticket.TicketRow, after: Position, event: Event, cause: Cause) -> None:
    await connection.execute(
        "insert into ticket_transitions (repository_id, number, from_state, to_state, event, actor, cause, sha, "
        "attempt) values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            *(row.repository_id, row.number, row.state, after.state, event),
            *(text(cause.actor), text(cause.because), cause.sha, row.attempts),
        ),
    )


async def _end_sessions(connection: Connection, row: ticket.TicketRow, because: str) -> tuple[int, ...]:
    cursor = await connection.execute(END_SESSIONS, (text(because), row.repository_id, row.number))
    return tuple(sorted(found[0] for found in await cursor.fetchall()))


def _transition(*, from_state: str, to_state: str, event: str, **columns: object) -> Transition:
    return Transition(from_state=State(from_state), to_state=State(to_state), event=Event(event), **columns)  # type: ignore[arg-type]
