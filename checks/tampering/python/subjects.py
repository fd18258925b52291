"""Tests that define by themselves what they imported from the product before, or take it from the tests: they test
their own copy from then on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.places import is_test_path
from checks.tampering.python.source import Source, parse

_DEFINED = re2.compile(rb"(?m)^(?:async def|def|class)\s+(\w+)|^\s*(\w+)\s*=[^=]")
_MOST_NAMES = 200  # that are looked for before both sides are parsed
# What is imported from the tests, and classes that are made of another.
_SIGNS = (
    re2.compile(rb"(?m)^\s*from\s+\S*test\S*\s+import\b.*$"),
    re2.compile(rb"(?m)^class\s+\w+\(\w+"),
)


def own_subjects(change: Change) -> Iterator[Alteration]:
    """Of a test file that is on both sides."""
    before, after = change.before, change.after
    if before is None or after is None or before.data is None or after.data is None:
        return
    if before.data == after.data or not (is_test_path(after.path) and after.path.endswith(".py")):
        return
    names = list(_defined(after.data) - _defined(before.data))
    defined = len(names) > _MOST_NAMES or any(name in before.data for name in names)
    if not defined and not any(_found(signs, after.data) - _found(signs, before.data) for signs in _SIGNS):
        return
    old, new = parse(before.data), parse(after.data)
    if old is not None and new is not None:
        yield from _taken_over(after.path, old, new)
        yield from _shadowed(after.path, old, new)
        yield from _overridden(after.path, old, new)


def _found(signs: Any, data: bytes) -> set[bytes]:
    return set(signs.findall(data))


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


def _shadowed(path: str, old: Source, new: Source) -> Iterator[Alteration]:
    """A name that the file imports gets another meaning in it, or the name comes from the tests now."""
    imported, before = _imported(old.tree), {name for name, _ in _local(old.tree)}
    still = _imported(new.tree)
    for name, statement in _local(new.tree):
        if name in imported and name in still and name not in before:
            reason = f"`{name}` came from `{imported[name]}`, and this file sets it by itself now."
            place = ("subject-replaced", path, statement.lineno, "", new.quote(statement))
            yield Alteration(*place, reason, Weight.PERSON, subject=name)
    checked = _checked(new.tree)
    for name, module, line in (*_froms(new.tree.body), *_inside(new.tree)):
        if name in imported and name in checked and _is_of_tests(module):
            reason = (
                f"`{name}` came from `{imported[name]}`, and comes from `{module}` now, which belongs to the tests."
            )
            yield Alteration("subject-replaced", path, line, "", module, reason, Weight.PERSON, subject=name)


def _overridden(path: str, old: Source, new: Source) -> Iterator[Alteration]:
    """A class of the test file's own that is made of an imported one, and writes anew just what is checked."""
    imported, known = _imported(old.tree), {node.name for node in _classes(old.tree)}
    called = {call.func.attr for call in _checking_calls(new.tree) if isinstance(call.func, ast.Attribute)}
    for node in _classes(new.tree):
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)} & imported.keys()
        methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)} & called
        if bases and methods and node.name not in known:
            base, method = sorted(bases)[0], sorted(methods)[0]
            reason = f"`{node.name}` writes `{method}` of `{base}` anew, and that is what is checked here."
            yield Alteration(
                "subject-replaced", path, node.lineno, "", new.quote(node), reason, Weight.PERSON, subject=node.name
            )


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _inside(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """What tests import by themselves."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name.startswith("test"):
            yield from _froms(function.body)


def _local(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Names that the module or its tests assign, with where; not what is made of the name's own value."""
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    bodies = [tree.body, *(function.body for function in functions if function.name.startswith("test"))]
    for statement in (statement for body in bodies for statement in body if isinstance(statement, ast.Assign)):
        used = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        yield from ((name, statement) for name in _names(statement) if name not in used)


def _checked(tree: ast.Module) -> set[str]:
    """Functions that are called in `assert` statements."""
    return {call.func.id for call in _checking_calls(tree) if isinstance(call.func, ast.Name)}


def _checking_calls(tree: ast.Module) -> Iterator[ast.Call]:
    asserts = (node for node in ast.walk(tree) if isinstance(node, ast.Assert))
    return (node for one in asserts for node in ast.walk(one.test) if isinstance(node, ast.Call))


def _imported(tree: ast.Module) -> dict[str, str]:
    """Names that the module's first level imports from elsewhere than from tests, with where from."""
    return {name: module for name, module, _ in _froms(tree.body) if not _is_of_tests(module)}


def _froms(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str, int]]:
    """Name, module and line of what statements import from others."""
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name, statement.module or ".", statement.lineno


def _is_of_tests(module: str) -> bool:
    return "test" in module


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []
