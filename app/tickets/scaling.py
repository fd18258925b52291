"""The scale rule in a repository: decided once after each week, and asked before a ticket is handed out."""

from __future__ import annotations

from datetime import UTC, datetime

from app.store import audit, landings
from app.store.audit import Entry
from app.store.database import Connection
from app.store.tickets import history, steps
from app.store.tickets.steps import Step
from app.tickets.parts import Place, TicketParts
from policies.ticket_section import TicketScale
from policies.tickets.metrics import measure
from policies.tickets.scale import Decision, decide, no_room
from policies.tickets.week import Week, week_of


def scales_of(place: Place) -> tuple[TicketScale, ...]:
    """The policy's, and that of the server's baseline."""
    return (place.rules.scale,) if place.floor is None else (place.rules.scale, place.floor.scale)


async def because_of_step(connection: Connection, place: Place, running: int) -> str | None:
    """Why no further ticket may be taken into work; None where one may."""
    step = await steps.current(connection, place.repository.id)
    return no_room(scales_of(place), step, running)


async def decide_last_week(parts: TicketParts, place: Place) -> None:
    """`decide_week` where it is due, which it is once a week."""
    now = parts.gate.now()
    last = await parts.gate.database.read(steps.newest, place.repository.id)
    if place.readable and not _is_decided(last, week_of(now, UTC).before(1)):
        async with parts.gate.database.transaction() as connection:
            await decide_week(connection, place, now)


def _is_decided(last: Step | None, week: Week) -> bool:
    return last is not None and last.week >= week.monday


async def decide_week(connection: Connection, place: Place, now: datetime) -> Decision | None:
    """Decide about the last week of UTC that has ended, as the last thing of the transaction; None where that is done.

    A policy that cannot be read raises nothing, and the week is decided once it can.
    """
    week = week_of(now, UTC).before(1)
    repository_id = place.repository.id
    last = await steps.newest(connection, repository_id)
    if not place.readable or _is_decided(last, week):
        return None
    decision = await _decision(connection, place, week)
    if not await steps.save(connection, repository_id, week.monday, decision):
        return None
    data = {"week": week.name, "step": decision.step, "raised": decision.raised, "because": list(decision.because)}
    await audit.append(connection, [Entry("configuration", "tickets in work", repository_id, data)])
    return decision


async def _decision(connection: Connection, place: Place, week: Week) -> Decision:
    repository_id, probation = place.repository.id, place.policy.policy.queue.probation
    step = await steps.current(connection, repository_id)
    records = await history.read_records(connection, repository_id, week)
    proven = await landings.proven(connection, repository_id, probation.days) >= probation.pull_requests
    return decide(
        step,
        measure(records, week, week.ends),
        measure(records, week.before(1), week.ends),
        proven=proven,
        rules=scales_of(place),
    )
