"""What GitHub shows of a ticket: one label and one comment, both written after what the store holds."""

from __future__ import annotations

from contextlib import suppress

from app.gate.gate import Gate
from app.github import reads, writes
from app.github.errors import NotFound
from app.github.issues import Issue
from app.store.tickets import ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.cards import beside_others, card_of
from app.tickets.parts import Place
from app.tickets.view import TicketView
from policies.tickets.card import card_digest, card_text
from policies.tickets.labels import label_of, relabelled

MARKER = "<!-- mergegate ticket -->"


async def show(gate: Gate, place: Place, issue: Issue, view: TicketView) -> None:
    """Make label and comment agree with the store. Raises GitHub's errors; done again it writes nothing."""
    await _label(gate, place, issue, view.row)
    card = await gate.database.read(card_of, place, issue, view)
    digest = card_digest(card_text(card))
    if view.row.comment_digest == digest and view.row.comment_id is not None:
        return
    text = card_text(await gate.database.read(beside_others, place, issue, view, card))
    comment_id = await _write(gate, place, view.row, f"{text}\n\n{MARKER}")
    async with gate.database.transaction() as connection:
        await ticket.save_comment(connection, view.row.repository_id, view.row.number, comment_id, digest)


async def _label(gate: Gate, place: Place, issue: Issue, row: TicketRow) -> None:
    """One add and one remove. GitHub makes a label that does not exist yet; one that is gone already is fine."""
    owner, name = place.repository.owner, place.repository.name
    missing, over = relabelled(issue.label_names, row.state)
    if missing:
        await writes.add_labels(place.client, owner, name, row.number, missing)
    for label in over:
        with suppress(NotFound):
            await writes.remove_label(place.client, owner, name, row.number, label)
    if row.label != label_of(row.state):
        async with gate.database.transaction() as connection:
            await ticket.save_label(connection, row.repository_id, row.number, label_of(row.state))


async def _write(gate: Gate, place: Place, row: TicketRow, body: str) -> int:
    """The comment is known by its id. One that an attempt wrote which died before it could note it has our marker."""
    owner, name = place.repository.owner, place.repository.name
    known = row.comment_id if row.comment_id is not None else await _standing(gate, place, row.number)
    if known is not None:
        with suppress(NotFound):  # a person deleted it: it is made again
            return (await writes.update_comment(place.client, owner, name, known, body)).id
    return (await writes.create_comment(place.client, owner, name, row.number, body)).id


async def _standing(gate: Gate, place: Place, number: int) -> int | None:
    listing = await reads.issue_comments(place.client, place.repository.owner, place.repository.name, number)
    ours = (one.id for one in listing.items if MARKER in (one.body or "") and one.is_of(gate.app_id))
    return next(ours, None)
