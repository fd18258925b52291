"""What becomes of assertions: on the same target, on one with other names, and elsewhere in the difference."""

from __future__ import annotations

from typing import Any

import pytest

from checks.tampering import supply as supply_module
from checks.tampering.supply import Supply
from checks.tampering.units import Assertion, Strength, Unit
from checks.tampering.weakening import Turn, compare_assertions, holds, identity, rank
from tests.checks.tampering.units_made import assertion, unit

EXISTS, SHAPE, CLOSE, EXACT = Strength.EXISTS, Strength.SHAPE, Strength.CLOSE, Strength.EXACT
NONE: frozenset[str] = frozenset()


def turn_of(old: Assertion, new: Assertion, *values: str) -> Turn:
    """The turn of the one pair; SAME where there is nothing to say."""
    turns = compare_assertions([old], [new], frozenset(values))
    assert (turns.lost, turns.gained) == ([], [])
    assert [(before, after) for _, before, after in turns.turned] in ([], [(old, new)])
    return next((turn for turn, _, _ in turns.turned), Turn.SAME)


def close(tolerance: str | None) -> Assertion:
    return assertion("average()", "2", "close", strength=CLOSE, tolerance=tolerance)


@pytest.mark.parametrize(
    ("old", "new", "turn"),
    [
        (None, "1e-7", Turn.SAME),
        (None, "0.1", Turn.LOOSER),
        ("0.1", None, Turn.SAME),
        ("0.1", "0.1", Turn.SAME),
        ("0.1", "0.2", Turn.LOOSER),
        ("0.2", "0.1", Turn.SAME),
        ("1e-3", "2E-3", Turn.LOOSER),
        ("eps", "0.1", Turn.LOOSER),
        ("0.1", "eps", Turn.LOOSER),
        ("eps", "eps", Turn.SAME),
        ("abs=1", "abs=10", Turn.LOOSER),
    ],
)
def test_bounds(old: str | None, new: str | None, turn: Turn) -> None:
    assert turn_of(close(old), close(new)) is turn


@pytest.mark.parametrize(
    ("old", "new", "turn"),
    [
        ("total()", "round(total())", Turn.LOOSER),
        ("cart.name", "cart.name.lower()", Turn.LOOSER),
        ("names()", "sorted(names())", Turn.LOOSER),
        ("round(total())", "total()", Turn.SAME),
        ("round(total())", "round(total())", Turn.SAME),
        ("total(cart)", "total(basket)", Turn.SAME),
        ("cart.total()", "basket.total()", Turn.SAME),
        ("result", "answer", Turn.SAME),
        ('answer["a"]', 'reply["a"]', Turn.SAME),
    ],
)
def test_targets(old: str, new: str, turn: Turn) -> None:
    assert turn_of(assertion(old, "3"), assertion(new, "3")) is turn


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cart.total()", "cart.tax()"),
        ('answer["a"]', 'answer["b"]'),
        ("total(1)", "total(2)"),
        ("cart.total()", "total()"),
    ],
)
def test_other_targets(old: str, new: str) -> None:
    before, after = assertion(old, "3"), assertion(new, "3")
    turns = compare_assertions([before], [after], NONE)
    assert (turns.turned, turns.lost, turns.gained) == ([], [before], [after])


@pytest.mark.parametrize(
    ("old", "new", "values", "turn"),
    [
        ("3", "4", (), Turn.CHANGED),
        ("3", "wanted", ("3",), Turn.SAME),
        ("3", "wanted", ("4",), Turn.CHANGED),
        ("f(3)", "g(4)", ("3", "4"), Turn.CHANGED),
        ("SCHEMA", "schema", (), Turn.SAME),
        ('f"a {x}"', '"a {}".format(x)', (), Turn.SAME),
        ('["a","b"]', '{"a","b"}', (), Turn.CHANGED),
        ('["a","b"]', '["a","b",]', (), Turn.SAME),
        ("True", "False", (), Turn.CHANGED),
    ],
)
def test_expected_values(old: str, new: str, values: tuple[str, ...], turn: Turn) -> None:
    assert turn_of(assertion("total()", old), assertion("total()", new), *values) is turn


def said(matcher: str, expected: str | None = None, **more: Any) -> Assertion:
    return assertion("total()", expected, matcher, **more)


@pytest.mark.parametrize(
    ("old", "new", "turn"),
    [
        (said("truthy", strength=EXISTS), said("equal", "3"), Turn.SAME),
        (said("type", "int", strength=SHAPE), said("equal", "3"), Turn.SAME),
        (said("contains", '"a"', strength=SHAPE), said("type", "str", strength=SHAPE), Turn.WEAKER),
        (said("type", "str", strength=SHAPE), said("contains", '"a"', strength=SHAPE), Turn.SAME),
        (said("none", "None"), said("equal", "3"), Turn.CHANGED),
        (said("none", "None"), said("none", "None", strength=EXISTS, negated=True), Turn.CHANGED),
        (said("equal", "3"), said("custom:assert_total", "3", strength=CLOSE), Turn.SAME),
        (said("equal", "3"), said("items", "3", strength=CLOSE), Turn.LOOSER),
        (said("equal", "3"), said("equal", "3", strength=Strength.NOTHING), Turn.WEAKER),
        (said("equal", "3"), said("equal", "3", swallowed=True), Turn.SWALLOWED),
        (said("truthy", strength=EXISTS), said("truthy", strength=EXISTS, negated=True), Turn.CHANGED),
        (said("contains", '"a"', strength=SHAPE), said("contains", '"a"', strength=SHAPE, negated=True), Turn.CHANGED),
    ],
)
def test_kinds(old: Assertion, new: Assertion, turn: Turn) -> None:
    assert turn_of(old, new) is turn


def test_what_was_no_assertion_cannot_be_lost() -> None:
    dead = [said("equal", "3", swallowed=True), said("constant", "3", strength=Strength.NOTHING)]
    turns = compare_assertions(dead, [], NONE)
    assert (turns.turned, turns.lost, turns.gained) == ([], [], [])
    turns = compare_assertions([], dead, NONE)
    assert (turns.turned, turns.lost, turns.gained) == ([], [], [])
    assert [holds(one) for one in (*dead, said("equal", "3"))] == [False, False, True]


def test_what_stands_twice_counts_twice() -> None:
    one, other = said("equal", "3", line=1), said("equal", "3", line=2)
    assert compare_assertions([one, other], [one], NONE).lost == [other]
    assert compare_assertions([one], [one, other], NONE).gained == [other]


def test_the_one_most_alike_is_the_counterpart() -> None:
    old = said("equal", "3")
    kept, stronger, other = said("contains", "3", strength=SHAPE), said("equal", "4"), said("equal", "5")
    turns = compare_assertions([old], [other, kept, stronger], NONE)
    assert turns.turned == [(Turn.WEAKER, old, kept)]
    assert turns.gained == [other, stronger]
    assert compare_assertions([old], [said("compare", "4", strength=SHAPE), other], NONE).turned == [
        (Turn.CHANGED, old, other)
    ]


def test_so_many_on_one_target_are_looked_at() -> None:
    old = said("equal", "51")
    many = [said("equal", str(number), line=number) for number in range(52, 102)]
    wanted = [*many, said("contains", "51", strength=SHAPE)]
    assert compare_assertions([old], wanted, NONE).turned[0][2] == many[0]
    assert compare_assertions([old], wanted[1:], NONE).turned[0][2] == wanted[-1]


def test_ranks() -> None:
    ranked = [said("equal", "3"), said("custom:assert_it", strength=CLOSE), said("type", "int", strength=SHAPE)]
    assert [rank(one) for one in ranked] == [8, 8, 3]
    assert identity(said("equal", "3", line=7)) == identity(assertion("total()", "3"))
    assert identity(assertion("a.total(b)", "3")) == ("equal", "_.total(_)", "3", False, None)


class TestSupply:
    """A new assertion stands for a lost one only if it says as much, about the same, with the same values."""

    def supply(self, test: Unit, *, often: bool = False) -> Supply:
        found = Supply()
        found.add(test, test.assertions, often=often)
        return found

    def takes(self, new: Assertion, lost: Assertion, **more: Any) -> bool:
        body = f"{new.target} {new.expected}"
        test = unit("test_new", **{"assertions": (new,), "body": body, **more})
        return self.supply(test).take(lost, unit("test_old")) is test

    @pytest.mark.parametrize(
        ("new", "lost", "stands"),
        [
            (assertion("f(1)", "2"), assertion("f(1)", "2"), True),
            (assertion("f(x)", "2"), assertion("f(y)", "2"), True),
            (assertion("f(1)", '{"a":2,"b":3}'), assertion('f(1)["a"]', "2"), True),
            (assertion("f(1)", '{"a":2,"b":3}'), assertion('f(1)["c"]', "2"), False),
            (assertion("f(1)", "3"), assertion("f(1)", "2"), False),
            (assertion("g(1)", "2"), assertion("f(1)", "2"), False),
            (assertion("f(1)", "2", "compare", strength=SHAPE), assertion("f(1)", "2"), False),
            (assertion("f(1)", "2", swallowed=True), assertion("f(1)", "2"), False),
            (assertion("f(a).b", "g(c)"), assertion("f(a).b", "g(d)"), True),
            (assertion("f(a)", "g(c)"), assertion("f(a).b.c.d", "g(d)"), False),
        ],
    )
    def test_one_assertion(self, new: Assertion, lost: Assertion, stands: bool) -> None:
        assert self.takes(new, lost) is stands

    def test_by_what_the_tests_call(self) -> None:
        new, lost = assertion("result", "2"), assertion("answer.sum", "2")
        test = unit("test_new", assertions=(new,), calls=frozenset({"shop.total"}))
        for calls, stands in ((frozenset({"total"}), True), (frozenset({"tax"}), False)):
            assert (self.supply(test).take(lost, unit("test_old", calls=calls)) is test) is stands

    def test_tables_hold_what_their_body_holds(self) -> None:
        new, lost = assertion("f(x)", "y"), assertion("f(1)", "2")
        for more, stands in (({"cases": 3}, True), ({"cases": 0}, True), ({"cases": 3, "body": "1 3"}, False)):
            assert self.takes(new, lost, **{"body": "f(x) y (1,2)", **more}) is stands
        fixed = assertion("f(x)", "7")
        assert [self.takes(fixed, lost, cases=cases, body="f(x) 7 (1,2)") for cases in (1, 2)] == [False, True]

    @pytest.mark.parametrize(("cases", "often", "times"), [(1, False, 2), (5, False, 5), (0, False, 40), (1, True, 40)])
    def test_how_many_it_stands_for(self, cases: int, often: bool, times: int) -> None:
        new = assertion("f(1)", "2")
        supply = self.supply(unit("test_new", assertions=(new,), cases=cases, body="1 2"), often=often)
        assert sum(supply.take(new, unit("test_old")) is not None for _ in range(40)) == times

    def test_in_what_became_of_the_test_names_may_be_others(self) -> None:
        new = unit("test_it", assertions=(assertion("shown(x)", "2"),), body="x=told(1) shown(x) 2")
        lost, old = assertion("f(1)", "2"), unit("test_it")
        assert self.supply(new).take(lost, old, new) is new
        assert self.supply(new).take(lost, old) is None
        assert self.supply(new).take(assertion("f(3)", "2"), old, new) is None
        assert self.supply(new).take(assertion("f(1)", "1"), old, new) is None
        assert self.supply(new).take(assertion("f(1)", "wanted"), old, new) is None

    def test_names_that_are_others_now_are_remembered(self) -> None:
        new = unit("test_it", assertions=(assertion("shown(x)", "2"),), body="x=told(1) shown(x) 2")
        supply = self.supply(new)
        supply.take(assertion("calculated(1).told", "2"), unit("test_it"), new)
        assert supply.renamed == {"calculated"}

    def test_what_is_left_of_the_test_itself(self) -> None:
        news = (assertion("g(2)", "5"), assertion("f(2)", "6"), assertion("f(3)", "7", "compare", strength=SHAPE))
        test = unit("test_new", assertions=news)
        supply = self.supply(test)
        assert [offer.assertion for offer in supply.unused()] == list(news)
        assert supply.take_spare(assertion("f(1)", "2"), test) == news[1]
        assert supply.take_spare(assertion("f(1)", "2"), test) == news[0]
        assert supply.take_spare(assertion("f(1)", "2"), test) is None
        assert supply.take_spare(assertion("f(1)", "2"), unit("other")) is None
        assert [offer.assertion for offer in supply.unused()] == [news[2]]

    def test_the_work_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supply_module, "_MOST_LOOKS", 1)
        test = unit("test_new", assertions=(assertion("f(1).a", "2"),), body="1 2")
        supply = self.supply(test)
        lost = assertion("f(1).b", "2")
        assert [supply.take(lost, unit("test_old")) for _ in range(2)] == [test, None]
        assert supply.take(assertion("f(1).a", "2"), unit("test_old")) is test

    def test_the_rarest_value_is_looked_for(self) -> None:
        supply = Supply()
        for number in range(60):
            one = assertion(f"f({number})", "0")
            supply.add(unit(f"test_{number}", assertions=(one,), body=f"{number} 0"), [one])
        found = supply.take(assertion("f(59).x", "0"), unit("test_old"))
        assert found is not None
        assert found.name == "test_59"


def test_each_assertion_finds_its_own_or_none() -> None:
    before = [assertion("f(1)", "2"), assertion("g(1)", "3"), assertion("h(1)", "4"), assertion("k(1)", "5")]
    after = [assertion("h(1)", "6"), assertion("g(1)", None, "truthy", strength=EXISTS)]
    turns = compare_assertions(before, after, NONE)
    assert [(turn, old.target) for turn, old, _ in turns.turned] == [(Turn.WEAKER, "g(1)"), (Turn.CHANGED, "h(1)")]
    assert (turns.lost, turns.gained) == ([before[0], before[3]], [])
