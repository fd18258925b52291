"""The budget of a session: whatever sessions, calls and limits follow each other, one call at most goes over."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gate.presets import read_presets
from policies.load import load
from policies.ticket_section import TicketRules
from policies.tickets.cost import UNMETERED, session_budget, unmetered, unsaid
from policies.tickets.limits import Limits, Used, left, no_attempt

RULES = load("version: 1\n", read_presets()).ticket
HARD = load("version: 1\nticket: {costs: hard}\n", read_presets()).ticket
CALLS = st.lists(st.decimals(min_value="0.01", max_value="3", places=2), max_size=12)
CAPS = st.decimals(min_value="0.01", max_value="9", places=2)


def limits(cap: Decimal) -> Limits:
    return Limits(minutes=90, attempts=100, cost=cap)


def test_a_session_may_spend_what_its_ticket_has_left_beside_what_it_has_spent() -> None:
    assert session_budget(limits(Decimal(9)), Used(cost=Decimal(4)), Decimal(1)) == 6


@given(CAPS, st.lists(CALLS, max_size=6))
def test_all_sessions_of_a_ticket_together_go_over_by_less_than_one_call(
    cap: Decimal, given: list[list[Decimal]]
) -> None:
    used, last = Decimal(0), Decimal(0)
    for calls in given:
        if no_attempt(limits(cap), Used(cost=used)) is not None:
            break
        budget, spent = session_budget(limits(cap), Used(cost=used), Decimal(0)), Decimal(0)
        for cost in calls:
            if spent >= budget:  # as the gateway refuses
                break
            spent, last = spent + cost, cost
        used += spent
    assert used <= cap or used - last < cap


@given(CAPS, CAPS, CAPS, st.decimals(min_value=0, max_value=9, places=2))
def test_a_later_limit_holds_for_what_was_spent_before(
    cap: Decimal, new: Decimal, before: Decimal, now: Decimal
) -> None:
    budget = session_budget(limits(new), Used(cost=before + now), now)
    assert before + budget <= max(new, before + now)


@pytest.mark.parametrize(
    ("rules", "floor", "metered", "because"),
    [
        (RULES, None, False, None),
        (RULES, RULES, False, None),
        (HARD, None, False, UNMETERED),
        (HARD, None, True, None),
        (RULES, HARD, False, UNMETERED),
        (RULES, HARD, True, None),
    ],
)
def test_hard_costs_need_a_meter(
    rules: TicketRules, floor: TicketRules | None, metered: bool, because: str | None
) -> None:
    assert unmetered(rules, floor, metered=metered) == because


def _hourly(amount: int) -> TicketRules:
    return load(f"version: 1\nticket: {{hourly_cost: {amount}}}\n", read_presets()).ticket


@pytest.mark.parametrize(
    ("rules", "floor", "reported", "minutes", "beyond"),
    [
        (_hourly(6), None, "0", 30, "3.00"),
        (_hourly(6), None, "2.50", 30, "0.50"),  # what was said is not counted twice
        (_hourly(6), None, "9", 30, "0"),  # who says more than the price is believed
        (_hourly(6), None, "0", 0, "0"),
        (_hourly(7), None, "0", 1, "0.12"),  # 11.67 cents
        (_hourly(6), _hourly(12), "0", 30, "6.00"),
        (_hourly(12), _hourly(6), "0", 30, "6.00"),
    ],
)
def test_time_counts_for_what_an_agent_whom_nothing_meters_can_have_spent(
    rules: TicketRules, floor: TicketRules | None, reported: str, minutes: float, beyond: str
) -> None:
    assert unsaid(rules, floor, Decimal(reported), minutes) == Decimal(beyond)


def test_an_agent_that_reports_nothing_is_ended_by_its_time_and_leaves_nothing_for_another_attempt() -> None:
    spent = Used(minutes=60, cost=Decimal(0), unsaid=unsaid(_hourly(6), None, Decimal(0), 60))
    because = no_attempt(limits(Decimal(6)), spent)
    assert because is not None
    assert "may be used up" in because
    assert left(limits(Decimal(6)), spent).cost == 0
    assert no_attempt(limits(Decimal("6.01")), spent) is None
