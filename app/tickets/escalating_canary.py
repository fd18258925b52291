"""A limit that did not stop its canary ticket goes up: one comment on each board, with a mention of those on call."""

from __future__ import annotations

from datetime import UTC

from app.gate.apply import Applier
from app.gate.effects import PostNotice
from app.keys import BoardKey, PeopleKey
from app.store import work
from app.store.database import Database
from app.store.tickets import canaries
from app.store.tickets.boards import BoardIssue
from app.store.work import Mark
from app.tickets.parts import Place, TicketParts
from policies.escape import code, inert
from policies.tickets.texts import TEXTS

PURPOSE = "canary"
LONGEST = 400  # characters of what the canary could do


async def mark_boards(database: Database) -> None:
    """Every board is written, and its people are told, now."""
    async with database.transaction() as connection:
        places = await canaries.boards(connection)
        keys = [str(kind(*place)) for place in places for kind in (BoardKey, PeopleKey)]
        await work.mark(connection, [Mark(key) for key in keys])


async def tell_missed(parts: TicketParts, applier: Applier, place: Place, board: BoardIssue) -> None:
    """Once for each time that a limit ceased to hold, at any hour. Raises GitHub's errors."""
    async with parts.gate.database.transaction() as connection:
        missed = await canaries.missed(connection)
    if missed is None:
        return
    words = TEXTS[place.rules.language]["canary"].format(limit=code(missed.limit))
    people = " ".join(f"@{login}" for login in place.rules.pushes.on_call)
    body = "\n\n".join(filter(None, [f"**{words}**", inert(missed.seen, LONGEST), people]))
    subject = f"{missed.limit} {missed.since.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    await applier.apply((PostNotice(board.number, PURPOSE, subject, body),))
