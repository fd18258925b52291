"""The budget of a session: whatever sessions, calls and limits follow each other, one call at most goes over."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gate.presets import read_presets
from policies.load import load
from policies.ticket_section import TicketRules
from policies.tickets.cost import UNMETERED, session_budget, unmetered
from policies.tickets.limits import Limits, Used, no_attempt

RULES = load("version: 1\n", read_presets()).ticket
HARD = load("version: 1\nticket: {costs: hard}\n", read_presets()).ticket
CALLS = st.lists(st.decimals(min_value="0.01", max_value="3", places=2), max_size=12)
CAPS = st.decimals(min_value="0.01", max_value="9", places=2)


def limits(cap: Decimal) -> Limits:
    return Limits(minutes=90, attempts=100, cost=cap)


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
