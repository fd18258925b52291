"""What many tickets would cost, from the week that `test_metrics` counts by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policies.tickets.projection import Projection, project
from policies.tickets.rates import Ratio
from tests.policies.tickets.test_metrics import COUNTED_BY_HAND


def test_a_hundred_tickets_cost_what_merged_ones_did_and_a_reserve_for_the_capped() -> None:
    """17.75 dollars for 2 merged; 2 of 6 attempts ended by a limit; 8 dollars at most each."""
    found = project(COUNTED_BY_HAND, 100, Decimal(8))
    assert found == Projection(100, Decimal("887.50"), Decimal("266.67"), at_least=True)
    assert found.words == (
        "100 tickets like this week's: at least 887.50 USD, and 266.67 USD in reserve for those that a limit ends."
    )


def test_where_nothing_ended_all_is_kept_in_reserve_and_where_nothing_merged_nothing_is_known() -> None:
    quiet = replace(COUNTED_BY_HAND, cost=Ratio(Decimal(3), 1), cap_hits=Ratio(0, 0), unknown_costs=0)
    found = project(quiet, 2, Decimal(5))
    assert found is not None and found.words.startswith("2 tickets like this week's: 6.00 USD, and 10.00 USD")
    assert project(replace(quiet, cost=Ratio(Decimal(3), 0)), 2, Decimal(5)) is None
