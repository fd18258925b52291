"""What the gate's comment on a ticket tells, put together from the issue, the store and the policy."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from app.github.issues import Issue
from app.store.database import Connection
from app.store.tickets import brakes, escalations, snapshots, ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.limiting import limits_for
from app.tickets.parts import Place
from app.tickets.view import TicketView
from checks.tickets.form import TicketForm
from checks.tickets.readiness import read_ticket
from policies.tickets.card import Card, CardQuestion
from policies.tickets.escalation_question import question_text
from policies.tickets.limits import Limits, worst_case
from policies.tickets.overlap import overlapping
from policies.tickets.states import ACTIVE, State

BEFORE_WORK = frozenset({State.DRAFT, State.WAITING})


async def card_of(connection: Connection, place: Place, issue: Issue, view: TicketView) -> Card:
    """The ticket's own part. What it says beside the others is `beside_others`."""
    row, snapshot = view.row, view.snapshot
    form, misses = read_ticket(issue.body or "")
    at_stake = _at_stake(view, form)
    brake = await brakes.find(connection, row.repository_id)
    return Card(
        language=place.rules.language,
        state=row.state,
        reason=view.changes[0].cause if view.changes else "",
        misses=tuple(str(miss) for miss in misses) if row.state is State.DRAFT else (),
        edited=is_edited(view, form),
        accepted_by=None if snapshot is None else snapshot.accepted_by,
        digest=None if snapshot is None else snapshot.digest,
        revision=row.revision,
        limits=None if at_stake is None else limits_for(place, row, at_stake),
        agent=None if view.last is None else view.last.agent,
        attempt=row.attempts,
        pull_number=row.pull_number,
        held_by=row.held_by,
        paused=row.paused,
        brake_by=None if brake is None else brake.pulled_by,
        questions=_questions(view),
        brought_up=await _brought_up(connection, place, row),
    )


async def beside_others(connection: Connection, place: Place, issue: Issue, view: TicketView, card: Card) -> Card:
    """The card with what the accepted tickets cost together, and whose paths meet, while nobody works on this one.

    Of hundreds of tickets each acceptance changes that for all: it is told with a ticket's own news, and is none.
    """
    if view.row.state not in BEFORE_WORK:
        return card
    form, _ = read_ticket(issue.body or "")
    others = await _others(connection, place, view.row)
    together, overlaps = _together(card.limits, others), _overlaps(_at_stake(view, form), others)
    return replace(card, worst_together=together, overlaps=overlaps)


def _at_stake(view: TicketView, form: TicketForm | None) -> TicketForm | None:
    return form if view.row.state is State.DRAFT or view.snapshot is None else view.snapshot.form


async def _brought_up(connection: Connection, place: Place, row: TicketRow) -> str:
    """An agent's question stands among the questions."""
    one = await escalations.open_of(connection, row.repository_id, row.number)
    own = one is not None and one.matter.ordinal is None
    return question_text(one.asked, place.rules.language) if one is not None and own else ""


def is_edited(view: TicketView, form: TicketForm | None) -> bool:
    """Whether the issue says something else than what was accepted."""
    if view.snapshot is None or view.row.state is State.DRAFT:
        return False
    return form is None or form.digest != view.snapshot.issue_digest


async def _others(connection: Connection, place: Place, row: TicketRow) -> dict[int, tuple[TicketForm, Limits]]:
    """The other accepted tickets that are not at their end, with what each may use."""
    rows = {one.number: one for one in await ticket.in_states(connection, row.repository_id, ACTIVE)}
    rows.pop(row.number, None)
    accepted = await snapshots.newest_of(connection, row.repository_id, rows)
    return {number: (held.form, limits_for(place, rows[number], held.form)) for number, held in accepted.items()}


def _together(limits: Limits | None, others: dict[int, tuple[TicketForm, Limits]]) -> Decimal | None:
    return None if limits is None else worst_case([limits, *(held for _, held in others.values())])


def _overlaps(form: TicketForm | None, others: dict[int, tuple[TicketForm, Limits]]) -> tuple[int, ...]:
    if form is None:
        return ()
    return tuple(
        number for number, (other, _) in sorted(others.items()) if overlapping(form.allowed_paths, other.allowed_paths)
    )


def _questions(view: TicketView) -> tuple[CardQuestion, ...]:
    return tuple(CardQuestion(one.ordinal, one.question, tuple(one.options), one.safe) for one in view.open_questions)
