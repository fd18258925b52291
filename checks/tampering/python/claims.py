"""What a checked expression claims: about which target, how strongly, compared with what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from checks.tampering.python.source import Source, cut, is_literal, last_name
from checks.tampering.units import Strength

_LONGEST = 300  # characters of a target
_LONGEST_TABLE = 20_000  # characters
_LONGEST_VALUE = 4_000  # characters of what is expected: whole answers are compared
_MOST_ROWS = 300
_MOST_ELEMENTS = 100_000
_LONGEST_CHAIN = 3  # names that stand for names
_DEEPEST = 30  # operators inside operators


@dataclass(frozen=True, slots=True)
class Claim:
    """An assertion without its place; the fields mean the same as there."""

    matcher: str
    target: str
    expected: str | None = None
    strength: Strength = Strength.EXISTS
    negated: bool = False
    tolerance: str | None = None


_OPERATORS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: ("equal", False),
    ast.NotEq: ("equal", True),
    ast.Is: ("equal", False),
    ast.IsNot: ("equal", True),
    ast.In: ("contains", False),
    ast.NotIn: ("contains", True),
    ast.Lt: ("compare", False),
    ast.LtE: ("compare", False),
    ast.Gt: ("compare", False),
    ast.GtE: ("compare", False),
}
# The opposite of an operator, for `assert not a == b`.
_OPPOSITE: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Lt: ast.GtE(),
    ast.GtE: ast.Lt(),
    ast.Gt: ast.LtE(),
    ast.LtE: ast.Gt(),
}
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
# https://docs.pytest.org/en/stable/reference/reference.html#pytest-approx, `math.isclose`, numpy's `assert_allclose`
# and unittest's `assertAlmostEqual`, where n places are a bound of half a unit of the n-th.
_PLACES = ("places", "decimal")
_WIDTHS = frozenset({"rel", "abs", "rtol", "atol", "rel_tol", "abs_tol", "delta", *_PLACES})
_REFLEXIVE = (ast.Eq, ast.Is, ast.GtE, ast.LtE)
_CLOSE = frozenset({"isclose", "allclose"})
_SAME = frozenset({"array_equal", "equals", "array_equiv"})
_MATCHES = frozenset({"startswith", "endswith", "match", "search", "fullmatch"})
_KINDS = frozenset({"isinstance", "issubclass", "hasattr"})
_CALLED = frozenset({"called", "awaited"})


@dataclass(frozen=True, slots=True)
class Claims:
    """Reads claims from expressions of one source. `values` are what local names and constants stand for, if one.

    `known` remembers the texts of named literals, by the ids of their nodes: many tests may name a long one.
    """

    source: Source
    values: Mapping[str, ast.expr]
    known: dict[int, str | None] = field(default_factory=dict)

    def of(self, node: ast.expr, *, negated: bool = False, depth: int = _DEEPEST) -> Iterator[Claim]:
        """What `assert node` claims, or `assert not node`."""
        match node:
            case ast.UnaryOp(op=ast.Not()) if depth:
                yield from self.of(node.operand, negated=not negated, depth=depth - 1)
            case ast.BoolOp() if depth and isinstance(node.op, ast.Or) is negated:
                for value in node.values:
                    yield from self.of(value, negated=negated, depth=depth - 1)
            case ast.BoolOp() if depth:
                yield self._any_of(node, negated=negated, depth=depth)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield self.compared(left, _OPPOSITE[type(op)] if negated else op, right)
            case ast.Compare():
                yield Claim("compare", self._text(node.comparators[0]), self._text(node), Strength.SHAPE, negated)
            case ast.Call():
                yield self._called(node, negated=negated)
            case ast.Await() | ast.NamedExpr():
                yield from self.of(node.value, negated=negated, depth=depth)
            case _:
                yield self._truthy(node, negated=negated)

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Claim:
        """`left op right`, whichever side is the target."""
        if self._cannot_fail(left, op, right):
            return Claim("constant", self._text(left), self._text(right), Strength.NOTHING)
        if isinstance(op, ast.In | ast.NotIn):
            left, right = (right, left) if not is_literal(right) else (left, right)
        elif self._is_expected(left) and not self._is_expected(right):
            left, right = right, left
        matcher, negated = _OPERATORS[type(op)]
        return self._refined(Claim(matcher, self._text(left), self.expected(right)), left, op, right, negated=negated)

    def close(self, target: ast.expr, expected: ast.expr, call: ast.Call, *, negated: bool = False) -> Claim:
        """Equal within the bounds that `call` gives by keyword or by default."""
        if self._is_expected(target) and not self._is_expected(expected):
            target, expected = expected, target
        strength = Strength.SHAPE if negated else Strength.CLOSE
        return Claim("close", self._text(target), self.expected(expected), strength, negated, self._tolerance(call))

    def expected(self, node: ast.expr) -> str:
        """The value's text; of a name the text of the literal it stands for."""
        return self._named(node) or cut(self.source.text(node), _LONGEST_VALUE)

    def _refined(self, claim: Claim, left: ast.expr, op: ast.cmpop, right: ast.expr, *, negated: bool) -> Claim:
        if isinstance(op, ast.In | ast.NotIn):
            return replace(claim, strength=Strength.SHAPE, negated=negated)
        if type(op) in _SIGNS:
            return replace(claim, strength=Strength.SHAPE, expected=f"{_SIGNS[type(op)]} {claim.expected}")
        if isinstance(right, ast.Call) and last_name(right.func) == "approx" and right.args:
            return self.close(left, right.args[0], right, negated=negated)
        if last_name(right) == "ANY":
            return replace(claim, strength=Strength.NOTHING)
        if isinstance(right, ast.Constant) and right.value is None:
            return replace(
                claim, matcher="none", strength=Strength.EXISTS if negated else Strength.EXACT, negated=negated
            )
        if isinstance(left, ast.Call) and last_name(left.func) in ("len", "type") and len(left.args) == 1:
            matcher = "length" if last_name(left.func) == "len" else "type"
            return replace(
                claim, matcher=matcher, target=self._text(left.args[0]), strength=Strength.SHAPE, negated=negated
            )
        return replace(claim, strength=Strength.SHAPE if negated else Strength.EXACT, negated=negated)

    def _any_of(self, node: ast.BoolOp, *, negated: bool, depth: int) -> Claim:
        """One of several suffices: as weak as a shape, and nothing where one of them always holds."""
        parts = [claim for value in node.values for claim in self.of(value, negated=negated, depth=depth - 1)]
        weakest = min(part.strength for part in parts)
        return Claim("any", parts[0].target, self._text(node), min(weakest, Strength.SHAPE))

    def _called(self, node: ast.Call, *, negated: bool) -> Claim:
        name, arguments = last_name(node.func), node.args
        shape = Strength.SHAPE
        if name in _KINDS and len(arguments) == 2:
            return Claim("type", self._text(arguments[0]), self._text(arguments[1]), shape, negated)
        if name in _CLOSE and len(arguments) >= 2:
            return self.close(arguments[0], arguments[1], node, negated=negated)
        if name in _SAME and arguments:
            return self._same(node, negated=negated)
        if name in _MATCHES and arguments:
            target, expected = self._matched(node, name)
            return Claim("matches", target, expected, shape, negated)
        if name in ("all", "any"):
            return Claim("truthy", self._text(node), None, shape, negated)
        return self._truthy(node, negated=negated)

    def _same(self, node: ast.Call, *, negated: bool) -> Claim:
        left = node.args[0] if len(node.args) > 1 or not isinstance(node.func, ast.Attribute) else node.func.value
        return self.compared(left, ast.NotEq() if negated else ast.Eq(), node.args[-1])

    def _matched(self, node: ast.Call, name: str) -> tuple[str, str]:
        if name in ("startswith", "endswith") and isinstance(node.func, ast.Attribute):
            return self._text(node.func.value), self._text(node.args[0])
        return self._text(node.args[-1]), self._text(node.args[0])

    def _truthy(self, node: ast.expr, *, negated: bool) -> Claim:
        always = isinstance(node, ast.Tuple | ast.Lambda) and not negated
        strength = Strength.NOTHING if always or self._is_fixed(node) else Strength.EXISTS
        matcher = "called" if last_name(node) in _CALLED else "truthy"
        return Claim(matcher, self._text(node), None, strength, negated)

    def _cannot_fail(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
        """Two values that stand there, or one expression compared with itself."""
        if self._is_fixed(left) and self._is_fixed(right):
            return True
        return isinstance(op, _REFLEXIVE) and self._text(left) == self._text(right)

    def _is_fixed(self, node: ast.expr) -> bool:
        """Its value stands there; a container behind a name may be another by now."""
        value = self.value(node)
        return (
            is_literal(node)
            or isinstance(value, ast.Constant)
            or (isinstance(value, ast.UnaryOp) and is_literal(value))
        )

    def _is_expected(self, node: ast.expr) -> bool:
        """Whether it looks like what something is compared with, rather than like what is checked."""
        name = last_name(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return is_literal(node.func.value)  # `"…".format(…)`, `"\n".join(…)`
        if isinstance(node, ast.JoinedStr) or is_literal(node) or self._named(node) is not None:
            return True
        return name.isupper() or name.lower().startswith(("expect", "want"))

    def _named(self, node: ast.expr) -> str | None:
        """The text of the literal that a name stands for."""
        value = self.value(node)
        if value is node:
            return None
        if id(value) not in self.known:
            text = cut(self.source.text(value), _LONGEST_VALUE) if is_literal(value) else None
            self.known[id(value)] = text
        return self.known[id(value)]

    def elements(self, node: ast.expr, *, depth: int = _LONGEST_CHAIN) -> list[ast.expr] | None:
        """What a written list, tuple or set holds, also behind a name and unpacked; None where it is computed."""
        node = self.value(node)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return _sliced(self.elements(node.value, depth=depth - 1) if depth else None, node.slice)
        if not isinstance(node, ast.List | ast.Tuple | ast.Set) or not depth:
            return None
        found: list[ast.expr] = []
        for item in node.elts:
            inner = self.elements(item.value, depth=depth - 1) if isinstance(item, ast.Starred) else [item]
            if inner is None or len(found) > _MOST_ELEMENTS:
                return None
            found += inner
        return found

    def row_texts(self, rows: Sequence[ast.expr]) -> tuple[str, ...]:
        """The texts of a table's rows; of a very long table one for all."""
        texts = tuple(cut(self.source.text(row), _LONGEST_VALUE) for row in rows[: _MOST_ROWS + 1])
        if len(rows) <= _MOST_ROWS and sum(map(len, texts)) <= _LONGEST_TABLE:
            return texts
        together = "".join(map(self.source.raw, rows))
        return (f"{len(rows)} rows {cut(together, _LONGEST)}",)

    def value(self, node: ast.expr) -> ast.expr:
        """What a name stands for, or the node itself."""
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def _text(self, node: ast.expr) -> str:
        return cut(self.source.text(node), _LONGEST)

    def _tolerance(self, call: ast.Call) -> str | None:
        """The widest bound that is written, or the text of one that is computed; None for the default one."""
        bounds = [(_bound(node, in_places=in_places), node) for node, in_places in _widths(call)]
        computed = [self._text(node) for bound, node in bounds if bound is None]
        written = [bound for bound, _ in bounds if bound is not None]
        return computed[0] if computed else repr(max(written)) if written else None


def _sliced(elements: list[ast.expr] | None, part: ast.Slice) -> list[ast.expr] | None:
    """The part of a written list; None where its ends are computed."""
    ends = [None if end is None else _number(end) for end in (part.lower, part.upper, part.step)]
    is_written = all(
        number is not None or end is None for number, end in zip(ends, (part.lower, part.upper, part.step), strict=True)
    )
    return elements[slice(*ends)] if elements is not None and is_written and ends[2] != 0 else None


def _number(node: ast.expr) -> int | None:
    value = ast.unparse(node)
    return int(value) if value.removeprefix("-").isdecimal() else None


def _widths(call: ast.Call) -> Iterator[tuple[ast.expr, bool]]:
    """The bounds that a call gives, and whether as a number of decimal places."""
    name = last_name(call.func)
    for node in call.args[1 if name == "approx" else 2 :]:
        if not isinstance(node, ast.Constant) or isinstance(node.value, int | float):  # else it is a message
            yield node, "lmost" in name
    for keyword in call.keywords:
        if keyword.arg in _WIDTHS:
            yield keyword.value, keyword.arg in _PLACES


def _bound(node: ast.expr, *, in_places: bool) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(value, int | float):
        return None
    try:
        return 0.5 * 10.0**-value if in_places else float(value)
    except OverflowError:
        return None
