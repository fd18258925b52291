"""A ticket's matters go up to people: one at a time, each once, and down again when somebody answered.

Who is told, when and where follows for the whole repository (`escalating_people`). Until then the gate's comment on
the ticket shows what is asked.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from app.gate.tickets import GATHERS
from app.keys import PeopleKey
from app.priorities import COMMAND, NEWS
from app.store import work
from app.store.database import Connection
from app.store.tickets import escalations, questions, ticket
from app.store.tickets.escalations import Escalation, Matter
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.tickets.escalating_facts import matters, read_known
from app.tickets.escalating_owners import owners_of
from app.tickets.parts import Place, TicketParts
from app.tickets.view import TicketView
from checks.commands import Command
from policies.tickets.escalation import Cause
from policies.tickets.escalation_question import ANSWERS, grants

SETTLED = "it does not hold any more"


async def escalate(parts: TicketParts, place: Place, view: TicketView) -> None:
    """Bring the store in line with what holds now. Done again without news it changes nothing."""
    now, own = parts.gate.now(), (view.row.repository_id, view.row.number)
    if await parts.gate.database.read(_is_settled, place, view, now):
        return
    owned = await owners_of(place, view)
    async with parts.gate.database.transaction() as connection:
        found = matters(replace(await read_known(connection, view, now), owned=owned), place)
        standing = await escalations.open_of(connection, *own)
        if standing is not None and standing.matter.name not in {one.name for one in found}:
            await escalations.close(connection, *own, SETTLED, now)
            standing = None
        if standing is None and found:
            await _bring_up(connection, view, found, now)


async def _is_settled(connection: Connection, place: Place, view: TicketView, now: datetime) -> bool:
    """Whether what is open is what holds, or nothing is open and all that holds went up before."""
    own = (connection, view.row.repository_id, view.row.number)
    found = {one.name for one in matters(await read_known(connection, view, now), place)}
    standing = await escalations.open_of(*own)
    if standing is not None:
        return standing.matter.name in found
    return not found or found <= await escalations.known(*own, found)


async def _bring_up(connection: Connection, view: TicketView, found: list[Matter], now: datetime) -> None:
    row = view.row
    own = (connection, row.repository_id, row.number)
    before = await escalations.known(*own, [one.name for one in found])
    fresh = next((one for one in found if one.name not in before), None)
    await ticket.lock(*own)
    if fresh is not None and await escalations.bring_up(*own, fresh, now):
        at_once = fresh.cause is Cause.STOP_UNCONFIRMED
        await work.mark(connection, [people_mark(row.installation_id, row.repository_id, at_once=at_once)])


def people_mark(installation_id: int, repository_id: int, *, at_once: bool = False) -> Mark:
    """Whoever must be told of the repository's tickets is."""
    key = str(PeopleKey(installation_id, repository_id))
    delay, priority = (timedelta(0), COMMAND) if at_once else (GATHERS, NEWS)
    return Mark(key, delay, priority, periodic=True)


async def answered(connection: Connection, row: TicketRow, command: Command, by: str, now: datetime) -> None:
    """Somebody's command was carried out: what it settles is closed. What it changed is seen at the next look."""
    standing = await escalations.open_of(connection, row.repository_id, row.number)
    if standing is None or not _settles(command, standing.matter):
        return
    await escalations.close(connection, row.repository_id, row.number, f"/{command.verb} by {by}", now)
    await _answer_question(connection, standing, command.verb, by)


def _settles(command: Command, matter: Matter) -> bool:
    """Whoever grants something else has not answered what the agent asked for."""
    if command.verb == "grant" and not grants(command.option("path"), matter.path):
        return False
    return command.verb in ANSWERS[matter.cause]


async def _answer_question(connection: Connection, standing: Escalation, verb: str, by: str) -> None:
    """Whoever grants what the agent asked for has answered it."""
    ordinal = standing.matter.ordinal
    if verb == "grant" and ordinal is not None:
        await questions.answer(
            connection, standing.repository_id, standing.number, ordinal, f"{standing.matter.path} is granted", by
        )
