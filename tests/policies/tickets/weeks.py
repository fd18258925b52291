"""Weeks of a fleet of any size: tickets that pass, fail, ask, are stopped and reach limits, one way each in turn."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from policies.tickets.metrics import Metrics, measure
from policies.tickets.records import Act, ActKind, Asked, Change, Records, Stretch
from policies.tickets.states import Event, Position, State, step
from policies.tickets.week import Week

WEEKS = 12
WEEK = Week(date(2026, 11, 23), UTC)
NOW = datetime(2026, 11, 30, 7, 42, tzinfo=UTC)
E = Event
WAYS = (
    (E.ACCEPTED, E.CLAIMED, E.SUBMITTED, E.PASSED, E.MERGED),
    (E.ACCEPTED, E.CLAIMED, E.SUBMITTED, E.FAILED, E.RESUMED, E.SUBMITTED, E.PASSED, E.MERGED, E.REVERTED),
    (E.ACCEPTED, E.CLAIMED, E.ASKED, E.ANSWERED, E.SUBMITTED, E.PASSED, E.MERGED),
    (E.ACCEPTED, E.CLAIMED, E.STOP, E.CONFIRMED),
    (E.ACCEPTED, E.CLAIMED, E.CAP, E.CONFIRMED),
    (E.ACCEPTED, E.CLAIMED, E.SUBMITTED, E.FAILED, E.EXHAUSTED),
)


def weeks_of(count: int) -> tuple[Metrics, ...]:
    """The last twelve weeks, the oldest first, of as many tickets, spread over them evenly."""
    records = fleet_records(count)
    return tuple(measure(records, WEEK.before(before), NOW) for before in reversed(range(WEEKS)))


def fleet_records(count: int) -> Records:
    numbers = range(1, count + 1)
    changes = [change for number in numbers for change in _changes(number)]
    ended = {change.number: change for change in changes}
    return Records(
        changes=tuple(changes),
        stretches=tuple(
            Stretch(number, 1, 1, ended[number].at, ended[number].event, Decimal(number % 7)) for number in numbers
        ),
        asked=tuple(
            Asked(one.number, "requirement_conflict", "f", one.at) for one in changes if one.event is Event.ASKED
        ),
        acts=tuple(Act(one.number, ActKind.OTHER, "ada", one.at) for one in changes if one.event is Event.ANSWERED),
        pulls=(),
    )


def _changes(number: int) -> list[Change]:
    position, found = Position(State.DRAFT), []
    begun = WEEK.before(number % WEEKS).begins + timedelta(hours=number % 90)
    for place, event in enumerate(WAYS[(number // WEEKS + number) % len(WAYS)]):
        after = step(position, event)
        assert after is not None
        attempt = 2 if place > 4 else min(place, 1)
        at = begun + timedelta(hours=place * (1 + number % 3))
        found.append(Change(number, position.state, after.state, event, attempt, at))
        position = after
    return found
