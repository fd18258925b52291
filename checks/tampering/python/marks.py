"""Marks on tests: decorators and `pytestmark` that skip, expect failure, repeat, retry or bound a test.

https://docs.pytest.org/en/stable/reference/reference.html#marks and the decorators of unittest, parameterized, ddt,
pytest-rerunfailures, flaky, pytest-timeout and hypothesis.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from checks.tampering.python.claims import Claims
from checks.tampering.python.conditions import Conditions
from checks.tampering.python.source import Source, TooMuch, dotted, expression, last_name
from checks.tampering.units import SkipScope

_SKIPS_IF = frozenset({"skipif", "skipIf"})
# Marks of a project's own for tests that its usual command leaves out.
_SET_ASIDE = frozenset({"manual", "quarantine", "quarantined", "disabled", "broken", "wip", "ignore", "exclude"})
_XFAILS = frozenset({"xfail", "expectedFailure"})
_ROWS = {"parametrize": 1, "expand": 0, "parameterized": 0, "data": None}
_RETRIES = frozenset({"flaky", "retry", "retries", "rerun"})
_MOST_MARKS = 100
_NOT_RUN = frozenset({"skip", "xfail", "skipif"})


@dataclass(frozen=True, slots=True)
class Marks:
    """What the marks of a test and of what encloses it come to; the fields mean the same as a `Unit`'s."""

    skipped: str | None = None
    skip_scope: SkipScope = SkipScope.ALWAYS
    may_fail: str | None = None
    cases: int = 1
    rows: tuple[str, ...] = ()
    retries: str | None = None
    timeout: str | None = None
    examples: int | None = None
    is_fixture: bool = False
    fixture_name: str | None = None

    def inside(self, outer: Marks) -> Marks:
        """These marks on something that the outer ones enclose."""
        skip = min((self, outer), key=_runs_more)
        return replace(
            self,
            skipped=skip.skipped,
            skip_scope=skip.skip_scope,
            may_fail=self.may_fail or outer.may_fail,
            cases=self.cases * outer.cases,
            rows=self.rows + outer.rows,
            retries=self.retries or outer.retries,
            timeout=self.timeout or outer.timeout,
            examples=self.examples or outer.examples,
        )

    def skipping(self, text: str | None, scope: SkipScope) -> Marks:
        """These marks, and a skip by other means."""
        return Marks(skipped=text, skip_scope=scope).inside(self) if text else self


@dataclass(frozen=True, slots=True)
class MarkReader:
    """`conditions` know what names of the file stand for: `slow = pytest.mark.skipif(…)`, `ROWS = [(1, 2), (3, 4)]`.

    `of_tests` are names that it has from other files of the tests: marks may be among them, with rows that are not
    seen here.
    """

    source: Source
    conditions: Conditions
    of_tests: frozenset[str] = frozenset()

    def read(self, marks: Sequence[ast.expr]) -> Marks:
        """What several marks come to. Raises TooMuch."""
        if len(marks) > _MOST_MARKS:
            raise TooMuch
        found = Marks()
        for mark in marks:
            one = self._one(self._named(mark)).inside(found)
            found = replace(one, is_fixture=one.is_fixture or found.is_fixture)
        return found

    def _named(self, mark: ast.expr) -> ast.expr:
        return self._values(mark.id, mark) if isinstance(mark, ast.Name) else mark

    def _values(self, name: str, otherwise: ast.expr) -> ast.expr:
        return self.conditions.constants.get(name, otherwise)

    def _one(self, mark: ast.expr) -> Marks:
        call = mark if isinstance(mark, ast.Call) else None
        name = last_name(call.func if call else mark)
        if isinstance(mark, ast.Name) and name in self.of_tests:
            return Marks(cases=0)
        if name.startswith("skip"):
            return self._skip(mark, name, call)
        if name in _SET_ASIDE and "mark" in dotted(call.func if call else mark):
            return Marks(skipped=self.source.quote(mark), skip_scope=SkipScope.CONDITION)
        if name in _XFAILS:
            return self._xfail(mark, call)
        if name in _ROWS and call:
            return self._rows(call, name)
        if name in _RETRIES:
            return Marks(retries=self.source.quote(mark))
        if name == "timeout":
            return Marks(timeout=self.source.quote(mark))
        if name == "settings" and call:
            return Marks(examples=_number(call, "max_examples"))
        return self._fixture(call) if name == "fixture" else Marks()

    def _skip(self, mark: ast.expr, name: str, call: ast.Call | None) -> Marks:
        text = self.source.quote(mark)
        condition = self._condition(call)
        if name == "skip":
            return Marks(skipped=text)
        if name in _SKIPS_IF or name == "skipUnless":
            scope = SkipScope.CONDITION
            if condition is not None:
                scope = self.conditions.scope_of_skip(condition, unless=name == "skipUnless")
            return Marks(skipped=text, skip_scope=scope)
        return Marks(skipped=text, skip_scope=SkipScope.CONDITION)

    def _xfail(self, mark: ast.expr, call: ast.Call | None) -> Marks:
        condition = self._condition(call)
        holds = True if condition is None else self.conditions.holds(condition)
        if holds is None:
            return Marks(skipped=self.source.quote(mark), skip_scope=SkipScope.CONDITION)
        if condition is not None and self.conditions.holds_on_newest_alone(condition):
            return Marks()
        return Marks(may_fail=self.source.quote(mark)) if holds else Marks()

    def _condition(self, call: ast.Call | None) -> ast.expr | None:
        if call is None:
            return None
        keyed = [keyword.value for keyword in call.keywords if keyword.arg == "condition"]
        condition = next(iter([*call.args, *keyed]), None)
        if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
            return expression(condition.value)
        return condition

    def _rows(self, call: ast.Call, name: str) -> Marks:
        at = _ROWS[name]
        if at is None:
            rows: ast.expr = ast.List(list(call.args))
        else:
            keyed = [keyword.value for keyword in call.keywords if keyword.arg == "argvalues"]
            given = [*call.args[at : at + 1], *keyed]
            if not given:
                return Marks()
            rows = given[0]
        return self._written(call, rows)

    def _fixture(self, call: ast.Call | None) -> Marks:
        words = {word.arg: word.value for word in call.keywords} if call else {}
        name, rows = words.get("name"), words.get("params")
        marks = self._written(call, rows) if call and rows else Marks()
        return replace(marks, is_fixture=True, fixture_name=str(name.value) if isinstance(name, ast.Constant) else None)

    def _written(self, call: ast.Call, rows: ast.expr) -> Marks:
        claims = Claims(self.source, self.conditions.constants)
        written = claims.elements(rows)
        if written is None:
            return Marks(cases=0, rows=(self.source.text(call),))
        run = [row for row in written if not _is_not_run(row)]
        if not run:
            return Marks(skipped=self.source.quote(call))
        return Marks(cases=len(run), rows=claims.row_texts(run))


def _runs_more(marks: Marks) -> int:
    """The order of skips, the heaviest first; last comes no skip at all."""
    scopes = (SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM)
    return len(scopes) if marks.skipped is None else scopes.index(marks.skip_scope)


def _is_not_run(row: ast.expr) -> bool:
    """A row whose marks skip it or let it fail: `pytest.param(3, marks=pytest.mark.skip)`."""
    marks = [keyword.value for keyword in getattr(row, "keywords", ()) if keyword.arg == "marks"]
    return any(last_name(part) in _NOT_RUN for mark in marks for part in _parts(mark))


def _parts(mark: ast.expr) -> Iterator[ast.expr]:
    for part in mark.elts if isinstance(mark, ast.List | ast.Tuple) else (mark,):
        yield part.func if isinstance(part, ast.Call) else part


def _number(call: ast.Call, name: str) -> int | None:
    for keyword in call.keywords:
        if keyword.arg == name and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, int):
            return keyword.value.value
    return None
