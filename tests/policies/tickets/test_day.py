"""What the day lets happen of what follows by itself."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policies.tickets.day import ASKS, asks_the_day, within_day
from policies.tickets.limits import Day, Used, no_further, no_more, no_raise
from policies.tickets.progress import Next
from policies.tickets.states import Event, Position, State, step
from tests.policies.tickets.test_limits import RULES, rules

# RULES: 9 attempts, 500 minutes and 30 dollars a day.
FULL = Day(Used(attempts=9))


@pytest.mark.parametrize(
    ("state", "event", "becomes"),
    [
        (State.VERIFY_FAILED, Event.RESUMED, Event.RELEASED),
        (State.MERGEABLE, Event.SUBMITTED, Event.CAP),
        (State.QUEUED, Event.SUBMITTED, Event.CAP),
        (State.NEEDS_HUMAN, Event.ANSWERED, Event.ANSWERED),  # the attempt that it has goes on
    ],
)
def test_no_attempt_begins_once_the_day_has_had_its_own(state: State, event: Event, becomes: Event) -> None:
    following = Next(event, "x", "a" * 40)
    found = within_day(state, following, RULES, None, FULL)
    assert (found.event, found.sha) == (becomes, "a" * 40)
    assert step(Position(state), found.event) is not None
    assert within_day(state, following, RULES, None, Day(Used(attempts=8))) == following
    if becomes is not event:
        assert found.because == "x, and the day's 9 attempts are used up"


def test_an_answer_waits_for_another_day_where_this_one_has_no_time_or_no_money_left() -> None:
    following = Next(Event.ANSWERED, "its question was answered")
    for day in (Day(Used(minutes=500)), Day(Used(cost=Decimal(20)), committed=Decimal("10.01"))):
        assert within_day(State.NEEDS_HUMAN, following, RULES, None, day).event is Event.RELEASED
    whole = Day(Used(cost=Decimal(20)), committed=Decimal(10))
    assert within_day(State.NEEDS_HUMAN, following, RULES, None, whole) == following


def test_what_is_no_beginning_does_not_ask() -> None:
    """Every change after which an agent works, but for claims, and every one that begins an attempt."""
    asking = {(state, event) for state in State for event in Event if asks_the_day(state, Next(event, ""))}
    assert asking == set(ASKS)
    begins = {
        (state, event)
        for state in State
        for event in Event
        if event is not Event.CLAIMED
        and (step(Position(state), event) or Position(state)).state is State.RUNNING
        and step(Position(state), event) is not None
    }
    assert begins <= asking


def test_the_baseline_s_day_holds_too() -> None:
    tight = rules(day={"minutes": 100, "attempts": 2, "cost": 5})
    assert no_more(RULES, None, Used(minutes=499, cost=Decimal("29.99"))) is None
    assert no_more(RULES, None, Used(minutes=500)) == "the day's 500 minutes are used up"
    assert no_more(RULES, tight, Used(minutes=100)) == "the day's 100 minutes are used up"
    assert no_more(RULES, tight, Used(cost=Decimal(3), unsaid=Decimal(2))) == "the day's 5.00 USD are used up"
    assert no_further(RULES, tight, Day(Used(attempts=2)), attempt=True) == "the day's 2 attempts are used up"
    assert no_further(RULES, tight, Day(Used(attempts=2)), attempt=False) is None


def test_a_ticket_in_work_is_given_no_more_than_the_day_has() -> None:
    day = Day(Used(cost=Decimal(12)), committed=Decimal(9))
    assert no_raise(RULES, None, day, Decimal(9)) is None
    assert no_raise(RULES, None, day, Decimal("9.01")) == (
        "the day's budget of 30.00 USD would not cover it: 30.01 USD at the worst"
    )
