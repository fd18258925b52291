"""Everything that is known of one ticket, read for one look at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from app.github import reads
from app.github.errors import NotFound
from app.github.rest_models import Pull
from app.keys import PullKey, TicketKey
from app.proxy import sessions
from app.proxy.sessions import Session
from app.store import decisions, landings, pulls, serial
from app.store.database import Connection, Database
from app.store.decisions import Json
from app.store.tickets import moving, questions, runs, snapshots, ticket
from app.store.tickets.moving import Transition
from app.store.tickets.questions import Question
from app.store.tickets.runs import Run, Spent
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.tickets.failing import failures_of
from app.tickets.limiting import limits_for, used_of
from app.tickets.parts import Place
from checks.finding import Status
from checks.tickets.form import TicketForm
from policies.escape import clean
from policies.tickets.escalation import is_repeated
from policies.tickets.escalation_facts import Failure
from policies.tickets.limits import Limits
from policies.tickets.progress import Attempt, Facts, PullFacts
from policies.tickets.states import Event

LONGEST_REASON = 400  # characters of what failed, as agents are told it


@dataclass(frozen=True, slots=True)
class TicketView:
    """A ticket as the store and GitHub have it. `run` is the attempt under way, `last` the newest one."""

    row: TicketRow
    snapshot: TicketSnapshot | None
    run: Run | None
    last: Run | None
    spent: Spent
    questions: tuple[Question, ...]
    changes: tuple[Transition, ...]  # the newest first
    sessions: tuple[Session, ...]  # the newest first
    active_at: datetime | None  # the newest write of the attempt's session
    failures: tuple[Failure, ...] = ()  # see `failing`, the newest last
    pull: PullFacts | None = None

    @property
    def entered_by(self) -> Event | None:
        """What brought it into its state."""
        return next((one.event for one in self.changes if one.to_state is self.row.state), None)

    @property
    def form(self) -> TicketForm | None:
        return None if self.snapshot is None else self.snapshot.form

    @property
    def open_questions(self) -> tuple[Question, ...]:
        return tuple(one for one in self.questions if one.answered_at is None)


async def read_view(connection: Connection, key: TicketKey) -> TicketView | None:
    """The store's part of it; None for an issue that is no ticket."""
    row = await ticket.find(connection, key.repository_id, key.number)
    if row is None:
        return None
    own = (connection, key.repository_id, key.number)
    last, opened = await runs.newest(*own), await sessions.of_ticket(*own)
    run = None if last is None or last.ended_at is not None else last  # at most one is open, and none begins after it
    changes = tuple(await moving.latest(*own))
    return TicketView(
        row=row,
        snapshot=await snapshots.newest(*own),
        run=run,
        last=last,
        spent=await runs.spent_by(*own),
        questions=tuple(await questions.of_ticket(*own)),
        changes=changes,
        sessions=tuple(opened),
        active_at=None if run is None or run.session_id is None else await _active_at(connection, run.session_id),
        failures=await failures_of(connection, row, changes),
    )


async def read_pull(database: Database, place: Place, number: int) -> PullFacts | None:
    """The pull request as GitHub has it now, with the gate's last verdict on its head. None when it is gone."""
    try:
        found = await reads.pull(place.client, place.repository.owner, place.repository.name, number)
    except NotFound:
        return None
    key = PullKey(place.key.installation_id, place.key.repository_id, number)
    return await database.read(_pull_facts, key, found)


async def _pull_facts(connection: Connection, key: PullKey, found: Pull) -> PullFacts:
    verdict = await _evidence(connection, key, found)
    return PullFacts(
        open=found.state == "open",
        merged=found.merged,
        draft=found.draft,
        head_sha=found.head.sha,
        evidence=None if verdict is None else Status(verdict["status"]),
        reason="" if verdict is None else clean(str(verdict["reason"]), LONGEST_REASON),
        queued=await _is_queued(connection, key, found.head.sha),
        reverted=await landings.is_reverted(connection, key.repository_id, key.number),
    )


async def _evidence(connection: Connection, key: PullKey, found: Pull) -> Json:
    """The evidence's node of the newest verdict, where that is about the head as it is now."""
    latest = await decisions.latest(connection, str(key))
    if latest is None or latest.head_sha != found.head.sha or not latest.verdict["gated"]:
        return None
    return latest.verdict["evidence"]


async def _is_queued(connection: Connection, key: PullKey, head: str) -> bool:
    """By the gate, natively or serially; what a person enqueued shows when it lands."""
    row = await pulls.find_pull(connection, key.repository_id, key.number)
    if row is not None and row.enqueued_entry is not None and row.enqueued_head == head:
        return True
    entry = await serial.find(connection, key.repository_id, key.number)
    return entry is not None and entry.active and entry.head_sha == head


async def _active_at(connection: Connection, session_id: int) -> datetime | None:
    cursor = await connection.execute(
        "select max(coalesce(ended_at, alive_until)) from ledger where session_id = %s", (session_id,)
    )
    row = await cursor.fetchone()
    return row[0] if row else None


def limits_now(view: TicketView, place: Place) -> Limits:
    """What holds for the ticket."""
    return limits_for(place, view.row, view.form)


def facts_of(view: TicketView, place: Place, now: datetime, *, issue_open: bool) -> Facts:
    """The same for the table of what happens next. Pure."""
    row, changes = view.row, view.changes
    return Facts(
        now=now,
        position=row.position,
        since=row.since,
        entered_by=view.entered_by,
        issue_open=issue_open,
        limits=limits_now(view, place),
        used=used_of(place, view.spent),
        rules=place.rules,
        paused=row.paused,
        attempt=_attempt(view),
        pull=view.pull,
        judged_sha=next((one.sha for one in changes if one.sha is not None), None),
        failed_sha=_failed_sha(changes),
        rejected_sha=next((one.sha for one in changes if one.event is Event.REJECTED), None),
        open_questions=len(view.open_questions),
        session_live=any(session.live for session in view.sessions),
        failed_again=view.entered_by is Event.FAILED and is_repeated([one.fingerprint for one in view.failures]),
    )


def _failed_sha(changes: tuple[Transition, ...]) -> str | None:
    """The head that failed or was rejected, if no head was brought since."""
    for one in changes:
        if one.event in (Event.FAILED, Event.REJECTED):
            return one.sha
        if one.event is Event.SUBMITTED:
            return None
    return None


def _attempt(view: TicketView) -> Attempt | None:
    run = view.run
    if run is None:
        return None
    signs = (run.heartbeat_at, run.started_at, run.claimed_at, view.active_at)
    live = {session.grant.session: session.live for session in view.sessions}
    return Attempt(
        claimed_at=run.claimed_at,
        started_at=run.started_at,
        alive_at=max(sign.astimezone(UTC) for sign in signs if sign is not None),
        session_live=None if run.session_id is None else live.get(run.session_id, False),
    )
