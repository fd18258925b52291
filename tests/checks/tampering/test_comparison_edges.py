"""Rare turns of a comparison: of helpers and mocks, of tests that never ran, of bounds on the work, of unread sides."""

from __future__ import annotations

import pytest

from checks.diff import SUBMODULE_MODE, FileStatus
from checks.tampering import matching
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.analyse import analyse
from checks.tampering.change import Change, Version
from checks.tampering.helpers import Helpers
from checks.tampering.losses import pair_of
from checks.tampering.matching import match
from checks.tampering.sides import read_sides
from checks.tampering.supply import Supply
from checks.tampering.units import Assertion, Strength
from checks.tampering.weakening import Turn, compare_assertions
from tests.checks.tampering.honest import changes_between, version
from tests.checks.tampering.units_made import assertion, unit

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
EXISTS, SHAPE, CLOSE = Strength.EXISTS, Strength.SHAPE, Strength.CLOSE
PATH = "tests/test_cart.py"
Files = dict[str, str]


def _found(before: Files, after: Files) -> tuple[Alteration, ...]:
    return analyse(changes_between(before, after)).alterations


def _told(before: Files, after: Files) -> list[tuple[str, str, Weight]]:
    return [(one.kind, one.subject, one.weight) for one in _found(before, after)]


HELPED = """from shop.cart import total


def assert_total(cart, wanted):
    assert total(cart) == wanted


def test_none():
    assert_total([], 0)
"""


def test_a_helper_that_stays_says_nothing() -> None:
    more = HELPED + "\n\ndef test_one():\n    assert_total([3], 3)\n"
    assert _told({PATH: HELPED}, {PATH: more}) == []
    assert _told({PATH: more}, {PATH: HELPED}) == [("test-removed", "test_one", FAILED)]


def test_a_new_test_asserts_by_a_new_helper() -> None:
    """What the old one checked is checked there, so it is not lost; where that is less, or of another cart, it is."""
    before = """from shop.cart import cart_of


def test_order():
    cart = cart_of(1, 2)
    assert cart.total() == 3
    assert cart.currency() == "EUR"
"""
    after = """from shop.cart import cart_of


def check_cart(cart):
    assert cart.total() == 3
    assert cart.currency() == "EUR"


def test_everything_of_a_cart():
    check_cart(cart_of(1, 2))
"""
    assert _told({PATH: before}, {PATH: after}) == []
    less = after.replace('    assert cart.currency() == "EUR"\n', "")
    assert _told({PATH: before}, {PATH: less}) == [("test-removed", "test_order", FAILED)]
    other_cart = after.replace("cart_of(1, 2)", "cart_of(4)")
    assert _told({PATH: before}, {PATH: other_cart}) == [("test-removed", "test_order", FAILED)]


MOCKING = """from unittest.mock import patch

from shop.cart import total


@patch("shop.tax.rate_of")
def test_total(rate_of):
    assert total([2]) == 3
"""


@pytest.mark.parametrize(
    ("rate", "wanted"),
    [
        ("def rate_of(item):\n    return 2\n", [("subject-mocked", "test_total", RISK)]),
        ("def other_rate(item):\n    return 2\n", []),
    ],
)
def test_a_mock_of_code_that_changes(rate: str, wanted: list[tuple[str, str, Weight]]) -> None:
    plain = MOCKING.replace('@patch("shop.tax.rate_of")\n', "").replace("(rate_of)", "()")
    before = {PATH: plain, "shop/tax.py": rate.replace("2", "1")}
    assert _told(before, {PATH: MOCKING, "shop/tax.py": rate}) == wanted


def test_a_test_that_never_ran_is_gone() -> None:
    before = "import pytest\n\n\n@pytest.mark.skip\ndef test_total():\n    assert total([2]) == 2\n"
    other = "\n\ndef test_tax():\n    assert tax(2) == 1\n"
    (found,) = _found({PATH: before + other}, {PATH: other})
    assert (found.kind, found.subject, found.weight) == ("test-removed", "test_total", RISK)
    assert found.reason == "The test `test_total` is gone; it did not count before."


def test_a_test_goes_with_code_that_was_replaced_untested() -> None:
    test = "from shop.cart import total_of\n\n\ndef test_total():\n    assert total_of([2]) == 2\n"
    other = "def test_tax():\n    assert tax(2) == 1\n"
    before = {PATH: test + "\n\n" + other, "shop/cart.py": "def total_of(items):\n    return sum(items)\n"}
    after = {PATH: other, "shop/cart.py": "def whole_sum(items):\n    return 0\n"}
    assert _told(before, after) == [("test-removed", "test_total", PERSON)]
    gone = {PATH: other, "shop/cart.py": "# Nothing is sold.\n"}
    assert _told(before, gone) == [("test-removed-with-code", "test_total", RISK)]


def _called(target: str) -> Assertion:
    return assertion(target, matcher="called", strength=EXISTS)


@pytest.mark.parametrize(
    ("after", "spared"),
    [
        ((assertion("sent()", "3"),), 0),  # a value in place of a look at a mock
        ((), 1),
    ],
)
def test_a_value_in_place_of_a_look_at_a_mock(after: tuple[Assertion, ...], spared: int) -> None:
    none = Helpers(())
    pair = pair_of(unit(assertions=(_called("mailer.send"),)), unit(assertions=after), none, none, counts=True)
    supply = Supply()
    pair.resolve(supply)
    pair.rewrite(supply)
    assert len(pair.missing) == spared


def test_an_assertion_covers_only_as_many_as_it_holds_values() -> None:
    new = assertion("total(cart)", "3")
    supply = Supply()
    supply.add(unit(body="assert total(cart) == 3"), [new])
    lost = assertion("total(basket)", "3")
    assert [supply.take_identical(lost) for _ in range(3)] == [True, False, False]


def test_the_newest_offer_is_taken_first_and_then_the_other() -> None:
    supply = Supply()
    first, second = unit("test_one"), unit("test_two")
    supply.add(first, [assertion("total(cart)", "3")])
    supply.add(second, [assertion("total(cart)", "3")])
    lost, old = assertion("total(cart)", "3"), unit("test_old")
    assert [supply.take(lost, old) for _ in range(3)] == [second, first, None]


def test_too_many_tests_to_look_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were looked at find theirs; the others are gone and new, and it is said that not all were compared."""
    tests = [unit(f"test_{at}", assertions=tuple(assertion(f"f{at}{one}", "1") for one in "ab")) for at in range(3)]
    others = [
        unit(f"test_new_{at}", path="tests/test_new.py", assertions=one.assertions) for at, one in enumerate(tests)
    ]
    whole = match(tests, others, {})
    assert (len(whole.pairs), whole.cut) == (3, False)
    monkeypatch.setattr(matching, "_MOST_STEPS", 5)
    part = match(tests, others, {})
    assert part.pairs == [(tests[0], others[0]), (tests[1], others[1])]
    assert (part.removed, part.added, part.cut) == ([tests[2]], [others[2]], True)


@pytest.mark.parametrize(
    ("old", "new", "turn"),
    [
        # The opposite of a condition.
        (assertion("ok", None, "truthy", strength=EXISTS), assertion("ok", "False"), Turn.CHANGED),
        (assertion("ok", None, "truthy", strength=EXISTS), assertion("ok", "True"), None),
        (assertion("ok", None, "truthy", strength=EXISTS, negated=True), assertion("ok", "True"), Turn.CHANGED),
        (assertion("ok", None, "truthy", strength=EXISTS, negated=True), assertion("ok", "false"), None),
        # No exception where one was expected says less, and something else.
        (
            assertion("pay()", "Refused", "raises", strength=CLOSE),
            assertion("pay()", None, "raises", strength=EXISTS, negated=True),
            Turn.CHANGED,
        ),
        (
            assertion("pay()", "Refused", "raises", strength=CLOSE),
            assertion("pay()", "Exception", "raises", strength=SHAPE),
            Turn.WEAKER,
        ),
        # Another value than one says nearly nothing of it.
        (assertion("total()", "3"), assertion("total()", "4", negated=True, strength=SHAPE), Turn.WEAKER),
        (assertion("total()", "3"), assertion("total()", "3", "close", strength=CLOSE), Turn.LOOSER),
        # A longer part says more, a shorter one or another one does not say the same.
        (
            assertion("page()", '"total: 3"', "contains", strength=SHAPE),
            assertion("page()", '"the total: 3 EUR"', "contains", strength=SHAPE),
            None,
        ),
        (
            assertion("page()", '"total: 3"', "contains", strength=SHAPE),
            assertion("page()", '"total"', "contains", strength=SHAPE),
            Turn.CHANGED,
        ),
        # The same words and numbers, put together in another way.
        (assertion("page()", '"total: 3"'), assertion("page()", '"total: "+"3"'), None),
        (assertion("page()", '["total",3]'), assertion("page()", '("total",3)'), Turn.CHANGED),
        (assertion("page()", '["total",3]'), assertion("page()", '["total",4]'), Turn.CHANGED),
    ],
)
def test_one_assertion_on_the_same_target(old: Assertion, new: Assertion, turn: Turn | None) -> None:
    turns = compare_assertions([old], [new], frozenset())
    assert turns.turned == ([] if turn is None else [(turn, old, new)])
    assert (turns.lost, turns.gained) == ([], [])


@pytest.mark.parametrize(
    ("path", "mode", "unread"),
    [
        (PATH, "100644", True),
        ("tests/CartTest.php", "100644", True),  # of a language that nothing reads: a test all the same
        ("shop/cart.py", "100644", True),  # it may hold tests
        ("assets/logo.png", "100644", False),
        ("tests/vendored", SUBMODULE_MODE, False),
    ],
)
@pytest.mark.parametrize("other", [None, "small"])
def test_a_side_without_content(path: str, mode: str, unread: bool, other: str | None) -> None:
    small = None if other is None else version(path, "x = 1\n")
    sides = read_sides([Change(FileStatus.MODIFIED, Version(path, mode, None), small)])
    assert sides.unread == ([(path, "it is larger than 1024 KiB")] if unread else [])
    assert sides.before == []
