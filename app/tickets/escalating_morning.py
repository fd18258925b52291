"""The morning's digest: one comment on the board's issue a day, of what waits for people."""

from __future__ import annotations

from app.gate.apply import Applier
from app.gate.effects import PostNotice
from app.store import notices
from app.store.database import Connection
from app.store.notices import Notice
from app.store.tickets import escalations, snapshots, ticket
from app.store.tickets.boards import BoardIssue
from app.store.tickets.escalations import Escalation
from app.store.tickets.ticket import TicketRow
from app.tickets.parts import Place, TicketParts
from policies.escalation_section import clock
from policies.tickets.escalation_digest import Item, digest_day, digest_text, minutes_for
from policies.tickets.escalation_pushes import rules_of
from policies.tickets.states import State

PURPOSE = "digest"
WAITS = frozenset({State.NEEDS_HUMAN, State.MERGEABLE})  # and whatever else was brought up


async def tell_morning(parts: TicketParts, applier: Applier, place: Place, board: BoardIssue) -> None:
    """Raises GitHub's errors. The same day's is posted once, however often it is looked at."""
    told = place.rules.pushes
    day = digest_day(rules_of(told).hours, clock(told.digest), board.set_at, parts.gate.now())
    if day is None:
        return
    subject = day.isoformat()
    async with parts.gate.database.transaction() as connection:
        if await notices.stands(connection, Notice(place.repository.id, board.number, PURPOSE, subject)):
            return
        items = await waiting_items(connection, place.repository.id)
    body = digest_text(items, place.rules.language)
    await applier.apply((PostNotice(board.number, PURPOSE, subject, body),))


async def waiting_items(connection: Connection, repository_id: int) -> list[Item]:
    """What waits for people in a repository: what was brought up, other questions, results that passed."""
    brought_up = {one.number: one for one in await escalations.all_open(connection, repository_id)}
    rows = {row.number: row for row in await ticket.in_states(connection, repository_id, WAITS)}
    accepted = await snapshots.newest_of(connection, repository_id, {*rows, *brought_up})
    risks = {number: held.form.risk for number, held in accepted.items()}
    numbers = sorted({*rows, *brought_up})
    return [_item(number, rows.get(number), brought_up.get(number), risks.get(number, "?")) for number in numbers]


def _item(number: int, row: TicketRow | None, one: Escalation | None, risk: str) -> Item:
    asks = one is not None or (row is not None and row.state is State.NEEDS_HUMAN)
    since = one.opened_at if row is None and one is not None else row.since  # type: ignore[union-attr]
    cause = None if one is None else one.matter.cause
    return Item(number, risk, since, minutes_for(risk, asks=asks), uncertain=asks, cause=cause, asks=asks)
