"""What happens next to a ticket by itself: one row a case, and what holds for every state of affairs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.finding import Status
from policies.load import load
from policies.tickets.limits import Limits, Used
from policies.tickets.progress import Attempt, Facts, PullFacts, next_event, stalled
from policies.tickets.states import ENDED, Event, Position, State, step
from tests.policies.build import presets

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
RULES = load("version: 1\n", presets()).ticket
LIMITS = Limits(120, 3, Decimal(10))
HEAD, OTHER = "a" * 40, "b" * 40
PULL = PullFacts(open=True, merged=False, draft=False, head_sha=HEAD)
GONE = replace(PULL, open=False)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


BEGUN = Attempt(ago(30), ago(29), ago(1), session_live=True)


def facts(state: State, **changes: Any) -> Facts:
    base = Facts(NOW, Position(state), ago(1), None, True, LIMITS, Used(30.0, 1, Decimal(1)), RULES)
    return replace(base, **changes)


def happens(state: State, **changes: Any) -> Event | None:
    found = next_event(facts(state, **changes))
    return None if found is None else found.event


S, E = State, Event
SPENT = Used(30.0, 3, Decimal(1))
OVER = Used(120.0, 1, Decimal(1))
PASSED, FAILED = replace(PULL, evidence=Status.PASSED), replace(PULL, evidence=Status.FAILED)
CASES: list[tuple[State, dict[str, Any], Event | None]] = [
    # whatever GitHub says is so
    (S.RUNNING, {"pull": replace(GONE, merged=True)}, E.MERGED),
    (S.STOPPED, {"pull": replace(GONE, merged=True)}, E.MERGED),
    (S.MERGED, {"pull": replace(GONE, merged=True)}, None),
    (S.WAITING, {"issue_open": False}, E.CANCEL),
    (S.DRAFT, {"issue_open": False}, E.CANCEL),
    (S.MERGED, {"issue_open": False}, None),
    (S.CANCELLED, {}, E.REOPENED),
    (S.CANCELLED, {"issue_open": False}, None),
    # limits
    (S.RUNNING, {"attempt": BEGUN, "used": OVER}, E.CAP),
    (S.VERIFYING, {"attempt": BEGUN, "used": OVER, "pull": PULL}, E.CAP),
    (S.MERGEABLE, {"used": OVER, "pull": PASSED, "judged_sha": HEAD}, None),
    (S.WAITING, {"used": SPENT}, E.EXHAUSTED),
    (S.WAITING, {}, None),
    # an attempt
    (S.RUNNING, {"attempt": BEGUN}, None),
    (S.RUNNING, {"attempt": None}, E.RELEASED),
    (S.RUNNING, {"attempt": None, "used": SPENT}, E.EXHAUSTED),
    (S.RUNNING, {"attempt": replace(BEGUN, session_live=False)}, E.RELEASED),
    (S.RUNNING, {"attempt": replace(BEGUN, session_live=None)}, None),
    (S.RUNNING, {"attempt": replace(BEGUN, session_live=None, alive_at=ago(60))}, None),
    (S.RUNNING, {"attempt": Attempt(ago(10), None, ago(10))}, E.NOT_STARTED),
    (S.RUNNING, {"attempt": Attempt(ago(9), None, ago(9), True)}, None),
    (S.RUNNING, {"attempt": Attempt(ago(10), None, ago(10), True)}, E.NOT_STARTED),
    (S.RUNNING, {"attempt": replace(BEGUN, alive_at=ago(9.9))}, None),
    (S.RUNNING, {"attempt": replace(BEGUN, alive_at=ago(10))}, E.RELEASED),
    (S.RUNNING, {"attempt": replace(BEGUN, alive_at=ago(10)), "used": SPENT}, E.EXHAUSTED),
    (S.RUNNING, {"attempt": BEGUN, "pull": PULL}, E.SUBMITTED),
    (S.RUNNING, {"attempt": BEGUN, "pull": replace(PULL, draft=True)}, None),
    (S.RUNNING, {"attempt": BEGUN, "pull": GONE}, None),
    (S.RUNNING, {"attempt": BEGUN, "pull": FAILED, "failed_sha": HEAD}, None),
    (S.RUNNING, {"attempt": BEGUN, "pull": PASSED, "failed_sha": HEAD}, E.SUBMITTED),
    (S.RUNNING, {"attempt": BEGUN, "pull": FAILED, "failed_sha": OTHER}, E.SUBMITTED),
    # a verdict
    (S.VERIFYING, {"pull": PULL}, None),
    (S.VERIFYING, {"pull": None}, None),
    (S.VERIFYING, {"pull": PASSED}, E.PASSED),
    (S.VERIFYING, {"pull": FAILED}, E.FAILED),
    (S.VERIFYING, {"pull": replace(PULL, evidence=Status.ERRORED)}, None),
    (S.VERIFYING, {"pull": GONE}, E.PULL_CLOSED),
    (S.VERIFY_FAILED, {"pull": FAILED, "session_live": True}, E.RESUMED),
    (S.VERIFY_FAILED, {"pull": FAILED}, E.RELEASED),
    (S.VERIFY_FAILED, {"pull": None}, E.RELEASED),
    (S.VERIFY_FAILED, {"pull": FAILED, "used": SPENT, "session_live": True}, E.EXHAUSTED),
    (S.VERIFY_FAILED, {"pull": FAILED, "failed_again": True, "session_live": True}, E.REPEATED),
    (S.VERIFY_FAILED, {"pull": FAILED, "failed_again": True, "used": SPENT}, E.EXHAUSTED),
    (S.VERIFY_FAILED, {"pull": PASSED, "failed_again": True}, E.PASSED),
    (S.VERIFY_FAILED, {"pull": FAILED, "paused": True, "session_live": True}, None),
    (S.VERIFY_FAILED, {"pull": PASSED}, E.PASSED),
    (S.VERIFY_FAILED, {"pull": PASSED, "rejected_sha": HEAD, "session_live": True}, E.RESUMED),
    (S.VERIFY_FAILED, {"pull": PASSED, "rejected_sha": OTHER}, E.PASSED),
    (S.RUNNING, {"attempt": BEGUN, "pull": PASSED, "rejected_sha": HEAD}, None),
    (S.VERIFY_FAILED, {"pull": GONE}, E.PULL_CLOSED),
    # the queue
    (S.MERGEABLE, {"pull": PASSED, "judged_sha": HEAD}, None),
    (S.MERGEABLE, {"pull": FAILED, "judged_sha": HEAD}, E.FAILED),
    (S.MERGEABLE, {"pull": GONE}, E.PULL_CLOSED),
    (S.MERGEABLE, {"pull": PULL, "judged_sha": OTHER}, E.SUBMITTED),
    (S.MERGEABLE, {"pull": PULL, "judged_sha": OTHER, "used": SPENT}, E.CAP),
    (S.MERGEABLE, {"pull": replace(PASSED, queued=True), "judged_sha": HEAD}, E.ENQUEUED),
    (S.QUEUED, {"pull": replace(PASSED, queued=True), "judged_sha": HEAD}, None),
    (S.QUEUED, {"pull": PASSED, "judged_sha": HEAD}, E.DEQUEUED),
    # people
    (S.NEEDS_HUMAN, {"entered_by": E.ASKED, "open_questions": 1, "session_live": True}, None),
    (S.NEEDS_HUMAN, {"entered_by": E.ASKED, "session_live": True}, E.ANSWERED),
    (S.NEEDS_HUMAN, {"entered_by": E.ASKED}, E.RELEASED),
    (S.NEEDS_HUMAN, {"entered_by": E.EXHAUSTED, "session_live": True}, None),
    (S.NEEDS_HUMAN, {"entered_by": E.REPEATED}, None),
    # afterwards
    (S.MERGED, {"since": NOW - timedelta(days=14)}, E.SETTLED),
    (S.MERGED, {"pull": replace(GONE, merged=True, reverted=True)}, E.REVERTED),
    (S.SETTLED, {"since": NOW - timedelta(days=30)}, None),
    (S.SETTLED, {"pull": replace(GONE, merged=True, reverted=True)}, E.REVERTED),
    (S.REVERTED, {}, None),
    (S.STOPPED, {}, None),
    (S.STOPPING, {"issue_open": False, "pull": replace(GONE, merged=True)}, None),
]


@pytest.mark.parametrize(("state", "changes", "event"), CASES)
def test_what_is_next(state: State, changes: dict[str, Any], event: Event | None) -> None:
    assert happens(state, **changes) == event


def test_the_reason_and_the_commit_are_told() -> None:
    found = next_event(facts(S.VERIFYING, pull=FAILED))
    assert found is not None
    assert (found.because, found.sha) == ("its evidence failed", HEAD)
    told = next_event(facts(S.MERGEABLE, pull=replace(FAILED, reason="2 tests failed"), judged_sha=HEAD))
    assert told is not None
    assert told.because == "its evidence does not hold any more: 2 tests failed"
    silent = next_event(facts(S.RUNNING, attempt=replace(BEGUN, alive_at=ago(11)), used=SPENT))
    assert silent is not None
    assert silent.because == "the agent gave no sign of life for 10 minutes, and all 3 attempts are used up"


def test_a_silent_agent_stalls_before_its_attempt_ends() -> None:
    assert not stalled(facts(S.RUNNING, attempt=replace(BEGUN, alive_at=ago(4.9))))
    assert stalled(facts(S.RUNNING, attempt=replace(BEGUN, alive_at=ago(5))))
    assert not stalled(facts(S.VERIFYING, attempt=replace(BEGUN, alive_at=ago(5))))
    assert not stalled(facts(S.RUNNING, attempt=Attempt(ago(9), None, ago(9))))
    assert not stalled(facts(S.RUNNING))


_PULLS = st.none() | st.builds(
    PullFacts,
    open=st.booleans(),
    merged=st.booleans(),
    draft=st.booleans(),
    head_sha=st.sampled_from([HEAD, OTHER]),
    evidence=st.none() | st.sampled_from(Status),
    queued=st.booleans(),
    reverted=st.booleans(),
)
_ATTEMPTS = st.none() | st.builds(
    Attempt,
    claimed_at=st.just(ago(30)),
    started_at=st.sampled_from([None, ago(20)]),
    alive_at=st.sampled_from([ago(1), ago(60)]),
    session_live=st.sampled_from([None, True, False]),
)


@given(
    st.sampled_from(State),
    _PULLS,
    _ATTEMPTS,
    st.fixed_dictionaries(
        {
            "issue_open": st.booleans(),
            "paused": st.booleans(),
            "session_live": st.booleans(),
            "open_questions": st.integers(0, 2),
            "used": st.sampled_from([Used(), SPENT, OVER]),
            "entered_by": st.none() | st.sampled_from(Event),
            "failed_sha": st.sampled_from([None, HEAD]),
            "rejected_sha": st.sampled_from([None, HEAD]),
            "judged_sha": st.sampled_from([None, HEAD, OTHER]),
        }
    ),
)
def test_only_what_the_table_allows_and_never_a_claim_or_an_acceptance(
    state: State, pull: PullFacts | None, attempt: Attempt | None, more: dict[str, Any]
) -> None:
    found = next_event(facts(state, pull=pull, attempt=attempt, **more))
    if found is None:
        return
    assert step(Position(state), found.event) is not None
    assert found.event not in (E.ACCEPTED, E.CLAIMED, E.RETRIED, E.STOP, E.CONFIRMED)
    if state in ENDED:
        assert found.event in (E.MERGED, E.SETTLED, E.REVERTED, E.REOPENED)
