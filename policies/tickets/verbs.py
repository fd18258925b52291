"""What people may say to a ticket: one table of verbs, with where, who and when.

Lowering an agent's power is easy, raising it takes a higher right and a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from checks.accounts import Permission
from checks.commands import Command
from policies.tickets.states import ACTIVE, AT_WORK, State

Where = Literal["issue", "pull"]
BOTH: frozenset[Where] = frozenset({"issue", "pull"})
ISSUE: frozenset[Where] = frozenset({"issue"})
PULL: frozenset[Where] = frozenset({"pull"})
_ENDED_SHORT = frozenset({State.STOPPED, State.CAP_HIT})


@dataclass(frozen=True, slots=True)
class Verb:
    """One row. `states` is None where the state does not matter; `elsewhere`: the pull request's judgement reads it.

    `usage` shows how it is written, `says` what it does.
    """

    name: str
    where: frozenset[Where]
    least: Permission
    usage: str
    says: str
    states: frozenset[State] | None = None
    reason: bool = False
    ticket: bool = True  # whether it needs one
    elsewhere: bool = False
    bare: bool = True  # whether it may stand without anything behind it
    alone: bool = False  # whether nobody else of the repository may begin work meanwhile


@dataclass(frozen=True, slots=True)
class Raises:
    """What a command would raise, which takes a higher right than its row: told by who knows the ticket."""

    risk_high: bool = False  # the ticket that is accepted is of high or critical risk
    limit: bool = False  # a limit above the one that holds


@dataclass(frozen=True, slots=True)
class Need:
    """What a command needs: a permission, and a reason where one must be given."""

    least: Permission
    reason: bool


_P = Permission
_ROWS = (
    Verb("ticket", ISSUE, _P.TRIAGE, "/ticket", "posts the form's headings, for phones", ticket=False),
    Verb(
        *("accept", ISSUE, _P.WRITE, "/accept", "freezes what the ticket says now and lets agents have it"),
        states=frozenset({State.DRAFT, State.WAITING, State.NEEDS_HUMAN}) | _ENDED_SHORT,
    ),
    Verb(
        *("assign", ISSUE, _P.WRITE, "/assign <agent or pool>", "says who shall take it"),
        states=frozenset({State.DRAFT, State.WAITING}),
        bare=False,
    ),
    Verb(
        *("start", ISSUE, _P.WRITE, "/start", "has an agent started now; `/start all` lets the brake go"),
        states=frozenset({State.WAITING}),
    ),
    Verb("pause", ISSUE, _P.WRITE, "/pause", "no new attempt; the one under way goes on", states=ACTIVE),
    Verb("resume", ISSUE, _P.WRITE, "/resume", "attempts may begin again", states=ACTIVE),
    Verb("status", BOTH, _P.TRIAGE, "/status", "says step, percent, blocker, attempt, minutes, cost and what is next"),
    Verb(
        *("stop", BOTH, _P.TRIAGE, "/stop [now]", "ends it; `now`: its token is dead first. Can be said again"),
        states=ACTIVE | _ENDED_SHORT | {State.STOPPING},
    ),
    Verb(
        *("redirect", BOTH, _P.WRITE, "/redirect <text>", "tells the agent to do otherwise; attempts go on counting"),
        states=ACTIVE,
        bare=False,
    ),
    Verb(
        *("answer", ISSUE, _P.WRITE, "/answer <n> <text>", "answers a numbered question"),
        states=AT_WORK | {State.WAITING},
        bare=False,
    ),
    Verb(
        *("retry", BOTH, _P.WRITE, "/retry", "another attempt, if one is left"),
        states=frozenset({State.VERIFY_FAILED, State.NEEDS_HUMAN}) | _ENDED_SHORT,
    ),
    Verb(
        *("limit", ISSUE, _P.WRITE, "/limit minutes=90 attempts=3 cost=8", "sets limits; raising needs a reason"),
        states=frozenset({State.DRAFT}) | ACTIVE | _ENDED_SHORT,
        bare=False,
        alone=True,  # it asks what the day still takes
    ),
    Verb(
        *("grant", ISSUE, _P.MAINTAIN, "/grant path=<pattern> once", "lets it change one more path"),
        states=ACTIVE,
        reason=True,
        bare=False,
    ),
    Verb("approve", PULL, _P.WRITE, "/approve <code or commit>", "approves", ticket=False, elsewhere=True),
    Verb(
        *("reject", PULL, _P.WRITE, "/reject <text>", "sends it back to the agent"),
        states=frozenset({State.VERIFYING, State.MERGEABLE, State.QUEUED, State.NEEDS_HUMAN}),
        bare=False,
    ),
    Verb("hold", PULL, _P.TRIAGE, "/hold [text]", "keeps it out of the queue", states=ACTIVE),
    Verb("unhold", PULL, _P.WRITE, "/unhold", "lets it into the queue again"),
    Verb("requeue", PULL, _P.WRITE, "/requeue", "asks the queue again", ticket=False, elsewhere=True),
    Verb(
        *("split", ISSUE, _P.WRITE, "/split", "makes one draft of each row of a batch"),
        states=frozenset({State.DRAFT}),
    ),
    Verb("override", PULL, _P.ADMIN, "/override <commit>", "passes a check", reason=True, ticket=False, elsewhere=True),
    Verb(
        *("reverted", PULL, _P.WRITE, "/reverted <commit or pull request>", "tells that it was taken back"),
        states=frozenset({State.MERGED, State.SETTLED}),
        bare=False,
    ),
    Verb("board", ISSUE, _P.MAINTAIN, "/board", "makes this issue the board: its text is written over", ticket=False),
    Verb("help", BOTH, _P.READ, "/help", "lists these", ticket=False),
)
VERBS: Mapping[str, Verb] = {verb.name: verb for verb in _ROWS}
ALL = "all"  # `/stop all`, `/start all`: the whole repository


def need_of(command: Command, verb: Verb, raises: Raises) -> Need:
    """The row's right, or the higher one of what the command raises."""
    if verb.name == "accept" and raises.risk_high:
        return Need(Permission.MAINTAIN, reason=False)
    if verb.name == "limit" and raises.limit:
        return Need(Permission.MAINTAIN, reason=True)
    if is_for_all(command):
        return Need(Permission.MAINTAIN, reason=verb.name == "start")
    return Need(verb.least, verb.reason)


def is_for_all(command: Command) -> bool:
    """Whether it is about every ticket of the repository."""
    return command.verb in ("stop", "start") and command.words[:1] == (ALL,)


def refusal(
    command: Command, verb: Verb, where: Where, state: State | None, permission: Permission, raises: Raises
) -> str | None:
    """Why a command is not carried out, in one sentence; None where it is. `state` is None where there is no ticket."""
    if where not in verb.where:
        place = "on its issue" if where == "pull" else "on its pull request"
        return f"`/{verb.name}` is said {place}."
    need = need_of(command, verb, raises)
    if permission < need.least:
        return f"`/{verb.name}` needs {_word(need.least)} permission on the repository."
    if need.reason and not command.reason:
        return f"`/{verb.name}` needs a reason here: add a line `Reason: …` below it."
    if not verb.bare and not command.text:
        return f"`/{verb.name}` needs more: `{verb.usage}`."
    if is_for_all(command) or not verb.ticket:
        return None
    return _of_state(verb, where, state)


def _of_state(verb: Verb, where: Where, state: State | None) -> str | None:
    if state is None:
        this = "This pull request belongs to no ticket" if where == "pull" else "This issue is no ticket"
        return f"{this}, so there is nothing for `/{verb.name}`."
    if verb.states is not None and state not in verb.states:
        fit = ", ".join(sorted(each.replace("_", " ") for each in verb.states))
        return f"The ticket is {state.replace('_', ' ')}; `/{verb.name}` is for: {fit}."
    return None


def _word(permission: Permission) -> str:
    return permission.name.lower()
