"""Limits of tickets: the smallest wins, and a missing one is the policy's."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from policies.load import load
from policies.ticket_section import Pool, TicketRules
from policies.tickets.limits import (
    Asked,
    Day,
    Limits,
    Used,
    hit,
    left,
    limits_of,
    no_attempt,
    no_place,
    no_start,
    worst_case,
    worst_of,
)
from tests.policies.build import presets

BASE = load("version: 1\n", presets()).ticket


def rules(**changes: object) -> TicketRules:
    return TicketRules.model_validate({**BASE.model_dump(), **changes})


DEFAULTS = {"minutes": 100, "attempts": 3, "cost": 10}
MOST = {"minutes": 200, "attempts": 4, "cost": 20}
RULES = rules(limits=DEFAULTS, most=MOST, day={"minutes": 500, "attempts": 9, "cost": 30}, running=2)
FLOOR = rules(most={"minutes": 150, "attempts": 5, "cost": 5})
HOLDING = Limits(100, 3, Decimal("10.00"))


@pytest.mark.parametrize(
    ("ticket", "later", "floor", "holds"),
    [
        (Asked(), Asked(), None, (100, 3, "10.00")),
        (Asked(50, 2, Decimal("4.50")), Asked(), None, (50, 2, "4.50")),
        (Asked(900, 5, Decimal(90)), Asked(), None, (200, 4, "20.00")),
        (Asked(50, 2, Decimal(4)), Asked(150, 3, Decimal(8)), None, (150, 3, "8")),
        (Asked(50), Asked(900), None, (200, 3, "10.00")),
        (Asked(), Asked(), FLOOR, (100, 3, "5.00")),
        (Asked(900, 5, Decimal(90)), Asked(), FLOOR, (150, 4, "5.00")),
    ],
)
def test_the_smallest_holds(
    ticket: Asked, later: Asked, floor: TicketRules | None, holds: tuple[int, int, str]
) -> None:
    assert limits_of(RULES, ticket, later, floor) == Limits(holds[0], holds[1], Decimal(holds[2]))


_ASKED = st.builds(
    Asked,
    st.none() | st.integers(1, 20_000),
    st.none() | st.integers(1, 9),
    st.none() | st.decimals("0.01", "20000", places=2),
)


@given(_ASKED, _ASKED, st.sampled_from([None, FLOOR]))
def test_nothing_goes_beyond_the_most(ticket: Asked, later: Asked, floor: TicketRules | None) -> None:
    found = limits_of(RULES, ticket, later, floor)
    assert (found.minutes, found.attempts, found.cost) <= (200, 4, Decimal(20))
    assert found.attempts <= 4
    assert found.cost <= Decimal(20 if floor is None else 5)


def test_what_is_left_and_what_is_hit() -> None:
    assert left(HOLDING, Used(30.5, 1, Decimal("2.25"))) == Limits(70, 2, Decimal("7.75"))
    assert left(HOLDING, Used(300, 9, Decimal(99))) == Limits(0, 0, Decimal(0))
    assert hit(HOLDING, Used(99.9, 3, Decimal("9.99"))) is None
    assert hit(HOLDING, Used(minutes=100)) == "the time limit of 100 minutes is used up"
    assert hit(HOLDING, Used(cost=Decimal(10))) == "the cost limit of 10.00 USD is used up"
    assert no_attempt(HOLDING, Used(attempts=2)) is None
    assert no_attempt(HOLDING, Used(attempts=3)) == "all 3 attempts are used up"
    assert no_attempt(HOLDING, Used(minutes=100)) == "the time limit of 100 minutes is used up"


@pytest.mark.parametrize(
    ("day", "because"),
    [
        (Day(), None),
        (Day(running=2), "2 of 2 tickets are in work"),
        (Day(Used(attempts=9)), "the day's 9 attempts are used up"),
        (Day(Used(minutes=500)), "the day's 500 minutes are used up"),
        (Day(Used(cost=Decimal(12)), committed=Decimal(8)), None),
        (
            Day(Used(cost=Decimal(12)), committed=Decimal(9)),
            "the day's budget of 30.00 USD would not cover it: 31.00 USD at the worst",
        ),
    ],
)
def test_a_day_takes_so_much(day: Day, because: str | None) -> None:
    assert no_start(RULES, None, HOLDING, Used(), day) == because


def test_the_baseline_s_day_counts_too_and_pools_have_places() -> None:
    tight = rules(running=1)
    assert no_start(RULES, tight, HOLDING, Used(), Day(running=1)) == "1 of 1 tickets are in work"
    assert worst_of(Day(Used(cost=Decimal(12)), committed=Decimal(9)), HOLDING) == Decimal(31)
    assert worst_case([HOLDING, HOLDING]) == Decimal(20)
    assert worst_case([]) == 0
    pools = rules(pools={"night": {"agents": 3}})
    assert no_place(pools, "night", Day(pool_running=3)) == "the pool night has 3 of 3 tickets in work"
    assert no_place(pools, "night", Day(pool_running=2)) is None
    assert no_place(pools, "claude", Day(pool_running=9)) is None
    assert no_place(pools, None, Day()) is None


def test_a_policy_says_what_hangs_together() -> None:
    with pytest.raises(ValidationError, match="exactly where"):
        Pool(start="workflow")
    with pytest.raises(ValidationError, match="exactly where"):
        Pool(workflow="agent.yml")
    assert Pool(start="workflow", workflow="agent.yml").workflow == "agent.yml"
    with pytest.raises(ValidationError, match="shorter than"):
        rules(silent_after=20)
