"""Tests, suites and helpers as scopes that open and close along a source; what lies in them becomes units.

The same for every grammar: an adapter says what a node opens, asserts, calls or marks, and this module knows which test
that belongs to, what is inherited from the suites around it, and what is asserted only under a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import prod

import re2
from tree_sitter import Node

from checks.tampering.syntax import Syntax
from checks.tampering.units import Assertion, SkipScope, Unit

_HELPER_NAME = re2.compile(r"(?i)(?:.*\.)?(?:assert|expect|check|verify|should|ensure|must|require)[A-Z_\d].*")


class Kind(Enum):
    """What a scope is for."""

    SUITE = "suite"
    TEST = "test"
    HELPER = "helper"  # a function that is no test; kept where it asserts
    GUARD = "guard"  # its assertions are caught, or run only under a condition


@dataclass(frozen=True, slots=True)
class Mark:
    """Something said about the test or suite around it. `what` is a field of Unit: `skipped`, `retries`, …

    Of `examples`, `source` is the number.
    """

    what: str
    source: str
    scope: SkipScope = SkipScope.ALWAYS  # of a skip


@dataclass(frozen=True, slots=True)
class Call:
    name: str


@dataclass(frozen=True, slots=True)
class Mock:
    target: str


@dataclass(frozen=True, slots=True)
class Message:
    """What is only said when a test fails. It is no part of what tells a test from others."""

    node: Node


@dataclass(frozen=True, slots=True)
class Rows:
    """A table that the test around it goes through."""

    rows: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Scope:
    """`rows` are those of a table that it runs for, `own_rows` of tables in it, `parts` what counts as its body.

    `certain_until` is the byte from which on it may not be reached. `when` is for guards: where a skip in it is one.
    `is_hook`: what skips in it skips the tests of the suite around it.
    """

    kind: Kind
    node: Node
    name: str = ""
    marks: dict[str, Mark] = field(default_factory=dict)
    rows: tuple[str, ...] | None = None
    own_rows: tuple[str, ...] | None = None
    parts: tuple[Node, ...] = ()
    certain_until: int | None = None
    collected: bool = True
    when: SkipScope = SkipScope.CONDITION
    is_hook: bool = False
    assertions: list[Assertion] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    mocks: set[str] = field(default_factory=set)
    messages: list[Node] = field(default_factory=list)


Item = Scope | Assertion | Mark | Call | Mock | Rows | Message
Visit = Callable[[str, Node], Iterable[Item]]
_BLOCKS = (Kind.TEST, Kind.HELPER)
_OTHER_SYSTEM = re2.compile(
    r"(?i)\bwin\b|win32|windows|darwin|mac_?os|osx|bsd|solaris|cygwin|mingw|safari|webkit|firefox|jruby|truffle"
)
_LINUX = re2.compile(r"(?i)linux|unix")
_NOT = re2.compile(r"!|\bnot\b|\bunless\b|(?i:is_?not)")
_NEVER = frozenset({"false", "0", "nil", "null", "undefined"})
_SEVERITY = {SkipScope.PLATFORM: 0, SkipScope.CONDITION: 1, SkipScope.ALWAYS: 2}
_DEEPEST = 200  # scopes inside each other; only a hostile source has more, and looks at all of them for every assertion


def condition_scope(condition: str, *, runs: bool = False) -> SkipScope:
    """Where a test is skipped under that condition, or runs only under it: on all systems but Linux, or anywhere."""
    is_other, is_linux = _OTHER_SYSTEM.search(condition) is not None, _LINUX.search(condition) is not None
    is_not = _NOT.search(condition) is not None
    named = is_linux if runs is not is_not else is_other
    return SkipScope.PLATFORM if named and is_other is not is_linux else SkipScope.CONDITION


def guard(node: Node, condition: str, *, is_split: bool = False) -> Scope:
    """What may not run. Tests that are declared in it are skipped unless the condition holds.

    `is_split`: there is another branch, and nothing here knows which of them something stands in.
    """
    never = condition.strip("()") in _NEVER
    runs = SkipScope.CONDITION if is_split else condition_scope(condition, runs=True)
    mark = Mark("skipped", f"if {condition}", SkipScope.ALWAYS if never and not is_split else runs)
    when = SkipScope.CONDITION if is_split else condition_scope(condition)
    return Scope(Kind.GUARD, node, marks={"skipped": mark}, when=when)


class Scopes:
    """The units of one source, as `read` finds them."""

    def __init__(self, path: str, syntax: Syntax, separator: str) -> None:
        self.units: list[Unit] = []
        self.helpers: list[Unit] = []
        self._path = path
        self._syntax = syntax
        self._separator = separator
        self._stack = [Scope(Kind.SUITE, syntax.root)]
        self._names: dict[str, int] = {}
        self._skipping: dict[str, Mark] = {}  # functions that skip, by name

    def read(self, visit: Visit) -> None:
        """`visit` gets the wanted nodes in the order of the source; what it opens closes with the node."""
        opened: list[int] = []
        for step in self._syntax.steps:
            if step is None:
                for _ in range(opened.pop()):
                    self._close(self._stack.pop())
            else:
                opened.append(sum(self._take(item, step[1]) for item in visit(*step)))
        self.units = [self._with_skips_of_helpers(unit) for unit in self.units] if self._skipping else self.units

    def _with_skips_of_helpers(self, unit: Unit) -> Unit:
        """A function that skips the test which calls it."""
        called = sorted({name.rpartition(".")[2] for name in unit.calls} & self._skipping.keys())
        if unit.skipped is not None or not called:
            return unit
        mark = self._skipping[called[0]]
        return replace(unit, skipped=f"{called[0]}: {mark.source}", skip_scope=mark.scope)

    def mark_file(self, mark: Mark) -> None:
        """What holds for every test of the file."""
        self._stack[0].marks.setdefault(mark.what, mark)

    def leave_file_at(self, start: int | None) -> None:
        """From which byte on the file may have been left."""
        self._stack[0].certain_until = start

    def block(self) -> Scope | None:
        """The test or helper that is open."""
        return next((scope for scope in reversed(self._stack) if scope.kind in _BLOCKS), None)

    def is_open(self, kind: Kind) -> bool:
        return any(scope.kind is kind for scope in self._stack)

    def _take(self, item: Item, node: Node) -> int:
        """How many scopes it opens."""
        if isinstance(item, Scope):
            return self._open(item)
        if isinstance(item, Mark):
            self._mark(item, node)
        elif isinstance(item, Mock):
            (self.block() or self._stack[-1]).mocks.add(item.target)
        elif (block := self.block()) is not None:
            self._keep(item, node, block)
        return 0

    def _open(self, scope: Scope) -> int:
        """Not what stands inside a test, which is a part of it, and no function inside another one."""
        inside = self.block()
        if len(self._stack) > _DEEPEST or (inside is not None and not _has_place(scope.kind, inside.kind)):
            return 0
        self._stack.append(scope)
        return 1

    def _mark(self, mark: Mark, node: Node) -> None:
        place = next(scope for scope in reversed(self._stack) if scope.kind is not Kind.GUARD and not scope.is_hook)
        guards = {guard.when for guard in self._guards(node, place)}
        if mark.scope is SkipScope.ALWAYS and (guards or _is_past(node, place)):
            scope = SkipScope.PLATFORM if SkipScope.PLATFORM in guards else SkipScope.CONDITION
            mark = replace(mark, scope=scope)
        place.marks.setdefault(mark.what, mark)

    def _keep(self, item: Assertion | Call | Rows | Message, node: Node, block: Scope) -> None:
        if isinstance(item, Call):
            block.calls.add(item.name)
        elif isinstance(item, Message):
            block.messages.append(item.node)
        elif isinstance(item, Rows):
            block.own_rows = (*(block.own_rows or ()), *item.rows)
        else:
            swallowed = item.swallowed or _is_past(node, block) or bool(self._guards(node, block))
            block.assertions.append(replace(item, swallowed=swallowed))

    def _guards(self, node: Node, place: Scope) -> list[Scope]:
        """Those between a node and the scope that it belongs to."""
        inner = [scope for scope in self._stack[self._stack.index(place) + 1 :] if scope.kind is Kind.GUARD]
        return [guard for guard in inner if guard.node.start_byte <= node.start_byte < guard.node.end_byte]

    def _close(self, scope: Scope) -> None:
        if scope.kind is Kind.TEST:
            self.units.append(self._unit(scope))
        elif scope.kind is Kind.HELPER:
            if "skipped" in scope.marks:
                self._skipping[scope.name] = scope.marks["skipped"]
            if scope.assertions or _HELPER_NAME.fullmatch(scope.name):
                self.helpers.append(self._unit(scope))

    def _unit(self, scope: Scope) -> Unit:
        around = [suite for suite in self._stack if suite.kind is Kind.SUITE]
        marks = _effective([scope, *reversed(self._stack)])
        if any(_is_past(scope.node, suite) for suite in around):
            marks.setdefault("skipped", Mark("skipped", "return", SkipScope.CONDITION))
        words = {what: mark.source for what, mark in marks.items()}
        given = [place.rows for place in (*around, scope) if place.rows is not None]
        tables = given if scope.own_rows is None else [*given, scope.own_rows]
        body = self._syntax.text(*scope.parts, without=scope.messages)
        return Unit(
            path=self._path,
            name=self._named([suite.name for suite in around] + [scope.name]),
            line=scope.node.start_point.row + 1,
            end_line=scope.node.end_point.row + 1,
            assertions=tuple(scope.assertions),
            body=body + ",".join(row for table in given for row in table),
            calls=frozenset(scope.calls),
            skipped=words.get("skipped"),
            focused=words.get("focused"),
            may_fail=words.get("may_fail"),
            cases=prod(map(len, tables)),
            retries=words.get("retries"),
            timeout=words.get("timeout"),
            collected=scope.collected,
            skip_scope=marks["skipped"].scope if "skipped" in marks else SkipScope.ALWAYS,
            mocks=frozenset(scope.mocks.union(*(suite.mocks for suite in around))),
            examples=int(words["examples"]) if words.get("examples", "").isdecimal() else None,
            rows=tuple(row for table in tables for row in table),
        )

    def _named(self, parts: Sequence[str]) -> str:
        """Qualified; a second one of the same name has its number."""
        name = self._separator.join(part for part in parts if part)
        self._names[name] = self._names.get(name, 0) + 1
        return name if self._names[name] == 1 else f"{name} ({self._names[name]})"


def _has_place(kind: Kind, inside: Kind) -> bool:
    return kind is Kind.GUARD or (inside is Kind.HELPER and kind is not Kind.HELPER)


def _effective(places: Sequence[Scope]) -> dict[str, Mark]:
    """The marks that count, of the innermost place first; the skip that spares the fewest runs."""
    marks: dict[str, Mark] = {}
    for place in places:
        for what, mark in place.marks.items():
            known = marks.setdefault(what, mark)
            if _SEVERITY[mark.scope] > _SEVERITY[known.scope]:
                marks[what] = mark
    return marks


def _is_past(node: Node, place: Scope) -> bool:
    """Whether the place may be left before this node is reached."""
    return place.certain_until is not None and node.start_byte >= place.certain_until
