"""Calls that assert: unittest's, Django's, mock's and numpy's methods, `raises` and whatever is named like them.

Names: https://docs.python.org/3/library/unittest.html#test-cases, https://docs.python.org/3/library/unittest.mock.html,
https://numpy.org/doc/stable/reference/routines.testing.html, https://docs.pytest.org/en/stable/reference/reference.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from checks.tampering.python.claims import Claim, Claims
from checks.tampering.python.source import cut, dotted, last_name
from checks.tampering.units import Strength

_EQUAL = (
    *("assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertSetEqual", "assertDictEqual"),
    *("assertSequenceEqual", "assertMultiLineEqual", "assertJSONEqual", "assertHTMLEqual", "assertXMLEqual"),
    *("assertQuerySetEqual", "assertQuerysetEqual", "eq_", "assert_equal", "assert_array_equal", "assert_string_equal"),
    *("assert_frame_equal", "assert_series_equal", "assert_index_equal"),
)
_COMPARED: dict[str, ast.cmpop] = dict.fromkeys(_EQUAL, ast.Eq()) | {
    "assertNotEqual": ast.NotEq(),
    "assertNotEquals": ast.NotEq(),
    "assertIs": ast.Is(),
    "assertIsNot": ast.IsNot(),
    "assertIn": ast.In(),
    "assertNotIn": ast.NotIn(),
    "assertGreater": ast.Gt(),
    "assertGreaterEqual": ast.GtE(),
    "assertLess": ast.Lt(),
    "assertLessEqual": ast.LtE(),
    "assert_array_less": ast.Lt(),
}
_EXPRESSIONS = {"assertTrue": False, "assert_": False, "ok_": False, "failUnless": False, "assertFalse": True}
_NONE = {"assertIsNone": False, "assertIsNotNone": True}
_CLOSE = {
    **dict.fromkeys(("assertAlmostEqual", "assertAlmostEquals", "assert_allclose", "assert_almost_equal"), False),
    **dict.fromkeys(("assert_array_almost_equal", "assert_approx_equal", "assert_array_max_ulp"), False),
    "assertNotAlmostEqual": True,
}
_TWO: dict[str, tuple[str, Strength, bool]] = {
    "assertIsInstance": ("type", Strength.SHAPE, False),
    "assertNotIsInstance": ("type", Strength.SHAPE, True),
    "assertRegex": ("matches", Strength.SHAPE, False),
    "assertNotRegex": ("matches", Strength.SHAPE, True),
    "assertCountEqual": ("items", Strength.CLOSE, False),
    "assertItemsEqual": ("items", Strength.CLOSE, False),
}
_CALLED: dict[str, tuple[Strength, bool]] = {
    **dict.fromkeys(
        ("assert_called", "assert_called_once", "assert_awaited", "assert_awaited_once"), (Strength.EXISTS, False)
    ),
    **dict.fromkeys(("assert_called_with", "assert_called_once_with", "assert_any_call"), (Strength.EXACT, False)),
    **dict.fromkeys(("assert_has_calls", "assert_awaited_with", "assert_awaited_once_with"), (Strength.EXACT, False)),
    **dict.fromkeys(("assert_not_called", "assert_not_awaited"), (Strength.SHAPE, True)),
}
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage", "assert_raises", "warns"})
_WITH_TEXT = frozenset({"assertRaisesRegex", "assertRaisesMessage"})
_ANY_ERROR = frozenset({"Exception", "BaseException", "AssertionError"})
_ASSERTING = frozenset({"assert", "check", "expect", "verify", "should"})
_FIRST_WORD = re.compile(r"_*+([a-z]*+)")


def is_named_like_assertion(name: str) -> bool:
    """`assert_total`, `assertTotal`, `_check_total`, `expect`; not `checkout`."""
    found = _FIRST_WORD.match(name)
    return found is not None and found.group(1) in _ASSERTING


def claims_of_call(call: ast.Call, claims: Claims) -> Iterator[Claim]:
    """What a call that stands by itself claims; nothing where it does not assert."""
    name, arguments = last_name(call.func), call.args
    if name in _EXPRESSIONS and arguments:
        yield from claims.of(arguments[0], negated=_EXPRESSIONS[name])
    elif name in _COMPARED and len(arguments) > 1:
        yield claims.compared(arguments[0], _COMPARED[name], arguments[1])
    elif name in _CLOSE and len(arguments) > 1:
        yield claims.close(arguments[0], arguments[1], call, negated=_CLOSE[name])
    elif name in _RAISES and len(arguments) > 1:
        yield raises(call, ", ".join(claims.source.text(argument) for argument in arguments[1:]), claims)
    elif name in _NONE and arguments:
        strength = Strength.EXISTS if _NONE[name] else Strength.EXACT
        yield Claim("none", claims.source.text(arguments[0]), "None", strength, _NONE[name])
    else:
        yield from _others(call, name, claims)


def _others(call: ast.Call, name: str, claims: Claims) -> Iterator[Claim]:
    text = claims.source.text
    if name in _TWO and len(call.args) > 1:
        matcher, strength, negated = _TWO[name]
        yield Claim(matcher, text(call.args[0]), text(call.args[1]), strength, negated)
    elif name in _CALLED and isinstance(call.func, ast.Attribute):
        called, negated = _CALLED[name]
        yield Claim("called", text(call.func.value), _arguments(call, claims), called, negated)
    elif asserts(call):
        yield custom(call, claims)


def asserts(call: ast.Call) -> bool:
    """Whether its name, or the name at the root of a chain of calls (`expect(page).to_have_title("x")`), says so."""
    return is_named_like_assertion(last_name(call.func)) or is_named_like_assertion(_root(call))


def custom(call: ast.Call, claims: Claims) -> Claim:
    """An assertion that nothing here knows; it is taken at its word unless its definition is part of the change."""
    chained = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    targets = call.func.value.args if chained else call.args[:1]  # type: ignore[attr-defined] # chained says so
    expected = call.args if chained else call.args[1:]
    target, compared = (", ".join(map(claims.source.text, nodes)) for nodes in (targets, expected))
    return Claim(f"custom:{last_name(call.func)}", cut(target, 300), cut(compared, 300), Strength.CLOSE)


def is_raises(call: ast.expr) -> bool:
    return isinstance(call, ast.Call) and last_name(call.func) in _RAISES and bool(call.args)


def raises(call: ast.Call, what: str, claims: Claims) -> Claim:
    """An error is expected of `what`. Its message is no expected value, but asking for one says more."""
    texts = any(keyword.arg == "match" for keyword in call.keywords) or last_name(call.func) in _WITH_TEXT
    named = Strength.EXACT if texts else Strength.CLOSE
    strength = Strength.SHAPE if catches_everything(call.args[0]) and not texts else named
    return Claim("raises", cut(what, 300), claims.source.text(call.args[0]), strength)


def catches_everything(error: ast.expr | None) -> bool:
    """Whether that error, of a handler or of `raises`, is one that a failing assertion raises."""
    if isinstance(error, ast.Tuple):
        return any(map(catches_everything, error.elts))
    return error is None or last_name(error) in _ANY_ERROR


def _arguments(call: ast.Call, claims: Claims) -> str | None:
    nodes: Sequence[ast.expr] = (*call.args, *(keyword.value for keyword in call.keywords))
    return cut(",".join(map(claims.source.text, nodes)), 300) if nodes else None


def _root(call: ast.Call) -> str:
    node: ast.expr = call
    name = ""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
        node = node.func if isinstance(node, ast.Call) else node.value
    return name or dotted(node)
