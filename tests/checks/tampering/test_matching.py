"""Each test finds its counterpart: by place, by body, by name, by what it checks."""

from __future__ import annotations

from checks.tampering.matching import features, match
from checks.tampering.units import Unit
from tests.checks.tampering.units_made import assertion, unit

LONG = "assert something(1) == 2"


def made(name: str, path: str, *claims: tuple[str, str], body: str = "", line: int = 2) -> Unit:
    assertions = tuple(assertion(target, expected) for target, expected in claims)
    return unit(name, path=path, assertions=assertions, body=body, line=line)


def pairs(before: list[Unit], after: list[Unit], renamed: dict[str, str] | None = None) -> list[tuple[str, str]]:
    found = match(before, after, renamed or {})
    assert len(found.pairs) + len(found.removed) == len(before)
    assert len(found.pairs) + len(found.added) == len(after)
    assert not found.cut
    return [(f"{old.path}:{old.name}", f"{new.path}:{new.name}") for old, new in found.pairs]


def test_by_place_and_name_first() -> None:
    before = [made("a", "x", body=LONG + "a"), made("b", "x", body=LONG + "b")]
    swapped = [made("a", "x", body=LONG + "b"), made("b", "x", body=LONG + "a")]
    assert pairs(before, swapped) == [("x:a", "x:a"), ("x:b", "x:b")]


def test_by_place_and_name_in_a_renamed_file() -> None:
    before, after = [made("T.a", "x"), made("T.b", "z")], [made("T.a", "y"), made("T.c", "z")]
    assert pairs(before, after, {"x": "y"}) == [("x:T.a", "y:T.a")]


def test_names_that_stand_twice_are_paired_in_order() -> None:
    found = match([made("a", "x", line=n) for n in (1, 2)], [made("a", "x", line=n) for n in (3, 4, 5)], {})
    assert [(old.line, new.line) for old, new in found.pairs] == [(1, 3), (2, 4)]
    assert [one.line for one in found.added] == [5]


def test_by_body_wherever_it_is() -> None:
    assert pairs([made("a", "x", body="assert f(xy)")], [made("b", "y", body="assert f(xy)")]) == [("x:a", "y:b")]
    assert pairs([made("a", "x", body="assert f(x)")], [made("b", "y", body="assert f(x)")]) == []


def test_by_name_in_the_same_file_whatever_encloses_it() -> None:
    before = [made("TestA.total", "x", ("f(1)", "2")), made("TestA.tax", "z", ("f(3)", "4"))]
    after = [made("total", "y", ("g(1)", "5")), made("tax", "w", ("g(3)", "6"))]
    assert pairs(before, after, {"x": "y"}) == [("x:TestA.total", "y:total")]


def test_by_what_they_check() -> None:
    before = [made("one", "x", ("f(1)", "2"), ("g(1)", "3")), made("two", "x", ("f(5)", "6"), ("g(5)", "7"))]
    after = [
        made("second", "y", ("f(5)", "6"), ("g(5)", "8")),
        made("first", "y", ("f(1)", "2"), ("g(1)", "4")),
        made("third", "y", ("h(1)", "2")),
    ]
    assert pairs(before, after) == [("x:one", "y:first"), ("x:two", "y:second")]


def test_half_of_what_marks_a_test_is_enough() -> None:
    old = made("a", "x", ("f(1)", "2"), body="1 2 3")
    assert features(old) == (("name", "a"), ("target", "f(1)"), ("f(1)", "2", "equal"), "1", "2", "3")
    new = [made("b", "y", ("f(1)", "2"), body=body) for body in ("4", "3", "2 3")]
    assert [len(pairs([old], [one])) for one in new] == [0, 1, 1]


def test_the_most_alike_are_paired_and_nobody_twice() -> None:
    old = [made("a", "x", ("f(1)", "2"), ("g(1)", "3")), made("b", "x", ("f(1)", "2"), ("g(1)", "4"))]
    assert pairs(old, [made("c", "y", ("f(1)", "2"), ("g(1)", "4"))]) == [("x:b", "y:c")]


def test_marks_that_many_have_are_none() -> None:
    old = [made("a", "x", ("f(1)", "2"))]
    alike = [made(f"b{number}", "y", ("f(1)", "2")) for number in range(41)]
    assert [len(pairs(old, alike[:count])) for count in (40, 41)] == [1, 0]


def test_the_features_of_a_unit_are_bounded() -> None:
    assert len(features(made("a", "x", *((f"f({n})", str(n)) for n in range(100))))) == 60
