"""Classes of unittest that keep their tests from judging: assertions and the run redefined, bodies that are never run.

unittest takes what a test method gives back for a success. A plain `TestCase` does not await a coroutine and does not
step a generator: https://docs.python.org/3/library/unittest.html#unittest.TestCase
"""

from __future__ import annotations

import ast
import unittest
from collections.abc import Iterator

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.python.detection import is_tool
from checks.tampering.python.source import Source, dotted, nodes, parse

_SIGN = re2.compile(rb"\bunittest\b|TestCase\b")
_ASSERTIONS = frozenset(name for name in dir(unittest.TestCase) if name.startswith(("assert", "fail")))
_RUNS = frozenset({"run", "__call__", "_callTestMethod"})
_Found = tuple[str, int, str, str]  # kind, line, name, reason


def altered_classes(change: Change) -> Iterator[Alteration]:
    """Of what the change adds to one file."""
    before, after = change.before, change.after
    if after is None or after.data is None or not after.path.endswith(".py") or is_tool(after.path):
        return
    old_data = b"" if before is None else before.data
    new = parse(after.data) if after.data != old_data and _SIGN.search(after.data) else None
    if new is None:
        return
    known = {name for _, _, name, _ in _found(parse(old_data or b""))}
    for kind, line, name, reason in _found(new):
        if name not in known:
            yield Alteration(kind, after.path, line, "", name, reason, Weight.PERSON, subject=name)


def _found(source: Source | None) -> Iterator[_Found]:
    tree = ast.Module([], []) if source is None else source.tree
    plain = {"unittest.TestCase", *_imported(tree)}
    for node in nodes(tree):
        if isinstance(node, ast.ClassDef):
            bases = {dotted(base) for base in node.bases}
            if any(base.endswith("TestCase") for base in bases):
                yield from _members(node, is_plain=bases <= plain)


def _imported(tree: ast.Module) -> Iterator[str]:
    """What unittest's plain class is called in the module."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "unittest":
            yield from (alias.asname or alias.name for alias in statement.names if alias.name == "TestCase")


def _members(owner: ast.ClassDef, *, is_plain: bool) -> Iterator[_Found]:
    for statement in owner.body:
        for name in _names(statement):
            subject = f"{owner.name}.{name}"
            if name in _ASSERTIONS | _RUNS and not _hands_on(statement, name):
                reason = f"`{subject}` takes the place of unittest's own, and does not hand on to it."
                kind = "outcome-rewritten" if name in _RUNS else "assertion-patched"
                yield kind, statement.lineno, subject, reason
            elif is_plain and name.startswith("test") and _is_never_run(statement):
                reason = f"unittest takes what `{subject}` gives back for a success, and never runs its body."
                yield "test-never-run", statement.lineno, subject, reason


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []


def _hands_on(statement: ast.stmt, name: str) -> bool:
    """Whether it calls the method that it stands for, another assertion, or raises."""
    parts = nodes(statement)
    called = {dotted(part.func).rpartition(".")[2] for part in parts if isinstance(part, ast.Call)}
    fails = any(isinstance(part, (ast.Raise, ast.Assert)) for part in parts)
    return fails or not called.isdisjoint(_ASSERTIONS | {name})


def _is_never_run(statement: ast.stmt) -> bool:
    """A decorator may run it after all."""
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) or statement.decorator_list:
        return False
    return isinstance(statement, ast.AsyncFunctionDef) or _is_generator(statement)


def _is_generator(function: ast.FunctionDef) -> bool:
    """What stands in functions inside of it is theirs."""
    own: list[ast.AST] = list(function.body)
    for node in own:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            own += ast.iter_child_nodes(node)
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own)
