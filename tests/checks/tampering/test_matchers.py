"""The canonical form of assertions, and how much each says."""

from __future__ import annotations

import pytest

from checks.tampering.matchers import Said, assertion, bound, is_literal
from checks.tampering.units import Assertion, Strength
from tests.checks.tampering.units_told import told

NOTHING, EXISTS, SHAPE, CLOSE, EXACT = Strength


def _made(said: Said) -> Assertion:
    return assertion(7, "text", said)


@pytest.mark.parametrize(
    ("said", "wanted", "strength"),
    [
        (Said("equal", "x", "3"), "equal | x | 3", EXACT),
        (Said("equal", "x", "3", negated=True), "not equal | x | 3", SHAPE),
        (Said("equal", "3", "x"), "equal | x | 3", EXACT),
        (Said("equal", "expected", "x"), "equal | x | expected", EXACT),
        (Said("equal", "want.a", "got"), "equal | got | want.a", EXACT),
        (Said("equal", "LIMIT", "x"), "equal | x | LIMIT", EXACT),
        (Said("equal", "EXPECTED", "wanted"), "equal | EXPECTED | wanted", EXACT),
        (Said("equal", "x"), "equal | x", EXACT),
        (Said("contains", "3", "x"), "contains | 3 | x", SHAPE),
        (Said("compare", "3", "x", sign="<"), "compare | x | > 3", SHAPE),
        (Said("compare", "3", "x", sign="<="), "compare | x | >= 3", SHAPE),
        (Said("compare", "3", "x", sign=">"), "compare | x | < 3", SHAPE),
        (Said("compare", "3", "x", sign=">="), "compare | x | <= 3", SHAPE),
        (Said("compare", "3", "x", sign="within"), "compare | x | within 3", SHAPE),
        (Said("compare", "x", sign=">"), "compare | x", SHAPE),
        (Said("equal", "x", "null"), "none | x", EXACT),
        (Said("equal", "x", "nil", negated=True), "not none | x", EXISTS),
        (Said("none", "x"), "none | x", EXACT),
        (Said("truthy", "x"), "truthy | x", EXISTS),
        (Said("truthy", "x", negated=True), "not truthy | x", EXISTS),
        (Said("equal", "x.length", "3"), "length | x | 3", SHAPE),
        (Said("equal", "x?.length", "3"), "length | x | 3", SHAPE),
        (Said("equal", "f(x).size()", "3"), "length | f(x) | 3", SHAPE),
        (Said("equal", "x.lengthy", "3"), "equal | x.lengthy | 3", EXACT),
        (Said("equal", "len(x)", "3"), "length | x | 3", SHAPE),
        (Said("equal", "len(f(x))", "3"), "length | f(x) | 3", SHAPE),
        (Said("equal", "len(a)+len(b)", "3"), "equal | len(a)+len(b) | 3", EXACT),
        (Said("compare", "x.length", "3", sign=">"), "compare | x.length | > 3", SHAPE),
        (Said("close", "x", "3", tolerance="0.1"), "close | x | 3 ± 0.1", CLOSE),
        (Said("close", "x", "3", negated=True), "not close | x | 3", SHAPE),
        (Said("compare", "Math.abs(a-b)", "0.1", sign="<"), "close | a | b ± 0.1", CLOSE),
        (Said("compare", "abs(f(a)-b)", "0.1", sign="<="), "close | f(a) | b ± 0.1", CLOSE),
        (Said("compare", "(a-b).abs()", "0.1", sign="<"), "close | a | b ± 0.1", CLOSE),
        (Said("compare", "Math.abs(a-b)", "0.1", sign=">"), "compare | Math.abs(a-b) | > 0.1", SHAPE),
        (Said("raises", "()=>f()", "X"), "raises | f() | X", CLOSE),
        (Said("raises", "async ()=>await f()", "X.class"), "raises | f() | X", CLOSE),
        (Said("raises", "()->{f()}"), "raises | f()", SHAPE),
        (Said("raises", "function(){f()}", "Error"), "raises | f() | Error", SHAPE),
        (Said("raises", "f", "Exception.class"), "raises | f | Exception", SHAPE),
        (Said("raises", "f", negated=True), "not raises | f", EXISTS),
        (Said("called", "f"), "called | f", EXISTS),
        (Said("called", "f", "1"), "called | f | 1", EXACT),
        (Said("snapshot", "x"), "snapshot | x", EXACT),
        (Said("snapshot", "x", negated=True), "not snapshot | x", SHAPE),
        (Said("type", "x", "A"), "type | x | A", SHAPE),
        (Said("matches", "x", "/a/"), "matches | x | /a/", SHAPE),
        (Said("any", "x", "x||y"), "any | x | x||y", SHAPE),
        (Said("custom:toShine", "x"), "custom:toShine | x", CLOSE),
        (Said("custom:toShine", "x", negated=True), "not custom:toShine | x", SHAPE),
        (Said("custom:toShine", "3"), "custom:toShine | 3", CLOSE),
        # what cannot fail
        (Said("constant", "x"), "constant | x", NOTHING),
        (Said("truthy", "true"), "constant | true", NOTHING),
        (Said("equal", "1", "1"), "constant | 1 | 1", NOTHING),
        (Said("equal", "1", "2"), "constant | 1 | 2", NOTHING),
        (Said("equal", "x", "x"), "constant | x | x", NOTHING),
        (Said("compare", "x", "x", sign=">="), "constant | x | >= x", NOTHING),
        (Said("compare", "x", "x", sign="<"), "compare | x | < x", SHAPE),
        (Said("contains", "x", "x"), "contains | x | x", SHAPE),
        (Said("none", "null"), "constant | null", NOTHING),
        (Said("length", "[]", "0"), "constant | [] | 0", NOTHING),
        (Said("any", "true"), "constant | true", NOTHING),
        (Said("raises", "3", "X"), "raises | 3 | X", CLOSE),
        (Said("called", "3"), "called | 3", EXISTS),
    ],
)
def test_canonical_forms(said: Said, wanted: str, strength: Strength) -> None:
    made = _made(said)
    assert (told(made), made.strength) == (wanted, strength)


def test_line_text_and_swallowed_are_kept() -> None:
    made = assertion(7, "text", Said("equal", "x", "1"), swallowed=True)
    assert (made.line, made.text, made.swallowed) == (7, "text", True)
    constant = assertion(8, "other", Said("truthy", "true", negated=True), swallowed=True)
    assert (constant.line, constant.text, constant.swallowed, constant.negated) == (8, "other", True, False)


@pytest.mark.parametrize(
    ("digits", "wanted"),
    [("2", "0.005"), ("0", "0.5"), ("10", "5e-11"), ("100", None), ("n", None), ("-1", None), ("", None)],
)
def test_decimal_places(digits: str, wanted: str | None) -> None:
    assert bound(digits) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(
            (text, True)
            for text in (
                '"a b"',
                "'a'",
                "3",
                "-3.5e3",
                ".5",
                "0x1F",
                "true",
                "nil",
                "undefined",
                "[]",
                "{}",
                "()",
                ":a",
            )
        ),
        *((text, False) for text in ("x", "f(3)", '"a"+b', "[1]", "-x", "3+4", "trueish", "")),
    ],
)
def test_literals(text: str, wanted: bool) -> None:
    assert is_literal(text) is wanted
