"""What the week's numbers are counted from: everything that happened to the tickets of one repository, as records.

Times are aware, costs are US dollars, `number` is a ticket's. A source that nobody records is None, which is told apart
from one in which nothing happened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol, TypeVar

from checks.opinions import Word
from policies.tickets.escalation import Cause
from policies.tickets.states import Event, State

# Causes for which work went up to a person. Of other questions nobody is told at once.
ESCALATIONS = frozenset(cause.value for cause in Cause)


class ActKind(StrEnum):
    """What a person did, as far as the numbers tell such acts apart."""

    APPROVAL = "approval"
    OVERRIDE = "override"
    STOP = "stop"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of state; `attempt` is how many attempts had begun."""

    number: int
    from_state: State
    to_state: State
    event: Event
    attempt: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Stretch:
    """Work without a break. An attempt has several where it waited for answers; the last one ends it.

    `outcome` is the event that ended it. `cost` is None where nothing is known of it.
    """

    number: int
    attempt: int
    revision: int  # of the snapshot it began with
    ended_at: datetime | None
    outcome: Event | None
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question or an escalation."""

    number: int
    cause: str
    fingerprint: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Act:
    """Something a person did to a ticket or its pull request."""

    number: int
    kind: ActKind
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an independent judge said of a ticket's pull request, and when. `cost` is None where it told none."""

    number: int
    said: Word
    at: datetime
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class PullSpan:
    """When a pull request was open, and when GitHub said for certain that it conflicts or a queue put it out for it."""

    number: int  # of the pull request
    opened_at: datetime
    closed_at: datetime | None
    conflicts: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class Push:
    """A message that went to a person at once, about one ticket or several."""

    numbers: tuple[int, ...]
    person: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Canary:
    """A ticket made to exceed a limit, and whether it was stopped."""

    at: datetime
    passed: bool


@dataclass(frozen=True, slots=True)
class Raised:
    """What a person gave a ticket beyond what it had.

    `share` is what a limit became, as a multiple of the policy's default; None where it was another path.
    """

    number: int
    at: datetime
    share: float | None


@dataclass(frozen=True, slots=True)
class Records:
    """Changes and stretches in the order in which they happened.

    `approved_by_people` are the tickets whose pull request needs a person's approval.
    """

    changes: tuple[Change, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    asked: tuple[Asked, ...] = ()
    acts: tuple[Act, ...] = ()
    approved_by_people: frozenset[int] = frozenset()
    pulls: tuple[PullSpan, ...] | None = None
    pushes: tuple[Push, ...] | None = None
    canaries: tuple[Canary, ...] | None = None
    raised: tuple[Raised, ...] | None = None
    judgements: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """One ticket's part of the records."""

    number: int
    needs_approval: bool
    changes: tuple[Change, ...]
    stretches: tuple[Stretch, ...]
    asked: tuple[Asked, ...]
    acts: tuple[Act, ...]
    judgements: tuple[Judgement, ...] = ()


class _OfTicket(Protocol):
    @property
    def number(self) -> int: ...


_Kind = TypeVar("_Kind", bound=_OfTicket)


def histories(records: Records) -> tuple[History, ...]:
    """By number, for every ticket that changed."""
    changes, stretches = _by_ticket(records.changes), _by_ticket(records.stretches)
    asked, acts = _by_ticket(records.asked), _by_ticket(records.acts)
    judgements = _by_ticket(records.judgements)
    return tuple(
        History(
            number,
            number in records.approved_by_people,
            tuple(changes[number]),
            *(tuple(stretches.get(number, ())), tuple(asked.get(number, ())), tuple(acts.get(number, ()))),
            tuple(judgements.get(number, ())),
        )
        for number in sorted(changes)
    )


def _by_ticket(found: Iterable[_Kind]) -> dict[int, list[_Kind]]:
    grouped: dict[int, list[_Kind]] = defaultdict(list)
    for one in found:
        grouped[one.number].append(one)
    return grouped
