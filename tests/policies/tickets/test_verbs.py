"""The table of verbs, walked whole: every verb, place, permission and state, with and without a reason."""

from __future__ import annotations

import itertools

import pytest

from checks.accounts import Permission
from checks.commands import Command, read_commands
from policies.tickets.states import State
from policies.tickets.verbs import VERBS, Raises, Where, refusal

P, S = Permission, State
# Written down from the design, not from the table: where, least permission, reason, states (None: any ticket's).
ACTIVE = {S.WAITING, S.RUNNING, S.VERIFYING, S.VERIFY_FAILED, S.MERGEABLE, S.QUEUED, S.NEEDS_HUMAN}
SHORT = {S.STOPPED, S.CAP_HIT}
DESIGN: dict[str, tuple[set[Where], Permission, bool, set[State] | None]] = {
    "accept": ({"issue"}, P.WRITE, False, {S.DRAFT, S.WAITING, S.NEEDS_HUMAN} | SHORT),
    "assign": ({"issue"}, P.WRITE, False, {S.DRAFT, S.WAITING}),
    "start": ({"issue"}, P.WRITE, False, {S.WAITING}),
    "pause": ({"issue"}, P.WRITE, False, ACTIVE),
    "resume": ({"issue"}, P.WRITE, False, ACTIVE),
    "status": ({"issue", "pull"}, P.TRIAGE, False, None),
    "stop": ({"issue", "pull"}, P.TRIAGE, False, ACTIVE | SHORT | {S.STOPPING}),
    "redirect": ({"issue", "pull"}, P.WRITE, False, ACTIVE),
    "answer": ({"issue"}, P.WRITE, False, ACTIVE),
    "retry": ({"issue", "pull"}, P.WRITE, False, {S.VERIFY_FAILED, S.NEEDS_HUMAN} | SHORT),
    "limit": ({"issue"}, P.WRITE, False, {S.DRAFT} | ACTIVE | SHORT),
    "grant": ({"issue"}, P.MAINTAIN, True, ACTIVE),
    "reject": ({"pull"}, P.WRITE, False, {S.VERIFYING, S.MERGEABLE, S.QUEUED, S.NEEDS_HUMAN}),
    "hold": ({"pull"}, P.TRIAGE, False, ACTIVE),
    "unhold": ({"pull"}, P.WRITE, False, None),
    "split": ({"issue"}, P.WRITE, False, {S.DRAFT}),
    "reverted": ({"pull"}, P.WRITE, False, {S.MERGED, S.SETTLED}),
}
WITHOUT_TICKET: dict[str, tuple[set[Where], Permission, bool]] = {
    "ticket": ({"issue"}, P.TRIAGE, False),
    "board": ({"issue"}, P.MAINTAIN, False),
    "help": ({"issue", "pull"}, P.READ, False),
    "approve": ({"pull"}, P.WRITE, False),
    "requeue": ({"pull"}, P.WRITE, False),
    "override": ({"pull"}, P.ADMIN, True),
}
NOTHING = Raises()
PLACES: tuple[Where, ...] = ("issue", "pull")


def said(line: str, reason: bool = False) -> Command:
    (command,) = read_commands(line + ("\nReason: because" if reason else ""))
    return command


def refused(command: Command, where: Where, state: State | None, who: Permission, raises: Raises = NOTHING) -> bool:
    return refusal(command, VERBS[command.verb], where, state, who, raises) is not None


def test_every_verb_is_in_the_design() -> None:
    assert set(VERBS) == set(DESIGN) | set(WITHOUT_TICKET)
    assert all(verb.usage.startswith(f"/{name}") and verb.says for name, verb in VERBS.items())


@pytest.mark.parametrize("name", sorted(DESIGN))
def test_a_ticket_s_verb(name: str) -> None:
    places, least, needs_reason, states = DESIGN[name]
    walked = itertools.product(PLACES, Permission, [None, *State], [False, True])
    for where, permission, state, reason in walked:
        fits = state is not None and (states is None or state in states)
        allowed = where in places and permission >= least and fits and (reason or not needs_reason)
        assert refused(said(f"/{name} x", reason), where, state, permission) is not allowed, (where, permission, state)


@pytest.mark.parametrize("name", sorted(WITHOUT_TICKET))
def test_a_verb_that_needs_no_ticket(name: str) -> None:
    places, least, needs_reason = WITHOUT_TICKET[name]
    for where, permission, state, reason in itertools.product(PLACES, Permission, [None, *State], [False, True]):
        allowed = where in places and permission >= least and (reason or not needs_reason)
        assert refused(said(f"/{name} x", reason), where, state, permission) is not allowed


@pytest.mark.parametrize("permission", Permission)
def test_raising_takes_a_maintainer_and_a_reason(permission: Permission) -> None:
    limit, high = Raises(limit=True), Raises(risk_high=True)
    enough = permission >= P.MAINTAIN
    assert refused(said("/limit cost=9", reason=True), "issue", S.RUNNING, permission, limit) is not enough
    assert refused(said("/limit cost=9"), "issue", S.RUNNING, permission, limit)
    assert refused(said("/accept"), "issue", S.DRAFT, permission, high) is not enough
    assert refused(said("/stop all"), "issue", None, permission) is not enough
    assert refused(said("/start all", reason=True), "issue", None, permission) is not enough
    assert refused(said("/start all"), "issue", None, permission)


def test_a_refusal_says_what_is_missing() -> None:
    def because(line: str, where: Where, state: State | None, who: Permission = P.ADMIN) -> str | None:
        command = said(line)
        return refusal(command, VERBS[command.verb], where, state, who, Raises())

    assert because("/accept", "pull", S.DRAFT) == "`/accept` is said on its issue."
    assert because("/hold", "issue", S.RUNNING) == "`/hold` is said on its pull request."
    assert because("/accept", "issue", S.DRAFT, P.READ) == "`/accept` needs write permission on the repository."
    assert because("/grant path=a once", "issue", S.RUNNING) == (
        "`/grant` needs a reason here: add a line `Reason: …` below it."
    )
    assert because("/redirect", "issue", S.RUNNING) == "`/redirect` needs more: `/redirect <text>`."
    assert because("/accept", "issue", S.RUNNING) == (
        "The ticket is running; `/accept` is for: cap hit, draft, needs human, stopped, waiting."
    )
    assert because("/stop", "pull", None) == "This pull request belongs to no ticket, so there is nothing for `/stop`."
    assert because("/stop", "issue", None) == "This issue is no ticket, so there is nothing for `/stop`."
