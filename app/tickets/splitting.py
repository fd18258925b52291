"""Making the children of a batch: one issue a row, each a draft of its own, none of them twice."""

from __future__ import annotations

from app.gate.gate import Gate
from app.github import issues
from app.github.issues import Issue
from app.store import notices
from app.store.notices import Notice
from app.store.tickets import ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.parts import Place
from policies.tickets.batch import NoBatch, batch_of

PURPOSE = "split"


async def make_children(gate: Gate, place: Place, issue: Issue, row: TicketRow) -> None:
    """What dies in between goes on with the next look. A template that was edited since is not split any more."""
    try:
        batch = batch_of(issue.title, issue.body or "")
    except NoBatch:
        batch = None
    if batch is not None and batch.template == row.split:
        for ordinal, child in enumerate(batch.children, start=1):
            said = f"Row {ordinal} of {len(batch.children)} of #{row.number}, template `{batch.template}`"
            await _make(gate, place, row, said, child.title, f"{child.body}\n\n### Batch\n\n{said}")
    async with gate.database.transaction() as connection:
        await ticket.set_split(connection, row.repository_id, row.number, None)


async def _make(gate: Gate, place: Place, row: TicketRow, said: str, title: str, body: str) -> None:
    notice = Notice(row.repository_id, row.number, PURPOSE, said)
    async with gate.database.transaction() as connection:
        before = await notices.intend(connection, notice)
    if before is not None and before.comment_id is not None:
        return
    owner, name = place.repository.owner, place.repository.name
    number = await _standing(place, said) if before is not None else None
    if number is None:
        number = (await issues.open_issue(place.client, owner, name, title, body)).number
    async with gate.database.transaction() as connection:
        await notices.posted(connection, notice, number)


async def _standing(place: Place, said: str) -> int | None:
    """A child that an earlier attempt opened before it died."""
    listing = await issues.newest_issues(place.client, place.repository.owner, place.repository.name)
    return next((one.number for one in listing.items if said in (one.body or "")), None)
