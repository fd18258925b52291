"""One look at an issue: people's commands, what happened since, and what GitHub shows of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from app.gate.apply import Applier
from app.github import issues
from app.github.budgets import Urgency, present_urgency, urgency
from app.github.errors import NotFound, RateLimited
from app.github.issues import Issue
from app.keys import BoardKey, PeopleKey, TicketKey, WatchKey
from app.store import work
from app.store.tickets import messages, runs, ticket
from app.store.tickets.moving import GATE, Cause
from app.store.tickets.runs import Progress
from app.store.tickets.ticket import SeenIssue
from app.store.work import Lease
from app.store.worker import Done, Outcome, Sleep
from app.tickets import commands, metering, stopping
from app.tickets.answering import answer
from app.tickets.board import reconcile_board
from app.tickets.changing import changed
from app.tickets.days import today
from app.tickets.dispatching import dispatch
from app.tickets.escalating import escalate
from app.tickets.escalating_people import tell_people
from app.tickets.limiting import used_of
from app.tickets.parts import Place, TicketParts, place_of
from app.tickets.put_off import PutOff
from app.tickets.scaling import decide_last_week
from app.tickets.shown import show
from app.tickets.splitting import make_children
from app.tickets.view import TicketView, facts_of, limits_now, read_pull, read_view
from app.tickets.watching import is_started_by_us, watch, watch_mark
from checks.tickets.form import is_ticket
from checks.tickets.readiness import read_ticket
from checks.tickets.sections import TooLong, read_sections
from policies.tickets.canary import REPOSITORY as CANARIES
from policies.tickets.limits import left
from policies.tickets.progress import next_event
from policies.tickets.states import AT_WORK, ENDED, Event, State

log = structlog.get_logger(__name__)

WAITED_FOR = ENDED | {State.NEEDS_HUMAN, State.MERGEABLE, State.STOPPING}
MOST_STEPS = 8  # changes at one look; the next look goes on
# Nothing is missed in between: news marks the ticket, and the watch marks one whose limits or whose silence are due.
AT_WORK_AGAIN = timedelta(minutes=10)
SOON = timedelta(minutes=1)
STOPPING_AGAIN = timedelta(seconds=1)


async def reconcile(parts: TicketParts, lease: Lease, key: TicketKey | BoardKey | PeopleKey | WatchKey) -> Outcome:
    """What the worker calls for the keys of tickets."""
    if key.repository_id == CANARIES:
        return Done()  # GitHub does not know of it, and canaries look after themselves
    if isinstance(key, PeopleKey):
        return await tell_people(parts, lease, key)
    if isinstance(key, WatchKey):
        return await watch(parts, key)
    if isinstance(key, BoardKey):
        return await reconcile_board(parts, key)
    return await reconcile_ticket(parts, lease, key)


async def reconcile_ticket(parts: TicketParts, lease: Lease, key: TicketKey) -> Outcome:
    """Raises GitHub's errors; what was done before stays done. Done again without news it writes nothing."""
    later = parts.waiting.until(key, lease, parts.gate.client(key.installation_id), parts.gate.now())
    if later is not None:
        return Sleep(later)
    place = await place_of(parts, key)
    if place is None:
        return Done()
    try:
        issue = await issues.issue(place.client, place.repository.owner, place.repository.name, key.number)
    except NotFound:
        return await _gone(parts, place)
    await commands.observe(parts.gate, place, issue)
    if issue.pull_request is None:
        await _note(parts, place, issue)
    await commands.carry_out(parts, place, issue)
    applier = Applier(parts.gate, lease, key.installation_id, place.repository)
    if issue.pull_request is None:
        return await _settled(parts, place, issue, applier)
    await answer(applier, key.number)
    return Done()


async def _gone(parts: TicketParts, place: Place) -> Outcome:
    """The issue was deleted or transferred: nobody can say anything to its ticket any more, so it ends."""
    view = await _moved(parts, place, issue_open=False)
    if view is not None:
        await escalate(parts, place, view)
    if view is not None and view.row.state is State.STOPPING:
        return Sleep(STOPPING_AGAIN)
    await metering.keep(parts, place, place.key.number)
    return Sleep(SOON) if await metering.unsettled(parts, place, place.key.number) else Done()


async def _note(parts: TicketParts, place: Place, issue: Issue) -> None:
    """An issue becomes a ticket by its headings, and stays one whatever it says later."""
    known = await parts.gate.database.read(ticket.find, place.key.repository_id, issue.number)
    if known is None and (issue.state != "open" or not _meant_as_ticket(issue.body or "")):
        return
    form, _ = read_ticket(issue.body or "")
    digest = None if form is None else form.digest
    seen = SeenIssue(place.key.repository_id, issue.number, place.key.installation_id, issue.title, digest)
    if known is not None and seen.is_kept_in(known):
        return
    async with parts.gate.database.transaction() as connection:
        await ticket.note(connection, seen)


def _meant_as_ticket(body: str) -> bool:
    try:
        return is_ticket(read_sections(body))
    except TooLong:
        return False


async def _settled(parts: TicketParts, place: Place, issue: Issue, applier: Applier) -> Outcome:
    """What a ticket is comes before what shows it: GitHub's limits put off the one and never the other."""
    await decide_last_week(parts, place)
    await metering.keep(parts, place, issue.number)
    view = await _moved(parts, place, issue_open=issue.state == "open")
    if view is not None and await dispatch(parts, place, view):
        view = await look(parts, place) or view
    if view is not None:
        await escalate(parts, place, view)
    try:
        await answer(applier, issue.number)
    except RateLimited as limited:
        if view is None:
            return Sleep(limited.until)
        return await _soon(parts, place, view) or _later(parts, view, limited.until)
    if view is None:
        return Done()
    put_off = await _shown(parts, place, issue, view)
    soon = await _soon(parts, place, view)
    waits = put_off is not None and soon is None
    parts.waiting.note(place.key, _put_off(parts, view, applier.lease) if waits else None)
    return soon or _later(parts, view, put_off)


def _put_off(parts: TicketParts, view: TicketView, lease: Lease) -> PutOff:
    look_by = parts.gate.now() + AT_WORK_AGAIN if view.row.state in AT_WORK else None
    return PutOff(lease.since, lease.generation, _urgency(view), look_by)


def _urgency(view: TicketView) -> Urgency:
    """States that a ticket only passes through leave their part of the writes to those that people wait for."""
    return present_urgency() if view.row.state in WAITED_FOR else Urgency.RESYNC


async def _shown(parts: TicketParts, place: Place, issue: Issue, view: TicketView) -> datetime | None:
    """When to go on with what is not shown yet; None where all of it is."""
    try:
        if view.row.split is not None:
            await make_children(parts.gate, place, issue, view.row)
        with urgency(_urgency(view)):
            await show(parts.gate, place, issue, view)
    except RateLimited as limited:
        return limited.until
    return None


async def _soon(parts: TicketParts, place: Place, view: TicketView) -> Outcome | None:
    """When to look again for a stop, or for the key of a session that is over; None where there is neither. Whoever
    waits for an agent that we start is left to the watch."""
    if view.row.state is State.STOPPING:
        return Sleep(STOPPING_AGAIN)
    if view.row.state not in AT_WORK:
        # Where a change has just ended the session, this blocks its key.
        await metering.keep(parts, place, place.key.number)
        if await metering.unsettled(parts, place, place.key.number):
            return Sleep(SOON)
    if is_started_by_us(place, view.row):
        # A place for it may become free without a word, which the watch sees.
        async with parts.gate.database.transaction() as connection:
            await work.mark(connection, [watch_mark(place.key)])
    return None


def _later(parts: TicketParts, view: TicketView, put_off: datetime | None) -> Outcome:
    if put_off is not None:
        return Sleep(min(put_off, parts.gate.now() + AT_WORK_AGAIN))
    return Sleep(AT_WORK_AGAIN) if view.row.state in AT_WORK else Done()


async def _moved(parts: TicketParts, place: Place, *, issue_open: bool) -> TicketView | None:
    """The ticket after everything that follows by itself."""
    for _ in range(MOST_STEPS):
        view = await look(parts, place)
        if view is None or not await advance(parts, place, view, issue_open=issue_open):
            return view
    return await look(parts, place)


async def look(parts: TicketParts, place: Place) -> TicketView | None:
    view = await parts.gate.database.read(read_view, place.key)
    if view is None:
        return None
    if view.run is not None and view.run.started_at is None and view.active_at is not None:
        async with parts.gate.database.transaction() as connection:
            await runs.report(connection, view.run.id, Progress())
    if view.row.pull_number is None:
        return view
    pull = await read_pull(parts.gate.database, place, view.row.pull_number)
    return replace(view, pull=pull)


async def advance(parts: TicketParts, place: Place, view: TicketView, *, issue_open: bool) -> bool:
    """What follows by itself, once; whether something changed."""
    if view.row.state is State.STOPPING:
        return await _confirm(parts, place, view)
    following = next_event(facts_of(view, place, parts.gate.now(), issue_open=issue_open))
    if following is None:
        return False
    remaining = left(limits_now(view, place), used_of(place, view.spent)).minutes
    async with parts.gate.database.transaction() as connection:
        following = await today(connection, parts, place, view.row, following)
        cause = Cause(GATE, following.because, following.sha)
        if following.event is Event.FAILED:
            await messages.say(connection, place.key.repository_id, place.key.number, "failed", cause.because, GATE)
        return await changed(connection, place.key, following.event, cause, minutes_left=remaining)


async def _confirm(parts: TicketParts, place: Place, view: TicketView) -> bool:
    done, because, sha = await stopping.confirmed(parts, place, view.row)
    if not done:
        late = parts.gate.now() - view.row.since > stopping.LATE
        (log.error if late else log.info)("a stop is not confirmed", key=str(place.key), because=because)
        return False
    async with parts.gate.database.transaction() as connection:
        return await changed(connection, place.key, Event.CONFIRMED, Cause(GATE, because, sha))
