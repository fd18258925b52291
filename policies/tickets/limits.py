"""What a ticket may use: the smallest of what the ticket, the repository, and the server's baseline say.

A limit that nobody named is the policy's, never none. Costs are US dollars, times are minutes of all attempts with the
verifier's, and a day is one of UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from policies.ticket_section import TicketRules

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Asked:
    """Limits that a ticket or a person names; None where they name none."""

    minutes: int | None = None
    attempts: int | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that hold, each a number."""

    minutes: int
    attempts: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Used:
    """What was used so far. `cost` is what is known of it, `unsaid` what may come to it where nothing meters it."""

    minutes: float = 0.0
    attempts: int = 0
    cost: Decimal = Decimal(0)
    unsaid: Decimal = Decimal(0)

    @property
    def at_most(self) -> Decimal:
        """What it can have cost; limits hold against this."""
        return self.cost + self.unsaid


@dataclass(frozen=True, slots=True)
class Day:
    """What the repository's day holds.

    `running` and `pool_running` count tickets in work, `committed` is what those may still spend beside what is spent.
    """

    used: Used = Used()
    running: int = 0
    pool_running: int = 0
    committed: Decimal = Decimal(0)


NOTHING = Limits(0, 0, Decimal(0))


def dollars(amount: float | str | Decimal) -> Decimal:
    """Whole cents, never more than was said."""
    return Decimal(str(amount)).quantize(CENT, ROUND_DOWN)


def limits_of(rules: TicketRules, ticket: Asked, set_later: Asked, floor: TicketRules | None) -> Limits:
    """What holds for one ticket. `set_later` is a person's `/limit`, which stands in the place of the ticket's own."""
    most = [rules.most] if floor is None else [rules.most, floor.most]
    minutes = _first(set_later.minutes, ticket.minutes, rules.limits.minutes)
    attempts = _first(set_later.attempts, ticket.attempts, rules.limits.attempts)
    cost = set_later.cost or ticket.cost or dollars(rules.limits.cost)
    return Limits(
        min(minutes, *(one.minutes for one in most)),
        min(attempts, *(one.attempts for one in most)),
        min(cost, *(dollars(one.cost) for one in most)),
    )


def _first(*given: int | None) -> int:
    return next(one for one in given if one is not None)


def left(limits: Limits, used: Used) -> Limits:
    """What remains, never below nothing."""
    return Limits(
        max(0, limits.minutes - int(used.minutes)),
        max(0, limits.attempts - used.attempts),
        max(Decimal(0), limits.cost - used.at_most),
    )


def hit(limits: Limits, used: Used) -> str | None:
    """The limit that ends a running ticket, in words; None while all hold. Its last attempt may run to its end."""
    if used.minutes >= limits.minutes:
        return f"the time limit of {limits.minutes} minutes is used up"
    if used.cost >= limits.cost:
        return f"the cost limit of {limits.cost} USD is used up"
    if used.at_most >= limits.cost:
        return f"the cost limit of {limits.cost} USD may be used up: nothing meters it, and its time allows as much"
    return None


def no_attempt(limits: Limits, used: Used) -> str | None:
    """Why no further attempt of a ticket may begin; None where one may."""
    if used.attempts >= limits.attempts:
        return f"all {limits.attempts} attempts are used up"
    return hit(limits, used)


def no_start(rules: TicketRules, floor: TicketRules | None, limits: Limits, used: Used, day: Day) -> str | None:
    """Why the repository cannot take another ticket into work now; None where it can.

    The whole cost that the ticket may still have is counted against the day before it begins.
    """
    remaining = left(limits, used)
    return next((because for one in _both(rules, floor) for because in _refusals(one, remaining, day)), None)


def no_more(rules: TicketRules, floor: TicketRules | None, used: Used) -> str | None:
    """Why nobody of the repository can go on working now, by what it used of its day; None where they can."""
    for one in _both(rules, floor):
        for because in _minutes(one, Day(used)):
            return because
        if used.at_most >= dollars(one.day.cost):
            return f"the day's {dollars(one.day.cost)} USD are used up"
    return None


def no_further(rules: TicketRules, floor: TicketRules | None, day: Day, *, attempt: bool = False) -> str | None:
    """Why a ticket that is in work cannot go on today, as another `attempt` or with the one it has; None where it can.

    What it may still spend is part of what the day has `committed`.
    """
    for one in _both(rules, floor):
        own = _attempts(one, day) if attempt else iter(())
        for because in (*own, *_minutes(one, day), *_budget(one, NOTHING, day)):
            return because
    return None


def no_raise(rules: TicketRules, floor: TicketRules | None, day: Day, more: Decimal) -> str | None:
    """Why a ticket that is in work cannot be given so many dollars more today; None where it can."""
    given = Limits(0, 0, more)
    return next((because for one in _both(rules, floor) for because in _budget(one, given, day)), None)


def no_place(rules: TicketRules, pool: str | None, day: Day) -> str | None:
    """Why the pool that was asked for takes no further ticket; None where it does, or none was asked for."""
    kept = rules.pools.get(pool) if pool is not None else None
    if kept is not None and day.pool_running >= kept.agents:
        return f"the pool {pool} has {day.pool_running} of {kept.agents} tickets in work"
    return None


def _both(rules: TicketRules, floor: TicketRules | None) -> tuple[TicketRules, ...]:
    return (rules,) if floor is None else (rules, floor)


def _refusals(rules: TicketRules, remaining: Limits, day: Day) -> Iterator[str]:
    if day.running >= rules.running:
        yield f"{day.running} of {rules.running} tickets are in work"
    yield from _attempts(rules, day)
    yield from _minutes(rules, day)
    yield from _budget(rules, remaining, day)


def _attempts(rules: TicketRules, day: Day) -> Iterator[str]:
    if day.used.attempts >= rules.day.attempts:
        yield f"the day's {rules.day.attempts} attempts are used up"


def _minutes(rules: TicketRules, day: Day) -> Iterator[str]:
    if day.used.minutes >= rules.day.minutes:
        yield f"the day's {rules.day.minutes} minutes are used up"


def _budget(rules: TicketRules, remaining: Limits, day: Day) -> Iterator[str]:
    budget = dollars(rules.day.cost)
    if worst_of(day, remaining) > budget:
        yield f"the day's budget of {budget} USD would not cover it: {worst_of(day, remaining):.2f} USD at the worst"


def worst_of(day: Day, remaining: Limits) -> Decimal:
    """What the day costs at the worst if this ticket begins too."""
    return day.used.at_most + day.committed + remaining.cost


def worst_case(accepted: list[Limits]) -> Decimal:
    """What these tickets may still cost together if each uses all that it may."""
    return sum((one.cost for one in accepted), Decimal(0))
