"""The body of a test: its assertions, which of them cannot fail the test, and what stops it before its end."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from checks.tampering.python.calls import (
    asserts,
    catches_everything,
    claims_of_call,
    custom,
    is_raises,
    raises,
)
from checks.tampering.python.claims import Claim, Claims
from checks.tampering.python.conditions import Conditions
from checks.tampering.python.source import Source, TooMuch, dotted, last_name, nodes
from checks.tampering.python.written import given_to_name, is_of
from checks.tampering.units import Assertion, SkipScope

_SKIPS = frozenset({"pytest.skip", "skip", "skipTest", "self.skipTest", "pytest.xfail", "xfail", "pytest.importorskip"})
_SKIP_ERRORS = frozenset({"SkipTest", "Skipped"})
_FAILS = frozenset({"fail", "pytest.fail", "self.fail"})
_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort", "pytest.exit"})
_ENTERS = frozenset({"enter_context", "enter_async_context", "push"})
_MOST_ASSERTIONS = 1_000  # of one function
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of a statement's surroundings."""

    swallowed: bool = False
    skip_scope: SkipScope = SkipScope.ALWAYS
    condition: str = ""
    in_class: bool = False


@dataclass(slots=True)
class Body:
    """What was read of a function. `skipped` is what skips it first. Raises TooMuch while it reads."""

    source: Source
    claims: Claims
    conditions: Conditions
    used: frozenset[str]  # names that the function reads
    skippers: frozenset[str] = frozenset()  # functions that skip whatever calls them
    quiet: frozenset[str] = frozenset()  # context managers that swallow what is raised in them
    assertions: list[Assertion] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)  # of written tables that loops with assertions go through
    asserting: dict[int, bool] = field(default_factory=dict)
    goes_on: bool = False  # there is such a loop through something computed
    skipped: str | None = None
    skip_scope: SkipScope = SkipScope.ALWAYS
    before: ast.stmt | None = None  # the statement right before the one that is read

    def block(self, statements: Iterable[ast.stmt], place: Place) -> bool:
        """Reads statements in order; true where the block may be left before what follows it."""
        left = False
        before: ast.stmt | None = None
        for statement in statements:
            self.before, before = before, statement
            if self._leaves(statement, place):
                left = True
                place = replace(place, swallowed=True)
        return left

    def ask_for(self, fixtures: frozenset[str]) -> None:
        """Takes into account fixtures that skip whatever asks for them."""
        for name in sorted(fixtures):
            self.skipped, self.skip_scope = f"fixture {name}", SkipScope.ALWAYS

    def _leaves(self, statement: ast.stmt, place: Place) -> bool:
        match statement:
            case ast.Assert():
                self._add(statement, self.claims.of(statement.test), place)
            case ast.Expr(value=value):
                return self._call(statement, value, place)
            case ast.If():
                return self._if(statement, place)
            case ast.With() | ast.AsyncWith():
                return self._with(statement, place)
            case ast.Try() | ast.TryStar():
                return self._try(statement, place)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(statement, place)
            case _:
                return self._other(statement, place)
        return False

    def _other(self, statement: ast.stmt, place: Place) -> bool:
        match statement:
            case ast.Return():
                if statement.value is not None:
                    self._call(statement, statement.value, place)
                return True
            case ast.Raise() if _is_skip(statement):
                self._skip(statement, place)
            case ast.Raise():
                return True
            case ast.Continue() | ast.Break():
                return True
            case ast.Match():
                return self._match(statement, place)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                called = place.in_class or statement.name in self.used
                in_class = isinstance(statement, ast.ClassDef)  # whose methods may be called through anything
                inside = Place(place.swallowed or not called, SkipScope.CONDITION, in_class=in_class)
                self.block(statement.body, inside)
        return False

    def _call(self, statement: ast.stmt, value: ast.expr, place: Place) -> bool:
        value = value.value if isinstance(value, ast.Await) else value
        if not isinstance(value, ast.Call):
            return False
        name = dotted(value.func)
        if name in _SKIPS:
            conditional = name.endswith("importorskip")
            self._skip(statement, replace(place, skip_scope=SkipScope.CONDITION) if conditional else place)
            return False
        if name in self.skippers:
            self._skip(statement, place)
        self._add(statement, claims_of_call(value, self.claims), place)
        return name in _EXITS or (last_name(value.func) in _ENTERS and any(map(self._swallows, value.args)))

    def _skip(self, statement: ast.stmt, place: Place) -> None:
        if self.skipped is None or self.skip_scope is SkipScope.PLATFORM:
            when = f"if {place.condition}: " if place.condition else ""
            self.skipped, self.skip_scope = when + self.source.quote(statement), place.skip_scope

    def _if(self, statement: ast.If, place: Place) -> bool:
        holds = self.conditions.holds(statement.test)
        if _fails(statement.body) and holds is None:
            self._add(statement, self.claims.of(statement.test, negated=True), place, statement.test)
            return self.block(statement.orelse, place)
        newest = self.conditions.holds_on_newest_alone(statement.test)
        if holds is not None and not newest:
            elsewhere = replace(place, swallowed=True, skip_scope=SkipScope.PLATFORM)
            runs, other = (statement.body, statement.orelse) if holds else (statement.orelse, statement.body)
            self.block(other, elsewhere)
            return self.block(runs, place)
        both = self._asserts(statement.body) and self._asserts(statement.orelse)
        scope = SkipScope.PLATFORM if newest else SkipScope.CONDITION
        inside = Place(place.swallowed or not both, scope, self.source.quote(statement.test))
        left = [self.block(branch, inside) for branch in (statement.body, statement.orelse)]
        return any(left)

    def _match(self, statement: ast.Match, place: Place) -> bool:
        """One of the cases runs, or none: an assertion counts only where each of them asserts or fails."""
        all_judge = all(self._asserts(case.body) or _fails(case.body) for case in statement.cases)
        surely = all_judge and _takes_all(statement.cases[-1])
        inside = Place(
            place.swallowed or not surely, SkipScope.CONDITION, f"{self.source.quote(statement.subject)} matches"
        )
        left = [self.block(case.body, inside) and not _fails(case.body) for case in statement.cases]
        return any(left)

    def _with(self, statement: ast.With | ast.AsyncWith, place: Place) -> bool:
        swallowed = place.swallowed
        for item in statement.items:
            call = item.context_expr
            if is_raises(call) and isinstance(call, ast.Call):
                self._add(statement, [raises(call, self._text(statement.body), self.claims)], place, call)
                swallowed = swallowed or catches_everything(call.args[0])
            elif self._swallows(call):
                swallowed = True
            elif isinstance(call, ast.Call) and asserts(call):
                self._add(statement, [custom(call, self.claims)], place, call)
        return self.block(statement.body, replace(place, swallowed=swallowed))

    def _swallows(self, context: ast.expr) -> bool:
        """Whether a context manager keeps a failing assertion's error to itself."""
        if not isinstance(context, ast.Call):
            return False
        name = last_name(context.func)
        return name in self.quiet or (name == "suppress" and any(map(catches_everything, context.args)))

    def _try(self, statement: ast.Try | ast.TryStar, place: Place) -> bool:
        swallowing = any(
            catches_everything(handler.type) and not _fails(handler.body) for handler in statement.handlers
        )
        swallowing = swallowing or any(isinstance(last, ast.Return) for last in statement.finalbody)
        left = self.block(statement.body, replace(place, swallowed=place.swallowed or swallowing))
        demanded = _fails(statement.orelse) or _fails(statement.body)
        handled = Place(place.swallowed or not demanded, SkipScope.CONDITION)
        for handler in statement.handlers:
            left |= self.block(handler.body, handled) and not _fails(handler.body)
        self.block(statement.orelse, place)
        self.block(statement.finalbody, place)
        return left

    def _loop(self, statement: ast.For | ast.AsyncFor | ast.While, place: Place) -> bool:
        rows = None if isinstance(statement, ast.While) else self._table(statement.iter)
        if rows is not None and any(isinstance(part, ast.Break | ast.Return) for part in statement.body):
            rows = rows[:1]
        never = self.conditions.holds(statement.test) is False if isinstance(statement, ast.While) else rows == []
        asserted = len(self.assertions)
        self.block(statement.body, Place(place.swallowed or never, SkipScope.CONDITION))
        if len(self.assertions) > asserted:
            self.goes_on |= rows is None
            self.rows += self.claims.row_texts(rows or ())
        self.block(statement.orelse, place)
        return any(isinstance(part, ast.Return) for part in statement.body)

    def _asserts(self, statements: list[ast.stmt]) -> bool:
        """Whether there is an assertion in them; remembered, since every branch of a long chain asks for the rest."""
        if id(statements) not in self.asserting:
            self.asserting[id(statements)] = any(map(self._has_assertion, statements))
        return self.asserting[id(statements)]

    def _has_assertion(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.If):
            return self._asserts(statement.body) or self._asserts(statement.orelse)
        return any(map(_is_asserting, nodes(statement)))

    def _table(self, node: ast.expr) -> list[ast.expr] | None:
        """The elements of what a loop goes through, where they are written down."""
        match node:
            case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[]):
                table = self.claims.value(table)
                return list(map(_pair, table.keys, table.values)) if isinstance(table, ast.Dict) else None
            case ast.Call(func=ast.Name(id="enumerate" | "reversed" | "sorted"), args=[table, *_]):
                return self._table(table)
            case _:
                return self.claims.elements(node)

    def _add(self, statement: ast.stmt, claims: Iterable[Claim], place: Place, shown: ast.expr | None = None) -> None:
        text = self.source.quote(shown or _without_message(statement))
        written = given_to_name(self.before)
        for claim in claims:
            if len(self.assertions) == _MOST_ASSERTIONS:
                raise TooMuch
            self.assertions.append(
                Assertion(
                    line=statement.lineno,
                    text=text,
                    matcher=claim.matcher,
                    target=claim.target,
                    expected=claim.expected,
                    strength=claim.strength,
                    negated=claim.negated,
                    tolerance=claim.tolerance,
                    swallowed=place.swallowed or is_of(claim, written),
                )
            )

    def _text(self, statements: Sequence[ast.stmt]) -> str:
        return ";".join(map(self.source.text, statements))


def _pair(key: ast.expr | None, value: ast.expr) -> ast.expr:
    """A row of a dictionary, with the place of both in the source."""
    row = ast.copy_location(ast.Tuple([value]), value)
    if key is not None:  # None is an unpacked dictionary
        row.lineno, row.col_offset = key.lineno, key.col_offset
    return row


def always_skips(function: Function) -> bool:
    """Whether it skips whatever calls it, or asks for it as a fixture."""
    return any(_is_skip(statement) for statement in function.body)


def _is_skip(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=func)):
            return dotted(func) in _SKIPS - {"pytest.importorskip"}
        case ast.Raise(exc=ast.expr() as error):
            return last_name(error.func if isinstance(error, ast.Call) else error) in _SKIP_ERRORS
        case _:
            return False


def _without_message(statement: ast.stmt) -> ast.stmt | ast.expr:
    return statement.test if isinstance(statement, ast.Assert) else statement


def _fails(statements: Sequence[ast.stmt]) -> bool:
    """Whether a block ends by failing the test or by handing an error on."""
    match statements[-1:]:
        case [ast.Expr(value=ast.Call(func=func))]:
            return dotted(func) in _FAILS
        case [ast.Raise(exc=error)]:
            return error is None or last_name(error.func if isinstance(error, ast.Call) else error) not in _SKIP_ERRORS
        case [ast.Assert(test=ast.Constant(value=value))]:
            return not value
        case _:
            return False


def _takes_all(case: ast.match_case) -> bool:
    """`case _:` or `case other:` (https://docs.python.org/3/reference/compound_stmts.html#irrefutable-case-blocks)."""
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _is_asserting(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and (is_raises(node) or asserts(node)))
