"""Who runs an agent, and who may not approve what it made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks import people
from checks.accounts import Account, Commit, CommitIdentity
from checks.people import PeopleRule, excluded_approvers
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import HEAD, OPERATOR, REVIEWER, SECOND, commit, persons

SHORT = HEAD[:12]
WEB_FLOW = Account("web-flow", 19864447)
COPILOT = Account("Copilot", 198982749, "Bot")
MACHINE = Account("Build-Agent", 950)
LISTED = PeopleRule(None, ("Olivia",))
UNREAD = Unread("HTTP 502")


def _vouched(message: str = "s\n\nCo-authored-by: R <11+rita@users.noreply.github.com>", **changes: Any) -> Commit:
    return commit(COPILOT, WEB_FLOW, message, **{"signature_valid": True, "signed_by_github": True, **changes})


@pytest.mark.parametrize(
    ("snapshot", "logins"),
    [
        (persons(), ()),
        (persons(operator="Olivia"), ("olivia",)),
        (persons(ticket=build.ticket()), ("olivia",)),
        (persons(operator="rita", ticket=build.ticket()), ("rita", "olivia")),
        (persons(operator="olivia", ticket=build.ticket()), ("olivia",)),
        (persons(commits=(_vouched(),)), ("rita",)),
        (persons(commits=(_vouched("s\n\nCo-authored-by: Ann <ann@example.com>"),)), ()),
        (persons(commits=(_vouched(signature_valid=False),)), ()),
        (persons(commits=(_vouched(signed_by_github=False),)), ()),
        (persons(commits=(replace(_vouched(), author=build.identity(OPERATOR)),)), ()),
        (persons(commits=(replace(_vouched(), author=CommitIdentity("x", "noreply@anthropic.com")),)), ()),
        (persons(commits=UNREAD), ()),
    ],
)
def test_who_runs_the_agent(snapshot: Snapshot, logins: tuple[str, ...]) -> None:
    assert people.operators(snapshot) == logins


def _excluded(snapshot: Snapshot, allow_operator: bool = False, **changes: Any) -> dict[str, str]:
    return dict(excluded_approvers(snapshot, changes.get("kind", build.AN_AGENTS), allow_operator).logins)


def test_author_contributors_and_operator_may_not_approve() -> None:
    snapshot = build.snapshot(
        head=replace(build.snapshot().head, pusher=Account("Pia")), commits=(commit(REVIEWER, SECOND),)
    )
    assert _excluded(snapshot) == {
        "mergegate-courier": "opened this pull request",
        "pia": "pushed this head",
        "sam": f"committed commit {SHORT}",
        "rita": f"wrote commit {SHORT}",
        "olivia": "runs the agent that made this change",
    }


def test_whoever_pushed_a_commit_that_names_others_may_not_approve() -> None:
    snapshot = build.snapshot(commits=(commit(), commit(oid="d" * 40)), earlier_pushers=(REVIEWER,))
    assert _excluded(snapshot)["rita"] == "pushed an earlier commit of it"
    assert _excluded(snapshot, allow_operator=True)["rita"] == "pushed an earlier commit of it"


def test_an_operator_who_pushed_past_the_agents_session_may_not_approve_that() -> None:
    by_hand: dict[str, Any] = {"operator": "olivia", "earlier_pushers": (OPERATOR,)}
    past_it = build.snapshot(session_agent="claude", **by_hand)
    assert _excluded(past_it, allow_operator=True)["olivia"] == "pushed an earlier commit of it"
    # Without a session the agent itself may push in that person's name.
    assert "olivia" not in _excluded(build.snapshot(session_agent=None, **by_hand), allow_operator=True)


def test_a_login_that_was_changed_is_the_same_person() -> None:
    excluded = excluded_approvers(persons(), build.A_PERSONS, False)
    renamed = Account("olivia-new", OPERATOR.id)
    assert excluded.why(renamed) == excluded.why(OPERATOR) == "opened this pull request"
    assert excluded.why(Account("olivia-new")) is None
    assert excluded.why(REVIEWER) is None


def test_the_first_reason_stands() -> None:
    assert _excluded(persons(operator="olivia")) == {"olivia": "opened this pull request"}
    pushed = build.snapshot(head=replace(build.snapshot().head, pusher=OPERATOR), commits=(commit(OPERATOR),))
    assert _excluded(pushed)["olivia"] == "pushed this head"


def test_unknown_contributors_exclude_nobody_by_name() -> None:
    snapshot = build.snapshot(author=UNREAD, commits=UNREAD, head=replace(persons().head, pusher=None), operator=None)
    assert _excluded(snapshot) == {}
    unmapped = replace(snapshot, commits=(commit(None),))
    assert _excluded(unmapped) == {}


def test_a_person_s_own_pull_request_has_no_operator() -> None:
    assert "rita" not in _excluded(persons(operator="rita"), kind=build.A_PERSONS)
    assert "rita" in _excluded(persons(operator="rita"))


def test_the_operator_may_approve_where_policy_says_so() -> None:
    snapshot = build.snapshot(
        head=replace(build.snapshot().head, pusher=OPERATOR), commits=(commit(OPERATOR), commit(REVIEWER))
    )
    assert "olivia" in _excluded(snapshot)
    assert "olivia" not in _excluded(snapshot, allow_operator=True)
    assert "rita" in _excluded(snapshot, allow_operator=True)


def test_who_opened_it_may_not_approve_even_then() -> None:
    assert _excluded(build.snapshot(author=OPERATOR), allow_operator=True)["olivia"] == "opened this pull request"
