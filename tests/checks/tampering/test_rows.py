"""Rows of parametrised tests: gone, changed, computed, or somewhere else now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.expectations import Context
from checks.tampering.product import Product
from checks.tampering.rows import compare_rows, new_rows
from checks.tampering.units import Unit
from tests.checks.tampering.honest import changes_between
from tests.checks.tampering.units_made import unit

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
Told = list[tuple[str, str, str, Weight]]


def _table(*rows: str, **more: Any) -> Unit:
    return unit(**{"rows": rows, "cases": len(rows), **more})


def _told(
    old: Unit, new: Unit, added: Iterable[Unit] = (), helpers: Iterable[Unit] = (), product: Product | None = None
) -> Told:
    context = Context(product or Product([]), frozenset(), frozenset())
    found = compare_rows(old, new, new_rows([(old, new)], added, helpers), context)
    return [(one.kind, one.before, one.after, one.weight) for one in found]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (_table("1,2"), _table("1,2"), []),
        (_table("1,2", "3,4"), _table("3,4", "1,2"), []),
        (_table("1,2"), _table("1,2", "3,4"), []),
        (_table("1,2", "3,4"), _table("1,2"), [("rows-removed", "3,4", "", FAILED)]),
        (_table("1,2", "1,2"), _table("1,2"), [("rows-removed", "1,2", "", FAILED)]),
        (_table("1,2"), _table("1,3"), [("expectation-changed", "1,2", "1,3", PERSON)]),
        (_table("1,2"), _table("1,3", "5,6"), [("expectation-changed", "1,2", "1,3", PERSON)]),
        # Where a value comes from is not what it is.
        (_table("_order(),2"), _table("build.Order(),2"), []),
        (_table("order(),2"), _table("basket(),2"), [("expectation-changed", "order(),2", "basket(),2", PERSON)]),
        # Rows that are computed can be neither counted nor compared.
        (_table("ROWS", cases=0), _table("1,2"), []),
        (_table("1,2", "3,4"), _table("*ROWS", cases=0), [("rows-computed", "1,2, 3,4", "*ROWS", RISK)]),
        # Only their number is known.
        (_table(cases=3), _table(cases=1), [("rows-removed", "", "", FAILED)]),
    ],
)
def test_of_one_test(old: Unit, new: Unit, wanted: Told) -> None:
    assert _told(old, new) == wanted


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        (_table(cases=5), _table(cases=2), 3),
        (_table("1,2", "3,4", "5,6"), _table("1,2"), 2),
        (_table("1,2", "3,4", "5,6"), _table("7,8", "9,9"), 1),
    ],
)
def test_how_many_are_gone(old: Unit, new: Unit, count: int) -> None:
    context = Context(Product([]), frozenset(), frozenset())
    (found,) = compare_rows(old, new, new_rows([], (), ()), context)
    assert found.reason == f"`test_total` runs with {count} fewer rows of its table."


def test_another_test_has_the_row_now() -> None:
    old, new = _table("1,2", "3,4"), _table("1,2")
    assert _told(old, new, added=[_table("3,4", name="test_sum")]) == []
    assert _told(old, new, added=[_table("3,5", name="test_sum")]) == [("rows-removed", "3,4", "", FAILED)]


def test_a_row_elsewhere_stands_for_one_only() -> None:
    old, new = _table("1,2", "3,4", "3,4"), _table("1,2")
    assert _told(old, new, added=[_table("3,4", name="test_sum")]) == [("rows-removed", "3,4", "", FAILED)]


def test_a_function_that_the_test_calls_has_the_rows_now() -> None:
    """It stands for as many tests as call it."""
    old, new = _table("1,2", "3,4", "3,4"), _table("1,2", calls=frozenset({"self.each_total"}))
    helper = _table("3,4", name="each_total")
    assert _told(old, new, helpers=[helper]) == []
    other = _table("1,2", calls=frozenset({"each_sum"}))
    assert _told(old, other, helpers=[helper]) == [("rows-removed", "3,4, 3,4", "", FAILED)]


def test_the_body_has_the_values_of_the_only_row_left_out() -> None:
    old = _table("1,2", "3,4")
    assert _told(old, unit(body="total(1) == 2; total(3) == 4")) == []
    assert _told(old, unit(body="total(1) == 2")) == [("rows-removed", "3,4", "", FAILED)]


def test_a_row_of_another_test_has_the_same_text() -> None:
    """It is the same case with another expectation, so a person looks, as at a changed row of the same test."""
    old, new = _table("1,2", "'a full cart',4"), _table("1,2")
    changed = _table("'a full cart',5", name="test_sum")
    assert _told(old, new, added=[changed]) == [("expectation-changed", "'a full cart',4", "'a full cart',5", PERSON)]
    same = _table("'a full cart', 4", name="test_sum")
    assert _told(old, new, added=[same]) == []


def test_a_short_text_tells_nothing() -> None:
    old, new = _table("1,2", "'cart',4"), _table("1,2")
    assert _told(old, new, added=[_table("'cart',5")]) == [("rows-removed", "'cart',4", "", FAILED)]


def test_rows_go_with_the_code_that_they_named() -> None:
    before = {"src/kinds.py": "CHEAP = 1\nDEAREST = 2\n"}
    product = Product(changes_between(before, {"src/kinds.py": "CHEAP = 1\n"}))
    old, new = _table("CHEAP,1", "DEAREST,2"), _table("CHEAP,1")
    assert _told(old, new, product=product) == []
    assert _told(_table("DEAREST,2", "CHEAP,1"), _table("DEAREST,2"), product=product) == [
        ("rows-removed", "CHEAP,1", "", FAILED)
    ]
