"""Whether product code bears out what happens to its tests: names that are gone, values that change."""

from __future__ import annotations

import pytest

from checks.tampering import product as module
from checks.tampering.change import Change, Version
from checks.tampering.expectations import (
    Context,
    extends,
    is_reworded,
    subject_of_assertion,
    subject_of_test,
)
from checks.tampering.product import Excuse, Product, differing_parts
from tests.checks.tampering.honest import changes_between
from tests.checks.tampering.units_made import assertion, unit

CART = "def total(prices):\n    return sum(prices)\n\n\ndef legacy_total(prices):\n    return 0\n"
WITHOUT = "def total(prices):\n    return sum(prices)\n"


def product(before: dict[str, str], after: dict[str, str]) -> Product:
    return Product(changes_between(before, after))


@pytest.mark.parametrize(
    ("path", "is_product"),
    [
        ("shop/cart.py", True),
        ("locale/de.json", True),
        ("pyproject.toml", True),
        ("tests/cart.json", False),
        ("tests/test_cart.py", False),
        ("README.md", False),
        (".github/workflows/ci.yml", False),
    ],
)
def test_what_belongs_to_the_product(path: str, is_product: bool) -> None:
    assert product({path: "a\n"}, {path: "b\n"}).changes is is_product
    assert not product({}, {}).changes


def test_a_move_between_product_and_tests_is_no_product() -> None:
    assert not product({"shop/fakes.py": CART}, {"tests/fakes.py": CART}).changes


class TestExcuses:
    @pytest.mark.parametrize(
        ("after", "names", "called", "excuse"),
        [
            (WITHOUT, {"legacy_total", "x"}, set(), Excuse.GONE),
            (WITHOUT, {"total"}, set(), Excuse.NONE),
            (WITHOUT, set(), set(), Excuse.NONE),
            (WITHOUT + "\n\ndef new_total():\n    return 0\n", {"legacy_total"}, set(), Excuse.REPLACED),
            (WITHOUT + "\n\ndef new_total():\n    return 0\n", {"legacy_total"}, {"new_total"}, Excuse.GONE),
            (WITHOUT + "\n\ndef _helper():\n    return 0\n", {"legacy_total"}, set(), Excuse.GONE),
            (CART, {"legacy_total"}, set(), Excuse.NONE),
        ],
    )
    def test_of_names(self, after: str, names: set[str], called: set[str], excuse: Excuse) -> None:
        changed = product({"shop/cart.py": CART}, {"shop/cart.py": after + "# changed\n"})
        assert changed.excuse(frozenset(names), frozenset(called)) is excuse

    def test_a_name_that_moved_is_not_gone(self) -> None:
        moved = product({"a.py": CART, "b.py": "\n"}, {"a.py": WITHOUT, "b.py": "def legacy_total(): pass\n"})
        assert moved.excuse(frozenset({"legacy_total"}), frozenset()) is Excuse.NONE
        assert moved.defines("legacy_total")
        assert not moved.defines("new_total")

    def test_a_module_is_a_name(self) -> None:
        gone = product({"shop/faxes.py": "x = 1\n"}, {})
        assert gone.excuse(frozenset({"faxes"}), frozenset()) is Excuse.GONE
        assert gone.excuse(frozenset({"x"}), frozenset()) is Excuse.NONE  # too short to mean anything

    def test_files_that_nothing_reads_define_nothing(self) -> None:
        gone = product({"shop/legacy.cfg": "legacy = 1\n"}, {})
        assert gone.excuse(frozenset({"legacy"}), frozenset()) is Excuse.NONE

    def test_one_excuse_of_several_is_enough(self) -> None:
        before = {"a.py": CART, "b.py": "def legacy_tax():\n    return 1\n"}
        after = {"a.py": WITHOUT, "b.py": "def new_tax():\n    return 1\n"}
        names = frozenset({"legacy_total", "legacy_tax"})
        assert product(before, after).excuse(names, frozenset()) is Excuse.GONE
        assert product(before, after).excuse(frozenset({"legacy_tax"}), frozenset()) is Excuse.REPLACED


class TestWords:
    def test_that_vanished_with_their_lines(self) -> None:
        changed = product({"a.py": "x = {'name': 1,\n'legacy_code': 2}\n"}, {"a.py": "x = {'name': 1}\n"})
        assert changed.vanished(['"legacy_code"'])
        assert changed.vanished(["other", "legacy_code"])
        assert not changed.vanished(['"name"', "legacy", ""])
        assert not changed.vanished([])

    def test_that_were_only_renamed(self) -> None:
        changed = product({"a.py": "x = 'legacy_code'\ny = 1\n"}, {"a.py": "x = 'other_code'\ny = 1\n"})
        assert not changed.vanished(["legacy_code"])

    def test_that_are_elsewhere_now(self) -> None:
        changed = product({"a.py": "legacy_code = 1\ny\n", "b.py": "x\n"}, {"a.py": "y\n", "b.py": "legacy_code\n"})
        assert not changed.vanished(["legacy_code"])

    def test_that_are_short(self) -> None:
        changed = product({"a.py": "abc = 1\nabcd = 1\ny\n"}, {"a.py": "y\n"})
        assert (changed.vanished(["abc"]), changed.vanished(["abcd"])) == (False, True)


class TestSubstitutions:
    @pytest.mark.parametrize(
        ("before", "after", "old", "new", "holds"),
        [
            ("LIMIT = 30\n", "LIMIT = 60\n", "30", "60", True),
            ("LIMIT = 30\n", "LIMIT = 60\n", "30", "61", False),
            ("LIMIT = 30\n", "LIMIT = 60\n", "130", "160", False),
            ("x = 'no such user'\n", "x = 'user is unknown'\n", '"no such user"', "'user is unknown'", True),
            ("x = f'Hello, {n}'\n", "x = f'Hi, {n}'\n", '"Hello, Bob"', '"Hi, Bob"', True),
            ("x = f'Hello, {n}'\n", "x = f'Hi, {n}'\n", '"Hello, Bob"', '"Hello, Ann"', False),
            ("    x = True\n", "x = False  \n", "True", "False", True),
            ("x = 1\n", "x = 1\ny = 2\n", "1", "2", False),
            ("LIMIT = 30\n", "LIMIT = 60\n", "30", "30", False),
            ("LIMIT = 30\n", "LIMIT = 60\n", "30", "", False),
        ],
    )
    def test_in_one_line(self, before: str, after: str, old: str, new: str, holds: bool) -> None:
        assert product({"a.py": before}, {"a.py": after}).substitutes(old, new) is holds

    def test_are_looked_for_so_many_times(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MOST_LOOKS", 2)
        changed = product({"a.py": "x = 30\n"}, {"a.py": "x = 60\n"})
        assert [changed.substitutes("30", "60") for _ in range(3)] == [True, True, False]

    def test_are_not_looked_for_in_lines_of_machines(self) -> None:
        long = "x = 30;" + "y" * 1_993
        for end, holds in (("", True), ("y", False)):
            before, after = {"a.py": f"{long}{end}\n"}, {"a.py": f"{long}{end}\n".replace("30", "60")}
            assert product(before, after).substitutes("30", "60") is holds

    def test_are_looked_for_in_so_many_lines(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MOST_LINES", 1)
        changed = product({"a.py": "w = 1\nx = 30\n"}, {"a.py": "w = 2\nx = 60\n"})
        assert (changed.substitutes("1", "2"), changed.substitutes("30", "60")) == (True, False)

    @pytest.mark.parametrize(
        ("old", "new", "parts"),
        [
            ("a b c", "a x c", ("b", "x")),
            ("a b", "a b", ("", "")),
            ("a", "a b", ("", " b")),
            ("a b", "b", ("a ", "")),
            ("a a", "a", (" a", "")),
            ("", "x", ("", "x")),
            ("1.2.3", "1.3.0", ("2.3", "3.0")),
        ],
    )
    def test_what_differs(self, old: str, new: str, parts: tuple[str, str]) -> None:
        assert differing_parts(old, new) == parts


def test_a_side_without_content_holds_nothing() -> None:
    change = changes_between({"a.py": CART}, {"a.py": WITHOUT})[0]
    after = Version("a.py", "100644", None)
    changed = Product([Change(change.status, change.before, after)])
    assert changed.excuse(frozenset({"legacy_total"}), frozenset()) is Excuse.GONE
    assert changed.vanished(["legacy_total"])
    assert not changed.substitutes("0", "1")


class TestExpectations:
    @pytest.mark.parametrize(
        ("old", "new", "holds"),
        [
            ('{"a":1}', '{"a":1,"b":2}', True),
            ("[1,2]", "[1,2,3]", True),
            ("f(1)", "f(1,x=2)", True),
            ("(1,2)", "param(1,2,id='x')", True),
            ('["a b"]', '["a b c"]', False),
            ("[1,2]", "[2,1,3]", False),
            ("[1]", "[1]", False),
            ("3", "3+1", False),
            ("{1:2}", "{1:3}", False),
        ],
    )
    def test_what_extends_a_value(self, old: str, new: str, holds: bool) -> None:
        assert extends(old, new) is holds

    @pytest.mark.parametrize(
        ("old", "new", "holds"),
        [
            ('"no such user"', '"there is no such user"', True),
            ('"user 3 is gone"', '"gone is user 3"', True),
            ('"user 3 is gone"', '"user 4 is gone"', False),
            ('"gone"', '"lost"', False),
            ('"is gone"', '"lost"', False),
            ("is_gone", "was_gone", False),
        ],
    )
    def test_what_is_only_worded_differently(self, old: str, new: str, holds: bool) -> None:
        assert is_reworded(old, new) is holds

    def test_what_a_test_is_about(self) -> None:
        calls = frozenset({"client.get", "shop.total", "response.json"})
        about = subject_of_test(unit(body='client.get("/orders/7")+total("abc","abcd")+3', calls=calls))
        assert about == {"total", "/orders/7", "abcd"}
        assert subject_of_assertion(assertion("response.total.json()", "3")) == {"total"}

    @pytest.mark.parametrize(
        ("old", "new", "subject", "holds"),
        [
            ("[1]", "[1,2]", set(), True),
            ('"no user"', '"no such user"', set(), True),
            ("30", "60", set(), True),
            ("1", "2", {"total"}, True),
            ("1", "2", {"tax"}, False),
            ("", "", {"tax"}, False),
        ],
    )
    def test_what_bears_a_change_out(self, old: str, new: str, subject: set[str], holds: bool) -> None:
        changed = product({"a.py": "LIMIT = 30\n"}, {"a.py": "LIMIT = 60\n"})
        context = Context(changed, frozenset({"total"}), frozenset())
        assert context.bears_out(old, new, frozenset(subject)) is holds
        alone = Context(product({}, {}), frozenset({"total"}), frozenset())
        assert not alone.bears_out(old, new, frozenset(subject))

    def test_a_name_that_tests_know_by_another_is_not_gone(self) -> None:
        changed = product({"a.py": CART}, {"a.py": WITHOUT})
        names = frozenset({"legacy_total"})
        assert Context(changed, frozenset(), frozenset()).excuse(names) is Excuse.GONE
        assert Context(changed, frozenset(), names).excuse(names) is Excuse.NONE
