"""What whoever runs an agent is told when it shall end: all that is known of the stop. Pure.

`deploy/supervisor/stop.schema.json` is its JSON Schema. The same stop is the same story each time that it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from app.store.tickets.moving import Transition
from app.store.tickets.runs import Run
from app.store.tickets.ticket import TicketRow
from policies.tickets.states import State


def stop_story(repository: str, row: TicketRow, run: Run, changes: Sequence[Transition]) -> dict[str, object]:
    """`repository` is its full name, `changes` are the ticket's, the newest first."""
    began = next((one for one in changes if one.to_state is State.STOPPING), None)
    return {
        "repository": repository,
        "repository_id": row.repository_id,
        "ticket": row.number,
        "attempt": run.attempt,
        "agent": run.agent,
        "pool": run.pool,
        "branch": run.branch,
        "session": run.session_id,
        "now": row.stop_now,
        "cause": None if began is None else began.event.value,
        "why": None if began is None else began.cause,
        "by": None if began is None else began.actor,
        "since": None if began is None else began.at.astimezone(UTC).isoformat(timespec="seconds"),
    }
