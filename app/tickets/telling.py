"""What is told to who asks: how far a ticket is, and the headings that a ticket has."""

from __future__ import annotations

from datetime import datetime

from app.keys import TicketKey
from app.store.database import Connection
from app.store.tickets.ticket import TicketRow
from app.tickets.parts import Place
from app.tickets.view import facts_of, limits_now, read_view
from checks.tickets.words import HEADINGS, FieldName
from policies.tickets.progress import stalled
from policies.tickets.status import Status
from policies.tickets.words import Language

# Which of a heading's words is that of a language: checks.tickets.words lists English, Japanese, then Chinese.
_SKELETON: tuple[FieldName, ...] = (
    "goal",
    "allowed_paths",
    "forbidden_paths",
    "done_when",
    "verify",
    "risk",
    "max_minutes",
    "max_cost",
)


async def status_of(connection: Connection, place: Place, row: TicketRow, now: datetime) -> Status:
    """What is known of a ticket, whose row the caller holds."""
    view = await read_view(connection, TicketKey(row.installation_id, row.repository_id, row.number))
    assert view is not None
    last = view.last
    return Status(
        language=place.rules.language,
        state=row.state,
        limits=None if view.snapshot is None else limits_now(view, place),
        minutes=view.spent.minutes,
        attempts=row.attempts,
        cost=view.spent.cost,
        cost_kind="soft" if last is None else last.cost_kind,
        step=last.step if last else None,
        steps=last.steps if last else None,
        percent=last.percent if last else None,
        doing=last.doing if last else None,
        blocker=last.blocker if last else None,
        agent=last.agent if last else None,
        stalled=stalled(facts_of(view, place, now, issue_open=True)),
    )


def skeleton(language: Language) -> str:
    """The headings to copy into an issue, for who has no form."""
    spelled = {"en": 0, "ja": 1, "zh": -1}[language]
    headings = [f"### {HEADINGS[name][spelled if len(HEADINGS[name]) > 1 else 0]}\n\n" for name in _SKELETON]
    return "\n".join(["**Copy this into the issue's text and fill it in.**", "", "```", *headings, "```"])
