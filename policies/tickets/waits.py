"""How long work waited for a person, and how long a stop took: intervals told from what happened to tickets. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest

from policies.tickets.records import Act, ActKind, Change, History
from policies.tickets.states import Event, State
from policies.tickets.week import Week


@dataclass(frozen=True, slots=True)
class Wait:
    """From the moment a ticket needed a person to the first thing that a person did, None while nobody did anything.

    `passed`: the ticket is somewhere else by now.
    """

    began_at: datetime
    acted_at: datetime | None
    passed: bool


@dataclass(frozen=True, slots=True)
class Waits:
    """Hours of the intervals that a person closed in the week, and of those open at its end. None: there are none.

    `unseen` counts those that began in the week and were open at its end.
    """

    closed: int
    median: float | None
    p90: float | None
    total: float
    open: int
    oldest: float | None
    unseen: int


@dataclass(frozen=True, slots=True)
class Stops:
    """Stops confirmed in the week, with the 95th percentile of their seconds, and those not confirmed at its end."""

    confirmed: int
    p95: float | None
    unconfirmed: int


def percentile(values: Sequence[float], share: float) -> float | None:
    """By nearest rank: the smallest value that at least this share of them does not exceed. None of none."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered))) - 1] if ordered else None


def review_waits(tickets: Sequence[History], week: Week, now: datetime) -> Waits:
    """Intervals closed in the week by a person's act; one that ended by itself counts neither as closed nor as open.

    Those still open are as old as they were at the week's end, or are now while it lasts.
    """
    waits = [wait for ticket in tickets for wait in _waits(ticket, week.ends)]
    hours = [_hours(wait.acted_at - wait.began_at) for wait in waits if wait.acted_at and week.holds(wait.acted_at)]
    still = [wait for wait in waits if wait.acted_at is None and not wait.passed]
    ages = [_hours(min(week.ends, now) - wait.began_at) for wait in still]
    unseen = len([wait for wait in still if week.holds(wait.began_at)])
    median = statistics.median(hours) if hours else None
    return Waits(len(hours), median, percentile(hours, 0.9), sum(hours), len(ages), max(ages, default=None), unseen)


def _waits(ticket: History, end: datetime) -> Iterator[Wait]:
    """As they were known at the end."""
    changes = [change for change in ticket.changes if change.at < end]
    for change, following in zip_longest(changes, changes[1:]):
        if _needs_person(ticket, change):
            left_at = None if following is None else following.at
            acts = [act.at for act in ticket.acts if change.at <= act.at <= (left_at or act.at) and act.at < end]
            yield Wait(change.at, min(acts, default=None), left_at is not None)


def _needs_person(ticket: History, change: Change) -> bool:
    if change.to_state is State.NEEDS_HUMAN:
        return True
    return change.to_state is State.MERGEABLE and ticket.needs_approval


def _hours(length: timedelta) -> float:
    return length / timedelta(hours=1)


def stop_times(tickets: Sequence[History], week: Week) -> Stops:
    """From the comment that asked for it to the moment when token and process were gone."""
    seconds, unconfirmed = [], 0
    for ticket in tickets:
        changes = [change for change in ticket.changes if change.at < week.ends]
        for change, gone in zip_longest(changes, changes[1:]):
            if change.event is Event.STOP and gone is None:
                unconfirmed += 1
            elif change.event is Event.STOP and week.holds(gone.at):
                seconds.append((gone.at - _asked_at(ticket.acts, change)).total_seconds())
    return Stops(len(seconds), percentile(seconds, 0.95), unconfirmed)


def _asked_at(acts: Sequence[Act], stop: Change) -> datetime:
    """The last comment before it that asked for it; a brake has none on the ticket, and counts from the change."""
    return max((act.at for act in acts if act.kind is ActKind.STOP and act.at <= stop.at), default=stop.at)
