"""A ticket on the board, with a button for everything that the person may say to it now; and the same for them all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.store import page_commands
from app.store.database import Connection
from app.store.tickets import boards, brakes, escalations, moving, questions, snapshots, ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.board import row_of
from app.tickets.limiting import RISKY
from app.tickets.parts import Place
from app.web.entrance import Visit
from checks.accounts import Permission
from policies.tickets.board import BoardRow, age
from policies.tickets.escalation_question import SILENCE, Asked, choices
from policies.tickets.offers import Offer, OpenQuestion, Standing, Suggested, offers
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.states import ACTIVE
from policies.tickets.texts import TEXTS
from policies.tickets.verbs import ALL
from policies.tickets.words import WORDS, Language

Outcome = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class ViewedAt:
    """Where and when a ticket is looked at: its repository's address on GitHub, and the path of its pages here."""

    repository: str
    updated: datetime
    language: Language
    path: str


@dataclass(frozen=True, slots=True)
class TicketSeen:
    """What the page of one ticket is made of. `ticket` is its number, or `all`: then `row` is None.

    `thread` and `pull` are the issue and the pull request that are commented; `thread` is None where there is nothing
    on which anything could be said.
    """

    ticket: str
    row: BoardRow | None
    standing: Standing
    thread: int | None
    pull: int | None
    prefixed: bool
    matter: Asked | None = None  # what of it went up to people

    @property
    def offers(self) -> tuple[Offer, ...]:
        return () if self.thread is None else offers(self.standing)

    def thread_of(self, offer: Offer) -> int:
        number = self.pull if offer.where == "pull" else self.thread
        assert number is not None
        return number


async def ticket_seen(
    connection: Connection, place: Place, number: int, visit: Visit, repository: str, now: datetime
) -> TicketSeen | None:
    """None where there is no such ticket. `repository` is its address on GitHub."""
    own = (connection, place.repository.id, number)
    found = await ticket.find(*own)
    shown = await row_of(connection, place, repository, number, now)
    if found is None or shown is None:
        return None
    held = await snapshots.newest(*own)
    raised = await escalations.open_of(*own)
    standing = Standing(
        state=found.state,
        permission=visit.permission,
        pull=found.pull_number is not None,
        head=await _head(connection, found),
        risky=held is not None and held.form.risk in RISKY,
        paused=found.paused,
        held=found.held,
        questions=tuple(
            OpenQuestion(one.ordinal, one.question, one.safe, tuple(one.options), one.recommended)
            for one in await questions.of_ticket(*own)
            if one.answered_at is None
        ),
        choices=() if raised is None else _suggested(raised.asked, place.rules.language),
    )
    matter = None if raised is None else raised.asked
    return TicketSeen(str(number), shown, standing, number, found.pull_number, place.rules.prefixed, matter)


def _suggested(asked: Asked, language: Language) -> tuple[Suggested, ...]:
    words = TEXTS[language]
    says = [words[one.words] for one in choices(asked)]
    says[0] += f" ({words['recommended']})"
    return tuple(Suggested(one.command, each) for one, each in zip(choices(asked), says, strict=True))


async def _head(connection: Connection, row: TicketRow) -> str | None:
    """The commit that was judged last."""
    if row.pull_number is None:
        return None
    changes = await moving.latest(connection, row.repository_id, row.number)
    return next((one.sha for one in changes if one.sha is not None), None)


async def all_seen(connection: Connection, place: Place, permission: Permission) -> TicketSeen:
    """What is about every ticket is said on the board's issue, or else on that of any ticket that has not ended."""
    board = await boards.find(connection, place.repository.id)
    brake = await brakes.find(connection, place.repository.id)
    thread = board.number if board is not None else None
    if thread is None:
        active = await ticket.in_states(connection, place.repository.id, ACTIVE)
        thread = active[0].number if active else None
    standing = Standing(None, permission, braked=brake is not None)
    return TicketSeen(ALL, None, standing, thread, None, place.rules.prefixed)


async def said(connection: Connection, visit: Visit, comment: str) -> Outcome | None:
    """What became of a comment that this person wrote from a page."""
    if not comment.isascii() or not comment.isdigit() or len(comment) > 18:
        return None
    repository_id = visit.repository.repository_id
    return await page_commands.of_comment(connection, repository_id, visit.person.id, int(comment))


def shown_ticket(seen: TicketSeen, at: ViewedAt, token: str, login: str) -> dict[str, Any]:
    """What the template is given; `token` is that of the page's forms."""
    return {
        "path": at.path,
        "seen": seen,
        "row": seen.row,
        "offers": [(one, f"{at.repository}/issues/{seen.thread_of(one)}") for one in seen.offers],
        "board": at,
        "words": {**TEXTS[at.language], **PAGE_TEXTS[at.language]},
        "states": WORDS[at.language].states,
        "age": age,
        "silence": SILENCE,
        "token": token,
        "login": login,
        "sure": None,
        "outcome": None,
        "quiet": (),
    }
