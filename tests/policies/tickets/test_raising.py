"""Which limits hold higher than they did."""

from __future__ import annotations

from decimal import Decimal

from policies.tickets.limits import Limits, dollars
from policies.tickets.raising import Raise, raises

USUAL = Limits(120, 3, Decimal(10))


def test_each_limit_that_is_higher_is_told_beside_the_policys_own() -> None:
    before = Limits(90, 3, Decimal("8.50"))
    assert list(raises(before, Limits(240, 2, Decimal(12)), USUAL)) == [
        Raise("minutes", Decimal(90), Decimal(240), Decimal(120)),
        Raise("cost", Decimal("8.50"), Decimal(12), Decimal(10)),
    ]


def test_what_is_as_it_was_or_lower_is_no_raise() -> None:
    assert list(raises(USUAL, USUAL, USUAL)) == []
    assert list(raises(USUAL, Limits(60, 1, Decimal(1)), USUAL)) == []


def test_a_default_below_a_cent_can_be_divided_by() -> None:
    """A policy may say `cost: 0.005`, so that each ticket must name what it may cost."""
    usual = Limits(120, 3, dollars(0.005))
    assert list(raises(usual, Limits(120, 3, Decimal(2)), usual)) == [
        Raise("cost", Decimal(0), Decimal(2), Decimal("0.01"))
    ]
