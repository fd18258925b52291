"""What an agent says about its ticket: how far it is, what it must ask, and its evidence."""

from __future__ import annotations

import hashlib

from app.agent_api import bodies
from app.agent_api.call import Answer, Refused, Session
from app.agent_api.publishing import publish
from app.github.errors import GitHubError
from app.proxy.sessions import CannotOpen
from app.store import work
from app.store.database import Connection
from app.store.tickets import evidence, messages, questions, runs, snapshots
from app.store.tickets.moving import Cause
from app.store.tickets.questions import Asking, Question
from app.store.tickets.runs import Progress, Run
from app.store.tickets.ticket import TicketRow
from app.store.work import Mark
from app.tickets.changing import changed, key_of, marks
from app.tickets.limiting import limits_for, used_by
from checks.bundle import read_given
from policies.escape import clean
from policies.tickets.limits import hit
from policies.tickets.states import Event, State

MOST_QUESTIONS = 20  # of one ticket
MOST_EVIDENCE = 64 * 1024  # bytes of one bundle
MOST_BUNDLES = 100  # of one session
NEXT = {
    State.RUNNING: "Go on. Read GET /session/messages when there are any.",
    State.VERIFYING: "The pull request is being checked; wait at GET /session/verdict.",
    State.VERIFY_FAILED: "The checks failed; read GET /session/verdict and push a repair.",
    State.MERGEABLE: "The evidence passed. Nothing to do unless a message says otherwise.",
    State.QUEUED: "It is in the merge queue. Push nothing.",
    State.NEEDS_HUMAN: "A person must answer first; wait at GET /session/messages.",
}


async def progress(session: Session, asked: bodies.Progress) -> Answer:
    """Raises Refused, DatabaseAway."""
    async with session.call.database.transaction() as connection:
        run = await open_run(session, connection)
        said = _progress(asked, run)
        if "blocker" in asked.model_fields_set and asked.blocker is None:
            await runs.clear_blocker(connection, run.id)
        await runs.report(connection, run.id, said)
        row = await session.row(connection)
        if run.started_at is None:
            await work.mark(connection, [Mark(str(key_of(row)))])
        standing = await _standing(connection, row, run)
    if said.cost is not None:
        await _told_if_spent(session)
    return Answer(standing.model_dump(mode="json"))


async def open_run(session: Session, connection: Connection) -> Run:
    """The attempt that this session works on. Raises Refused where none is under way."""
    run = await runs.of_session(connection, session.grant.session)
    if run is None or run.ended_at is not None:
        row = await session.row(connection)
        state = row.state.replace("_", " ")
        raise Refused(409, f"No attempt of this session is under way: the ticket is {state}.", next_of(row))
    return run


def _progress(asked: bodies.Progress, run: Run) -> Progress:
    """Raises Refused where the step is not among the steps."""
    step, steps = asked.step or run.step, asked.steps or run.steps
    if asked.step is not None and steps is not None and (step or 0) > steps:
        raise Refused(422, f"Step {step} is beyond the {steps} steps.", "Send `steps` with it if there are more now.")
    words = [None if each is None else clean(each, bodies.LONGEST_LINE) for each in (asked.doing, asked.blocker)]
    return Progress(asked.step, asked.steps, asked.percent, words[0], words[1], asked.cost)


async def _standing(connection: Connection, row: TicketRow, run: Run) -> bodies.Standing:
    waiting = await messages.undelivered(connection, row.repository_id, row.number)
    return bodies.Standing(
        ticket=row.number, state=row.state, attempt=run.attempt, messages=len(waiting), next=next_of(row)
    )


def next_of(row: TicketRow) -> str:
    return NEXT.get(row.state, "Stop: this session may go on with nothing.")


async def _told_if_spent(session: Session) -> None:
    """A limit that is used up ends the ticket at once, not when it is looked at next.

    Where the policy cannot be read now, the watch, which comes every minute, does it.
    """
    grant, call = session.grant, session.call
    try:
        seen = await call.parts.places.find(grant.owner, grant.repository)
    except (CannotOpen, GitHubError):
        return
    async with call.database.transaction() as connection:
        row = await session.row(connection)
        held = await snapshots.newest(connection, *session.own)
        used = await used_by(connection, seen.place, row.number)
        if hit(limits_for(seen.place, row, None if held is None else held.form), used) is not None:
            await work.mark(connection, [Mark(str(key_of(row)))])


async def ask(session: Session, asked: bodies.Asking) -> Answer:
    """The same question again is the same one. Raises Refused, DatabaseAway."""
    if asked.recommended is not None and asked.recommended not in asked.options:
        raise Refused(422, "What is recommended is none of the options.", "Recommend one of them, or leave it out.")
    async with session.call.database.transaction() as connection:
        row = await session.locked(connection)
        known = await questions.of_ticket(connection, *session.own)
        asking = _asking(asked)
        found = next((one for one in known if one.fingerprint == asking.fingerprint), None)
        if found is None:
            found = await _asked(session, connection, row, known, asking)
        told = bodies.QuestionAsked(
            number=found.ordinal,
            state=(await session.row(connection)).state,
            answer=found.answer,
            next="Rest, and wait at GET /session/messages for the answer." if found.answer is None else "Go on.",
        )
    return Answer(told.model_dump(mode="json"))


async def _asked(
    session: Session, connection: Connection, row: TicketRow, known: list[Question], asking: Asking
) -> Question:
    if len(known) >= MOST_QUESTIONS:
        fix = "Stop with POST /session/failed and say what is unclear: the ticket was not ready."
        raise Refused(409, f"This ticket has its {MOST_QUESTIONS} questions already.", fix)
    found = await questions.ask(connection, *session.own, asking)
    assert found is not None  # the row is held, and none had its fingerprint
    key, cause = key_of(row), Cause(session.grant.agent, f"question {found.ordinal}: {found.question}")
    if not await changed(connection, key, Event.ASKED, cause):
        await work.mark(connection, await marks(connection, key))
    return found


def _asking(asked: bodies.Asking) -> Asking:
    """Words as people will read them. The fingerprint is of what is asked, whatever options come with it."""
    words = clean(asked.question, bodies.LONGEST_TEXT)
    fingerprint = hashlib.sha256(f"{asked.cause}\0{words.casefold()}".encode("utf-8", "surrogatepass")).hexdigest()
    options = tuple(clean(one, bodies.LONGEST_LINE) for one in asked.options)
    recommended = None if asked.recommended is None else clean(asked.recommended, bodies.LONGEST_LINE)
    return Asking(asked.cause, fingerprint, words, clean(asked.default, bodies.LONGEST_LINE), options, recommended)


async def give_evidence(session: Session, raw: bytes) -> Answer:
    """The body is the bundle itself, or a Markdown text with it. Raises Refused, DatabaseAway."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(422, "The bundle is no UTF-8 text.", "Send the YAML or JSON of the bundle as UTF-8.") from None
    read = read_given(text)
    if read.bundle is None:
        faults = "; ".join(str(fault) for fault in read.faults[:5]) or "there is none in it"
        raise Refused(
            422, f"The bundle cannot be read: {clean(faults, 1_000)}.", "Repair it; mergegate bundle explains."
        )
    async with session.call.database.transaction() as connection:
        run = await open_run(session, connection)
        given = await evidence.of_session(connection, session.grant.session)
    if len(given) >= MOST_BUNDLES:
        fix = "Push what is missing; the newest bundle counts."
        raise Refused(409, f"This session has given its {MOST_BUNDLES} bundles already.", fix)
    number = await publish(session, text)
    async with session.call.database.transaction() as connection:
        kept = await evidence.give(connection, run, session.grant.session, text)
        await work.mark(connection, await marks(connection, await session.key(connection)))
    told = bodies.EvidenceGiven(digest=kept.digest, pull_request=number, next="Wait at GET /session/verdict.")
    return Answer(told.model_dump(mode="json"), 201)
