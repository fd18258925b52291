"""What is known of a ticket that may have to go up to people, and the matters that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import re2

from app.proxy.audited import subject_of
from app.store import audit, decisions, opinions
from app.store.database import Connection
from app.store.decisions import Json
from app.store.tickets import runs
from app.store.tickets.escalations import Matter
from app.store.tickets.questions import Question
from app.tickets.parts import Place, issue_address
from app.tickets.view import TicketView, limits_now
from app.utc_day import day_begun
from checks.finding import Status
from policies.fields import PERSON
from policies.tickets.escalation import Cause, Facts, Power, causes, way
from policies.tickets.escalation_facts import lines_of, outside_scope, quoted_lines, wanted
from policies.tickets.escalation_pushes import people_for
from policies.tickets.escalation_question import ON_PULL
from policies.tickets.states import ACTIVE, Event, State

MIGRATION = "migration"  # an area: checks.areas
TELLABLE = frozenset({Cause.REQUIREMENT_CONFLICT, Cause.PERMISSION_EXPANSION})  # that an agent's question can be
WORK_IS_DONE = frozenset({State.MERGEABLE, State.QUEUED})
TRIES_ARE_OVER = frozenset({Event.EXHAUSTED, Event.REPEATED})
_PERSON = re2.compile(PERSON)


@dataclass(frozen=True, slots=True)
class Known:
    """A ticket as it was looked at, with what else a cause is told by.

    `verdict` is the newest on its pull request's head, if its evidence passed there; `refused` is what its agent may
    not do and tried; `cap_share` that of today's attempts which a limit ended.
    """

    view: TicketView
    now: datetime
    verdict: Json = None
    refused: frozenset[Power] = field(default_factory=frozenset)
    cap_share: float = 0.0
    asked: tuple[str, ...] = ()  # whose approval the gate asked for
    disagree: bool = False  # two judges, or a judge and a person
    owned: tuple[str, ...] = ()  # who owns its paths, see `escalating_owners`

    @property
    def risk(self) -> str:
        """What is not known is grave."""
        return "critical" if self.view.form is None else self.view.form.risk


async def read_known(connection: Connection, view: TicketView, now: datetime) -> Known:
    """Only what the ticket's state makes worth reading is read."""
    asks = any(one.cause == Cause.PERMISSION_EXPANSION for one in view.open_questions)
    verdict = await _verdict(connection, view) if view.row.state in WORK_IS_DONE else None
    newest = await _newest(connection, view) if view.row.state is State.NEEDS_HUMAN else verdict
    return Known(
        view,
        now,
        verdict,
        await _refused(connection, view) if asks else frozenset(),
        await _cap_share(connection, view, now) if view.row.state is State.CAP_HIT else 0.0,
        _asked(newest),
        await _disagree(connection, view, verdict),
    )


def matters(known: Known, place: Place) -> list[Matter]:
    """Everything that people must decide about it now, what cannot wait first. Pure."""
    found = [*_own(known, place), *_questions(known, place)]
    return sorted(found, key=lambda one: one.cause is not Cause.STOP_UNCONFIRMED)


def _own(known: Known, place: Place) -> Iterator[Matter]:
    """What the gate sees by itself."""
    view = known.view
    for cause in causes(_facts(known)):
        yield Matter(
            cause,
            _name(known, cause),
            way(cause, known.risk, known.cap_share),
            _detail(known, cause),
            log=_log(known, place, cause),
            head="" if view.pull is None else view.pull.head_sha,
            attempts=limits_now(view, place).attempts,
            people=_people(known, place),
            critical=known.risk == "critical",
        )


def _name(known: Known, cause: Cause) -> str:
    """That it changes stored data is one matter of a ticket, a disagreement one of a head, and what brought the ticket
    into its state one of that state."""
    if cause is Cause.DATA_MIGRATION:
        return cause.value
    head = None if known.view.pull is None else known.view.pull.head_sha
    about = head if cause is Cause.JUDGES_DISAGREE else known.view.row.since.isoformat()
    return f"{cause} {about}"


def _facts(known: Known) -> Facts:
    view, state = known.view, known.view.row.state
    over = state is State.NEEDS_HUMAN and view.entered_by in TRIES_ARE_OVER
    failures = tuple(one.fingerprint for one in view.failures)
    undecided = known.verdict is not None and known.verdict["review"]["status"] != Status.PASSED
    return Facts(
        known.risk,
        attempts_left=0 if over else 1,
        failures=(failures or ("no sign of life",)) if over else (),
        migration=undecided and view.form is not None and view.form.migration == "yes",
        migrating=(MIGRATION,) if undecided and MIGRATION in known.verdict["areas"] else (),
        stopping=known.now - view.row.since if state is State.STOPPING else None,
        disagree=known.disagree,
        capped=state is State.CAP_HIT and known.now - view.row.since < timedelta(days=1),
    )


def _detail(known: Known, cause: Cause) -> str:
    changes = known.view.changes
    if cause in (Cause.DATA_MIGRATION, Cause.JUDGES_DISAGREE):
        return str(known.verdict["review"]["reason"])
    if cause is Cause.CAP_HITS:
        return next((one.cause for one in changes if one.event is Event.CAP), "")
    if cause is Cause.REPEATED_FAILURE and known.view.failures:
        return known.view.failures[-1].reason
    return f"`{changes[0].cause}`" if changes else ""


def _log(known: Known, place: Place, cause: Cause) -> str | None:
    """Where to look: at the pull request where the choices are commands there, else at what failed."""
    pull, failures = known.view.row.pull_number, known.view.failures
    if cause in ON_PULL and pull is not None:
        return issue_address(place, pull)
    return failures[-1].log if cause is Cause.REPEATED_FAILURE and failures else None


def _questions(known: Known, place: Place) -> Iterator[Matter]:
    """What nobody works on any more waits for no answer."""
    for one in known.view.open_questions if known.view.row.state in ACTIVE else ():
        cause = next((each for each in TELLABLE if each == one.cause), None)
        powers = _wanted(known, one)
        if cause is not None and cause in causes(_facts_of_question(known, one, powers)):
            yield Matter(
                cause,
                f"question {one.ordinal}",
                way(cause, known.risk),
                one.question,
                ordinal=one.ordinal,
                path=next((power.what for power in sorted(powers, key=str) if power.kind == "path"), ""),
                people=_people(known, place),
                critical=known.risk == "critical",
            )


def _facts_of_question(known: Known, one: Question, powers: frozenset[Power]) -> Facts:
    snapshot = known.view.snapshot
    lines = frozenset() if snapshot is None else lines_of(snapshot.form, snapshot.redirects)
    return Facts(known.risk, lines, quoted_lines(_words(one), lines), known.refused, powers)


def _wanted(known: Known, one: Question) -> frozenset[Power]:
    return wanted(_words(one), known.refused)


def _words(one: Question) -> str:
    return "\n".join([one.question, *one.options])


def _people(known: Known, place: Place) -> tuple[str, ...]:
    """Those whom GitHub can notify by a mention."""
    snapshot = known.view.snapshot
    accepter = None if snapshot is None else snapshot.accepted_by
    named = people_for(accepter, known.asked or known.owned, place.rules.pushes.on_call)
    return tuple(name for name in named if _PERSON.fullmatch(name))


def _asked(verdict: Json) -> tuple[str, ...]:
    """Logins of whose approval a verdict asks for by name. A team is left out: a mention would wake all of it."""
    named = [name for ask in (verdict or {}).get("asks", ()) for name in ask["reviewers"]]
    return tuple(name.removeprefix("@") for name in named if "/" not in name)


async def _verdict(connection: Connection, view: TicketView) -> Json:
    key, pull = view.row.pull_key, view.pull
    if pull is None or key is None:
        return None
    return (await decisions.verdicts_of_heads(connection, key, [pull.head_sha], "passed")).get(pull.head_sha)


async def _disagree(connection: Connection, view: TicketView, verdict: Json) -> bool:
    row = view.row
    if verdict is None or row.pull_number is None:
        return False
    approved = bool(verdict["approved_by"])
    return await opinions.disagree(
        connection, row.repository_id, row.pull_number, verdict["head_sha"], approved=approved
    )


async def _refused(connection: Connection, view: TicketView) -> frozenset[Power]:
    """What the proxy refused its sessions, and paths of its last change that the ticket does not allow."""
    row = view.row
    sessions = [subject_of(one.grant.session) for one in view.sessions]
    own = {one.grant.branch for one in view.sessions}  # refused there was what it brought, not that it did
    told = await audit.data_of(connection, "push-refused", row.repository_id, sessions)
    branches = {Power("branch", str(ref)) for data in told for ref in data["refs"] if ref not in own}
    newest = await _newest(connection, view)
    return frozenset(branches) | (frozenset() if newest is None else outside_scope(newest["evidence"]))


async def _newest(connection: Connection, view: TicketView) -> Json:
    """The newest verdict on its pull request, whatever came out; None where there is none."""
    key = view.row.pull_key
    past = [] if key is None else await decisions.history(connection, key, 1)
    return past[0].verdict if past else None


async def _cap_share(connection: Connection, view: TicketView, now: datetime) -> float:
    capped, ended = await runs.ended_by(connection, view.row.repository_id, day_begun(now), Event.CAP)
    return capped / ended if ended else 0.0
