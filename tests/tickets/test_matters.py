"""Which matters a ticket has, told from what is known of it alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from app.store.tickets.escalations import Matter
from app.store.tickets.runs import Spent
from app.tickets.escalating_facts import Known, matters
from app.tickets.view import TicketView
from policies.load import load
from policies.tickets.escalation import Cause
from policies.tickets.escalation_facts import Failure
from policies.tickets.progress import PullFacts
from policies.tickets.states import Event, State
from tests.policies.build import presets
from tests.tickets.rows import FORM

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
RULES = load("version: 1\nticket: {pushes: {on_call: [bob, ada]}}", presets()).ticket
PLACE: Any = SimpleNamespace(
    rules=RULES,
    floor=None,
    repository=SimpleNamespace(owner="acme", name="shop"),
    client=SimpleNamespace(identity=SimpleNamespace(api_url="https://api.github.com")),
)
S, E = State, Event


def _known(state: State, entered_by: Event, *, head: str = HEAD, by: str = "ada", ago: float = 5, **more: Any) -> Known:
    """A ticket that has been in that state for so many seconds; `failures` are fingerprints."""
    since = NOW - timedelta(seconds=ago)
    row: Any = SimpleNamespace(
        state=state, since=since, pull_number=13, max_minutes=None, max_attempts=None, max_cost=None
    )
    snapshot: Any = SimpleNamespace(accepted_by=by, form=FORM, redirects=())
    change: Any = SimpleNamespace(event=entered_by, to_state=state, cause="as it came")
    failures = tuple(Failure(one, f"how {one} failed", None) for one in more.pop("failures", ()))
    view = TicketView(row, snapshot, None, None, Spent(0, 0.0, 0), (), (change,), (), None, failures)  # type: ignore[arg-type]
    return Known(replace(view, pull=PullFacts(True, False, False, head)), NOW, **more)


def _verdict(review: str, *areas: str) -> dict[str, Any]:
    return {"review": {"status": review, "reason": "1 of 1 approvals is missing."}, "areas": list(areas)}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (_known(S.MERGEABLE, E.PASSED, verdict=_verdict("pending", "migration")), [(Cause.DATA_MIGRATION, "push")]),
        (_known(S.MERGEABLE, E.PASSED, verdict=_verdict("passed", "migration")), []),  # somebody has decided
        (_known(S.MERGEABLE, E.PASSED, verdict=_verdict("pending", "payment")), []),
        (_known(S.NEEDS_HUMAN, E.PULL_CLOSED), []),
        (_known(S.NEEDS_HUMAN, E.EXHAUSTED), [(Cause.REPEATED_FAILURE, "push")]),  # its agents just went silent
        (_known(S.NEEDS_HUMAN, E.REPEATED, failures=("f", "f")), [(Cause.REPEATED_FAILURE, "push")]),
        (_known(S.NEEDS_HUMAN, E.REPEATED), [(Cause.REPEATED_FAILURE, "push")]),  # its verdicts are gone by now
        (_known(S.VERIFY_FAILED, E.FAILED, failures=("f", "f")), []),  # it moves on first
        (_known(S.STOPPING, E.STOP, ago=59), []),
        (_known(S.STOPPING, E.STOP, ago=60), [(Cause.STOP_UNCONFIRMED, "push")]),
        (_known(S.CAP_HIT, E.CONFIRMED, cap_share=0.1), [(Cause.CAP_HITS, "digest")]),
        (_known(S.CAP_HIT, E.CONFIRMED, cap_share=0.2), [(Cause.CAP_HITS, "push")]),
        (_known(S.CAP_HIT, E.CONFIRMED, ago=90_000), []),
        (_known(S.MERGEABLE, E.PASSED, disagree=True, verdict=_verdict("passed")), [(Cause.JUDGES_DISAGREE, "digest")]),
    ],
)
def test_each_state_has_the_matters_that_people_must_decide(known: Known, expected: list[tuple[Cause, str]]) -> None:
    assert [(one.cause, one.way) for one in matters(known, PLACE)] == expected


def _one(known: Known) -> Matter:
    (found,) = matters(known, PLACE)
    return found


def test_a_disagreement_is_one_matter_of_a_head_and_a_failure_one_of_its_state() -> None:
    about: Any = {"disagree": True, "verdict": _verdict("passed")}
    names = [
        _one(_known(S.MERGEABLE, E.PASSED, ago=ago, head=head, **about)).name
        for ago, head in ((5, HEAD), (900, HEAD), (5, OTHER))
    ]
    assert names[0] == names[1] != names[2]
    assert _one(_known(S.NEEDS_HUMAN, E.EXHAUSTED)).name != _one(_known(S.NEEDS_HUMAN, E.EXHAUSTED, ago=6)).name


def test_those_who_are_told_are_people_each_once() -> None:
    assert _one(_known(S.NEEDS_HUMAN, E.EXHAUSTED, asked=("eve", "Bob"))).people == ("ada", "eve", "Bob")
    assert _one(_known(S.NEEDS_HUMAN, E.EXHAUSTED, by="helper[bot]")).people == ("bob", "ada")


def test_a_matter_says_what_happened_and_where_to_look() -> None:
    again = _one(_known(S.NEEDS_HUMAN, E.REPEATED, failures=("f", "f")))
    assert (again.detail, again.attempts, again.head) == ("how f failed", 3, HEAD)
    data = _one(_known(S.MERGEABLE, E.PASSED, verdict=_verdict("pending", "migration")))
    assert data.log == "https://github.com/acme/shop/issues/13"
    assert data.detail == "1 of 1 approvals is missing."
    assert _one(_known(S.STOPPING, E.STOP, ago=61)).detail == "`as it came`"
