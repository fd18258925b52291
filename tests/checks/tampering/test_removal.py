"""Tests without a counterpart: hidden behind another name, repeated elsewhere, or gone."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.analyse import analyse
from checks.tampering.removal import NewSide
from checks.tampering.units import FileUnits, SkipScope, Unit
from tests.checks.tampering.honest import changes_between
from tests.checks.tampering.units_made import assertion, unit

PATH = "tests/test_cart.py"
CHECKS = (assertion("total(1)", "2"),)
OTHERS = (assertion("tax(1)", "2"),)


def side(*units: Unit, helpers: tuple[Unit, ...] = ()) -> NewSide:
    return NewSide([FileUnits(PATH, units, helpers)])


@pytest.mark.parametrize("name", ["_test_total", "xtest_total", "no_test_total", "TestA._test_total", "test_total"])
def test_behind_another_name(name: str) -> None:
    lost, helper = unit("TestA.test_total", assertions=CHECKS), unit(name, assertions=CHECKS, body="f(2)")
    assert side(helpers=(helper,)).hidden(lost) is helper
    calling = unit("test_all", calls=frozenset({f"self.{name.rpartition('.')[2]}"}))
    assert side(calling, helpers=(helper,)).hidden(lost) is None
    assert side(helpers=(helper, unit("f", calls=calling.calls))).hidden(lost) is None
    elsewhere = unit(name, assertions=OTHERS, body="f(3)")
    assert side(helpers=(elsewhere,)).hidden(lost) is None
    assert side(helpers=(elsewhere,)).hidden(unit("test_total", body="f(4)")) is elsewhere


def test_by_its_body() -> None:
    lost = unit("test_total", assertions=CHECKS, body="assert total(1) == 2")
    same, other = (unit("total_check", body=body) for body in ("assert total(1) == 2", "assert tax(1) == 2"))
    assert side(helpers=(other, same)).hidden(lost) is same
    assert side(helpers=(other,)).hidden(lost) is None


def test_repeated_elsewhere() -> None:
    lost = unit("test_total", assertions=CHECKS, body="assert total(1) == 2")
    again = unit("test_again", body="assert total(1) == 2")
    assert side(again).repeats(lost)
    assert not side(unit("test_again", body="assert total(1) == 3")).repeats(lost)
    skipped = unit("test_again", body="assert total(1) == 2", skipped="skip", skip_scope=SkipScope.ALWAYS)
    assert not side(skipped).repeats(lost)


def test_a_test_that_asserted_nothing_is_repeated_by_whatever_calls_the_same() -> None:
    lost = unit("test_smoke", calls=frozenset({"shop.open", "shop.start", "shop.stop"}))
    every = unit("test_all", calls=frozenset({"start", "stop", "total"}))
    assert side(every).repeats(lost)
    assert not side(unit("test_some", calls=frozenset({"start", "total"}))).repeats(lost)
    assert not side(every).repeats(unit("test_smoke", calls=lost.calls, assertions=CHECKS))
    assert not side(every).repeats(unit("test_nothing"))
    assert not side(every).repeats(unit("test_other", calls=frozenset({"pay", "start"})))


def test_the_rarest_call_is_looked_for() -> None:
    many = [unit(f"test_{number}", calls=frozenset({"start"}), body=str(number)) for number in range(50)]
    every = unit("test_all", calls=frozenset({"start", "stop"}))
    assert side(*many, every).repeats(unit("test_smoke", calls=frozenset({"start", "stop"})))


def test_a_test_is_moved_only_with_its_values() -> None:
    before = "from shop import f\n\n\ndef test_old():\n    x = f(7, 8, 9)\n    assert x == 4\n"
    after = (
        "from shop import f\n\n\ndef test_new():\n    y = f({})\n    assert y == 4\n"
        "    assert f(1) == 2\n    assert f(5) == 6\n"
    )
    other = "tests/test_other.py"
    found = [
        [
            (one.kind, one.weight)
            for one in analyse(changes_between({PATH: before}, {other: after.format(values)})).alterations
        ]
        for values in ("7, 8", "7", "7, 8, 9")
    ]
    assert found == [[], [("test-removed", Weight.FAILED)], []]
