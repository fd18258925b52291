"""Tests that define by themselves what they imported from the product before: they test their own copy from then on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.places import is_test_path
from checks.tampering.python.source import Source, parse

_DEFINED = re2.compile(rb"(?m)^(?:async def|def|class)\s+(\w+)|^(\w+)\s*=[^=]")


def own_subjects(change: Change) -> Iterator[Alteration]:
    """Of a test file that is on both sides."""
    before, after = change.before, change.after
    if before is None or after is None or before.data is None or after.data is None:
        return
    if before.data == after.data or not (is_test_path(after.path) and after.path.endswith(".py")):
        return
    if not any(name in before.data for name in _defined(after.data) - _defined(before.data)):
        return
    old, new = parse(before.data), parse(after.data)
    if old is not None and new is not None:
        yield from _taken_over(after.path, old, new)


def _defined(data: bytes) -> set[bytes]:
    return {first or second for first, second in _DEFINED.findall(data)}


def _taken_over(path: str, old: Source, new: Source) -> Iterator[Alteration]:
    imported, still = _imported(old.tree), _imported(new.tree)
    for statement in new.tree.body:
        for name in _names(statement):
            if name in imported and name not in still:
                reason = f"`{name}` came from `{imported[name]}` and is the test file's own now."
                place = ("subject-replaced", path, statement.lineno, "", new.quote(statement))
                yield Alteration(*place, reason, Weight.PERSON, subject=name)


def _imported(tree: ast.Module) -> dict[str, str]:
    """Names that the module's first level imports from elsewhere than from tests, with where from."""
    froms = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom)]
    named = ((alias.asname or alias.name, statement.module or ".") for statement in froms for alias in statement.names)
    return {name: module for name, module in named if "test" not in module and "conftest" not in module}


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []
