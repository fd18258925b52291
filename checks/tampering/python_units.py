"""Python's tests as units, from its own syntax trees: what pytest, unittest and Django's runner collect.

Collected by default: https://docs.pytest.org/en/stable/explanation/goodpractices.html#test-discovery and
https://docs.python.org/3/library/unittest.html#test-discovery
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from checks.tampering.places import is_test_path
from checks.tampering.python.body import Body, Function, Place, always_skips
from checks.tampering.python.calls import is_named_like_assertion
from checks.tampering.python.claims import Claims
from checks.tampering.python.conditions import Conditions
from checks.tampering.python.function import Module, Reading, read_function
from checks.tampering.python.marks import MarkReader, Marks
from checks.tampering.python.source import Source, TooMuch, last_name, parse
from checks.tampering.python.swallowers import swallowing
from checks.tampering.units import FileUnits, SkipScope, Unit

_NOT_SEARCHED = frozenset({"build", "dist", "node_modules", "venv", "CVS", "_darcs", "{arch}"})  # `norecursedirs`
_SETTING_UP = frozenset(
    {
        "setUp",
        "asyncSetUp",
        "setUpClass",
        "setup",
        "setup_method",
        "setup_class",
        "setUpModule",
        "setup_module",
        "setup_function",
    }
)
_MOST_FUNCTIONS = 5_000  # of one file
_SCOPES = {True: SkipScope.ALWAYS, False: SkipScope.PLATFORM, None: SkipScope.CONDITION}


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. What this Python's grammar does not know, or is more than anybody writes, is not parsed."""
    is_test_file = is_test_path(path)
    parsed = parse(source)
    if parsed is not None and parsed.functions <= _MOST_FUNCTIONS:
        try:
            return _File(path, parsed, is_test_file).read()
        except (RecursionError, TooMuch):
            pass
    return FileUnits(path, parsed=False, is_test_file=is_test_file)


def defined_names(source: bytes) -> frozenset[str]:
    """Names that a file of product code defines; nobody looks into its functions, which takes ten times as long."""
    parsed = parse(source)
    if parsed is None or parsed.functions > _MOST_FUNCTIONS:
        return frozenset()
    return frozenset(_defined(parsed.tree.body))


@dataclass(frozen=True, slots=True)
class _Branch:
    """A condition around statements. `holds`: see `Conditions.holds`; true where there is none. `is_newest`: what it
    says is said of the newest Python alone."""

    holds: bool | None = True
    text: str = ""
    is_newest: bool = False

    @property
    def scope(self) -> SkipScope:
        """Of a skip that stands there."""
        return SkipScope.PLATFORM if self.is_newest else _SCOPES[self.holds]


@dataclass(frozen=True, slots=True)
class _Suite:
    """A module or class, as its functions see it."""

    prefix: str
    marks: Marks
    collected: bool


@dataclass(slots=True)
class _File:
    path: str
    source: Source
    is_test_file: bool
    constants: dict[str, ast.expr] = field(init=False)
    module: Module = field(init=False)
    of_tests: frozenset[str] = field(init=False)
    units: dict[str, Unit] = field(default_factory=dict)
    helpers: list[Unit] = field(default_factory=list)

    def read(self) -> FileUnits:
        module = self.source.tree
        self.constants = _constants(module.body)
        self.of_tests = frozenset(_from_tests(module.body))
        self.module = Module(self.source, self.constants, _skippers(module.body), swallowing(module.body))
        self._suite(module.body, _Suite("", Marks(), _is_searched(self.path) and _wants_tests(module.body)))
        defines = frozenset() if self.is_test_file else frozenset(_defined(module.body))
        units, helpers = tuple(self.units.values()), tuple(self.helpers)
        return FileUnits(self.path, units, helpers, defines, is_test_file=self.is_test_file)

    def _suite(self, body: list[ast.stmt], suite: _Suite) -> None:
        statements = list(self._flat(body, _Branch()))
        marks = self._marks_of(statements).inside(suite.marks)
        suite = _Suite(suite.prefix, marks, suite.collected)
        unbound = _unbound(statements)
        for statement, branch in statements:
            if isinstance(statement, Function):
                self._function(statement, self._under(branch, suite), is_bound=statement.name not in unbound)
            elif isinstance(statement, ast.ClassDef):
                self._class(statement, self._under(branch, suite), is_bound=statement.name not in unbound)

    def _class(self, node: ast.ClassDef, suite: _Suite, *, is_bound: bool) -> None:
        marks = self._reader().read(node.decorator_list).inside(suite.marks)
        collected = suite.collected and is_bound and _is_collected(node)
        self._suite(node.body, _Suite(f"{suite.prefix}{node.name}.", marks, collected))

    def _function(self, node: Function, suite: _Suite, *, is_bound: bool) -> None:
        marks = self._reader().read(node.decorator_list)
        reading = read_function(node, self.module)
        is_test = node.name.startswith("test") and self.is_test_file and not marks.is_fixture
        if is_test:
            unit = self._unit(node, reading, marks.inside(suite.marks), suite, collected=suite.collected and is_bound)
            self.units.pop(unit.name, None)  # a later one of that name takes its place, also in order
            self.units[unit.name] = unit
        elif reading.body.assertions or is_named_like_assertion(node.name) or (marks.is_fixture and marks.rows):
            own = replace(marks, skipped=None, may_fail=None)
            self.helpers.append(self._unit(node, reading, own, suite, collected=False))

    def _unit(self, node: Function, reading: Reading, marks: Marks, suite: _Suite, *, collected: bool) -> Unit:
        marks = marks.skipping(reading.body.skipped, reading.body.skip_scope)
        return Unit(
            path=self.path,
            name=f"{suite.prefix}{marks.fixture_name or node.name}",
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            assertions=tuple(reading.body.assertions),
            body=reading.text + ",".join((*marks.rows, *reading.body.rows)),
            calls=reading.calls,
            skipped=marks.skipped,
            may_fail=marks.may_fail,
            cases=_cases(marks, reading.body),
            retries=marks.retries,
            timeout=marks.timeout,
            collected=collected,
            skip_scope=marks.skip_scope,
            mocks=reading.mocks,
            examples=marks.examples,
            rows=(*marks.rows, *reading.body.rows),
        )

    def _under(self, branch: _Branch, suite: _Suite) -> _Suite:
        if branch.holds is True:
            return suite
        scope = SkipScope.CONDITION if branch.holds is None else SkipScope.ALWAYS
        scope = SkipScope.PLATFORM if branch.is_newest else scope
        return _Suite(suite.prefix, suite.marks.skipping(f"if {branch.text}:", scope), suite.collected)

    def _marks_of(self, statements: list[tuple[ast.stmt, _Branch]]) -> Marks:
        """What the statements of a module or class itself do to all of its tests."""
        marks = Marks()
        for statement, branch in statements:
            if isinstance(statement, ast.Assign) and _is_named(statement, "pytestmark"):
                given = statement.value.elts if isinstance(statement.value, ast.List | ast.Tuple) else [statement.value]
                marks = self._reader().read(given).inside(marks)
            elif isinstance(statement, ast.Expr | ast.Raise):
                body = Body(self.source, Claims(self.source, {}), self._conditions(), frozenset())
                body.block([statement], Place(skip_scope=branch.scope, condition=branch.text))
                marks = marks.skipping(body.skipped, body.skip_scope)
            elif isinstance(statement, Function) and self._sets_up(statement):
                body = read_function(statement, self.module).body
                marks = marks.skipping(body.skipped, body.skip_scope)
        return marks

    def _sets_up(self, function: Function) -> bool:
        calls = [
            mark for mark in function.decorator_list if isinstance(mark, ast.Call) and last_name(mark.func) == "fixture"
        ]
        autouse = any(keyword.arg == "autouse" for call in calls for keyword in call.keywords)
        return autouse or function.name in _SETTING_UP

    def _flat(self, body: Iterable[ast.stmt], branch: _Branch) -> Iterator[tuple[ast.stmt, _Branch]]:
        """Statements of a module or class, out of the conditions that they stand in."""
        for statement in body:
            match statement:
                case ast.If():
                    inside = self._branch(statement.test)
                    yield from self._flat(statement.body, _both(branch, inside))
                    yield from self._flat(statement.orelse, _both(branch, _opposite(inside)))
                case ast.Try() | ast.TryStar():
                    handled = [line for handler in statement.handlers for line in handler.body]
                    yield from self._flat([*statement.body, *statement.orelse, *statement.finalbody], branch)
                    yield from self._flat(handled, _both(branch, _Branch(None, "an error was caught")))
                case ast.With():
                    yield from self._flat(statement.body, branch)
                case _:
                    yield statement, branch

    def _branch(self, test: ast.expr) -> _Branch:
        conditions = self._conditions()
        is_newest = conditions.holds_on_newest_alone(test)
        return _Branch(conditions.holds(test), self.source.quote(test), is_newest)

    def _conditions(self) -> Conditions:
        return Conditions(self.constants)

    def _reader(self) -> MarkReader:
        return MarkReader(self.source, self._conditions(), self.of_tests)


def _both(outer: _Branch, inner: _Branch) -> _Branch:
    return inner if outer.holds is True else outer


def _opposite(branch: _Branch) -> _Branch:
    return _Branch(None if branch.holds is None else not branch.holds, f"not ({branch.text})", branch.is_newest)


def _constants(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """What names of a module stand for that are assigned once."""
    assigned = [statement for statement in body if isinstance(statement, ast.Assign) and len(statement.targets) == 1]
    named = [(line.targets[0].id, line.value) for line in assigned if isinstance(line.targets[0], ast.Name)]
    times = Counter(name for name, _ in named)
    return {name: value for name, value in named if times[name] == 1}


def _from_tests(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names that come from other files of the tests."""
    for statement in body:
        if isinstance(statement, ast.ImportFrom) and (statement.level or "test" in (statement.module or "")):
            yield from (name.asname or name.name for name in statement.names)


def _cases(marks: Marks, body: Body) -> int:
    """Rows of marks and of loops; 0 where one of them goes through something computed."""
    if not body.rows or body.goes_on or marks.cases == 0:
        return 0 if body.goes_on else marks.cases
    return len(marks.rows) + len(body.rows)


def _skippers(body: Iterable[ast.stmt]) -> frozenset[str]:
    functions = (statement for statement in body if isinstance(statement, Function))
    return frozenset(one.name for one in functions if not one.name.startswith("test") and always_skips(one))


def _unbound(statements: list[tuple[ast.stmt, _Branch]]) -> set[str]:
    """Names of functions and classes that are deleted or bound to something else afterwards."""
    defined: set[str] = set()
    unbound: set[str] = set()
    for statement, _ in statements:
        if isinstance(statement, Function | ast.ClassDef):
            defined.add(statement.name)
            unbound.discard(statement.name)
        elif isinstance(statement, ast.Assign | ast.Delete):
            unbound |= {target.id for target in statement.targets if isinstance(target, ast.Name)} & defined
    return unbound


def _is_named(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)


def _is_searched(path: str) -> bool:
    """Whether a runner finds tests in a file of that name and place without being told so."""
    *folders, name = path.split("/")
    if any(folder.startswith(".") or folder in _NOT_SEARCHED or folder.endswith(".egg") for folder in folders):
        return False
    return name.startswith("test") or name.endswith("_test.py")


def _wants_tests(body: Iterable[ast.stmt]) -> bool:
    """Both runners heed `__test__ = False`."""
    marks = [line.value for line in body if isinstance(line, ast.Assign) and _is_named(line, "__test__")]
    return all(not isinstance(value, ast.Constant) or bool(value.value) for value in marks)


def _is_collected(node: ast.ClassDef) -> bool:
    """A TestCase by the names of its bases, or a class that pytest takes: `Test…` without `__init__`.

    A mix-in runs in the classes that use it.
    """
    if not _wants_tests(node.body):
        return False
    bases = [last_name(base) for base in node.bases]
    if any("Test" in base or "Case" in base for base in bases) or "mixin" in node.name.lower():
        return True
    has_init = any(isinstance(statement, Function) and statement.name == "__init__" for statement in node.body)
    return node.name.startswith("Test") and not has_init


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            yield statement.name
        if isinstance(statement, ast.ClassDef):
            yield from _defined(statement.body)
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id
