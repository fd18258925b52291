"""Telling people what was brought up: a comment with a mention, which GitHub's own notifications carry.

One key of work a repository plans for all of its tickets, so that a storm is one message. Each message is stored before
its comment is posted, and a comment that may stand is looked for before it is posted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from app.gate.apply import Applier
from app.gate.effects import PostNotice
from app.github.errors import NotFound, Refused
from app.keys import PeopleKey, TicketKey
from app.store import notices
from app.store.notices import Notice
from app.store.tickets import boards, escalations, pushes, questions
from app.store.tickets.boards import BoardIssue
from app.store.tickets.escalations import Escalation
from app.store.tickets.pushes import Planned
from app.store.work import AHEAD, Lease
from app.store.worker import Done, Outcome, Sleep
from app.tickets.escalating_canary import tell_missed
from app.tickets.escalating_morning import tell_morning
from app.tickets.escalating_week import tell_week
from app.tickets.parts import Place, TicketParts, issue_address, place_of
from policies.tickets.escalation_pushes import PushRules, Waiting, may_be_told, plan, rules_of
from policies.tickets.escalation_question import group_text, question_text, verdict_line, verdict_line_of

log = structlog.get_logger(__name__)

PURPOSE = "push"
AGAIN = timedelta(minutes=1)
LOOKS_BACK = timedelta(days=2)  # a day of anybody's zone


@dataclass(frozen=True, slots=True)
class Telling:
    """One look at whom to tell. `board` is None where the repository has none."""

    parts: TicketParts
    applier: Applier
    place: Place
    board: BoardIssue | None
    now: datetime

    @property
    def repository_id(self) -> int:
        return self.place.repository.id


async def tell_people(parts: TicketParts, lease: Lease, key: PeopleKey) -> Outcome:
    """Raises GitHub's errors; what is planned is told at the next look."""
    place = await place_of(parts, TicketKey(key.installation_id, key.repository_id, 0))
    if place is None:
        return Done()
    async with parts.gate.database.transaction() as connection:
        board = await boards.find(connection, key.repository_id)
    applier = Applier(parts.gate, lease, key.installation_id, place.repository)
    telling = Telling(parts, applier, place, board, parts.gate.now())
    standing = await _plan(telling)
    await _post_all(telling, standing)
    if board is not None:
        await _tell_board(telling, board)
    return Sleep(AGAIN) if standing else Sleep(AHEAD) if board is not None else Done()


async def _tell_board(telling: Telling, board: BoardIssue) -> None:
    """An issue that takes no comment, as one that is locked or gone, keeps nobody from being told elsewhere."""
    for tell in (tell_missed, tell_morning, tell_week):
        try:
            await tell(telling.parts, telling.applier, telling.place, board)
        except (NotFound, Refused) as gone:
            log.warning("the board's issue takes no comment", issue=board.number, because=str(gone))


async def _plan(telling: Telling) -> dict[int, Escalation]:
    """Store the messages that are due; what is open, by ticket."""
    rules, now, own = rules_of(telling.place.rules.pushes), telling.now, telling.repository_id
    async with telling.parts.gate.database.transaction() as connection:
        standing = await escalations.all_open(connection, own)
        since = min([now - LOOKS_BACK, *(one.opened_at for one in standing)])
        sent = await pushes.since(connection, own, since)
        elsewhere = await pushes.elsewhere(connection, own, _midnight(rules, now))
        due = plan([_waiting(one) for one in standing], sent, rules, now, elsewhere)
        await pushes.plan(connection, own, due.pushes)
        await escalations.capped(connection, own, due.held, now)
    return {one.number: one for one in standing}


def _midnight(rules: PushRules, now: datetime) -> datetime:
    """When the day of the people's clocks began."""
    return datetime.combine(rules.hours.day(now), datetime.min.time(), rules.hours.zone).astimezone(UTC)


def _waiting(one: Escalation) -> Waiting:
    held = one.matter
    return Waiting(one.number, held.cause, held.way, held.people, one.opened_at.astimezone(UTC), held.critical)


async def _post_all(telling: Telling, standing: Mapping[int, Escalation]) -> None:
    """What GitHub did not take by day is not told by night; it waits, and is told in the morning if it still stands."""
    rules = rules_of(telling.place.rules.pushes)
    async with telling.parts.gate.database.transaction() as connection:
        waiting = await pushes.pending(connection, telling.repository_id)
    for one in waiting:
        about = [standing[n] for n in one.push.tickets if n in standing and standing[n].matter.cause is one.push.cause]
        if not about:  # somebody answered while it was not posted
            await _done(telling, one, "dropped")
        elif may_be_told(one.push.cause, rules, telling.now):
            await _post(telling, one, about)


async def _post(telling: Telling, one: Planned, about: list[Escalation]) -> None:
    body = f"{_body(telling, about)}\n\n@{one.push.person}"
    for issue in _places(telling, about):
        # A mention in a new comment is what GitHub notifies of; one that is added by an edit is not.
        try:
            await telling.applier.apply((PostNotice(issue, PURPOSE, _subject(one), body),))
        except (NotFound, Refused) as gone:
            log.warning("a person is not told there", issue=issue, cause=one.push.cause, because=str(gone))
        else:
            await _done(telling, one, "posted", issue, about[0] if len(about) == 1 else None)
            await _tell_channels(telling, one, about, issue)
            return
    await _done(telling, one, "failed")


def _places(telling: Telling, about: list[Escalation]) -> list[int]:
    """Where a message may stand: one about a single ticket there, unless its issue is gone; others on the board."""
    board = [] if telling.board is None else [telling.board.number]
    first = about[0].number
    return [first, *board] if len(about) == 1 else [*board, first]


async def _tell_channels(telling: Telling, one: Planned, about: list[Escalation], issue: int) -> None:
    """After GitHub's own: a process that dies in between tells a channel nothing, and never twice."""
    channels = telling.parts.channels
    if channels is None:
        return
    line = f"{telling.place.repository.full_name} {line_of(telling, about)}"
    taken = await channels.send(one.push.person, line, issue_address(telling.place, issue))
    if taken:
        async with telling.parts.gate.database.transaction() as connection:
            await pushes.taken(connection, one.id, taken)


def _subject(one: Planned) -> str:
    """Not the row's number alone: a store that was restored begins anew with them."""
    return f"{one.id} {one.push.at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _body(telling: Telling, about: list[Escalation]) -> str:
    language = telling.place.rules.language
    if len(about) == 1:
        return question_text(about[0].asked, language)
    return group_text(about[0].matter.cause, [one.number for one in about], language)


def line_of(telling: Telling, about: list[Escalation]) -> str:
    """The same for a channel that knows no markup."""
    language = telling.place.rules.language
    if len(about) == 1:
        return verdict_line(about[0].asked, language)
    return verdict_line_of(about[0].matter.cause, [one.number for one in about], language)


async def _done(
    telling: Telling, one: Planned, outcome: pushes.Outcome, issue: int | None = None, alone: Escalation | None = None
) -> None:
    async with telling.parts.gate.database.transaction() as connection:
        comment = None
        if issue is not None:
            notice = await notices.find(connection, Notice(telling.repository_id, issue, PURPOSE, _subject(one)))
            comment = None if notice is None else notice.comment_id
        await pushes.done(connection, one.id, outcome, issue, comment)
        if alone is not None and alone.matter.ordinal is not None and comment is not None:
            await questions.posted(connection, telling.repository_id, alone.number, alone.matter.ordinal, comment)
