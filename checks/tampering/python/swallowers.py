"""Functions and classes of a module that swallow what a test raises: context managers and decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from checks.tampering.alteration import Weight
from checks.tampering.python.calls import catches_everything
from checks.tampering.python.sighting import Around, File, Sighting
from checks.tampering.python.source import last_name, nodes

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
_EXITS = frozenset({"__exit__", "__aexit__"})


def swallowing(body: Iterable[ast.stmt]) -> frozenset[str]:
    """The names of those among the statements, and of what `contextlib.suppress` is called here."""
    return frozenset(name for statement in body for name in _names(statement))


def swallowers(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    """Those that a file offers to all tests."""
    if file.serves_all and not around.functions and isinstance(node, _Function | ast.ClassDef) and any(_names(node)):
        reason = f"`{node.name}` swallows whatever is raised in it; a test that uses it cannot fail."
        text = f"{node.name}:{file.source.text(node)}"
        yield Sighting("assertion-swallowed", text, node.lineno, reason, Weight.PERSON)


def _names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.ClassDef(name=name, body=body):
            if any(isinstance(one, _Function) and one.name in _EXITS and _says_handled(one) for one in body):
                yield name
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if _is_quiet_manager(statement) or _is_quiet_decorator(statement):
                yield statement.name
        case ast.ImportFrom(module="contextlib", names=names):
            yield from (one.asname for one in names if one.name == "suppress" and one.asname is not None)


def _says_handled(function: _Function) -> bool:
    """Whether it gives a true constant, which ends the error: https://docs.python.org/3/reference/datamodel.html#object.__exit__"""
    returns = (node for node in nodes(function) if isinstance(node, ast.Return))
    return any(isinstance(node.value, ast.Constant) and bool(node.value.value) for node in returns)


def _is_quiet_manager(function: _Function) -> bool:
    is_manager = any(last_name(mark) in _MANAGERS for mark in function.decorator_list)
    return is_manager and any(_has(node.body, ast.Yield) for node in _swallowing_tries(function))


def _is_quiet_decorator(function: _Function) -> bool:
    """It takes a function and gives another one, which calls it and swallows, or does not call it at all."""
    given = [argument.arg for argument in function.args.args]
    inner = [one for one in function.body if isinstance(one, _Function)]
    if (
        len(given) != 1
        or given[0] in ("self", "cls")
        or not any(isinstance(last, ast.Return) and _is_one_of(last.value, inner) for last in function.body)
    ):
        return False
    used = [node for one in inner for node in nodes(one) if isinstance(node, ast.Name) and node.id == given[0]]
    tries = (node for one in inner for node in _swallowing_tries(one))
    return not used or any(_calls(node.body, given[0]) for node in tries)


def _is_one_of(value: ast.expr | None, functions: list[_Function]) -> bool:
    return isinstance(value, ast.Name) and any(value.id == one.name for one in functions)


def _swallowing_tries(function: _Function) -> Iterator[ast.Try | ast.TryStar]:
    for node in nodes(function):
        if isinstance(node, ast.Try | ast.TryStar) and any(map(_swallows, node.handlers)):
            yield node


def _swallows(handler: ast.ExceptHandler) -> bool:
    return catches_everything(handler.type) and not _has(handler.body, ast.Raise)


def _has(body: list[ast.stmt], kind: type[ast.AST]) -> bool:
    return any(isinstance(node, kind) for statement in body for node in nodes(statement))


def _calls(body: list[ast.stmt], name: str) -> bool:
    calls = (node for statement in body for node in nodes(statement) if isinstance(node, ast.Call))
    return any(last_name(call.func) == name for call in calls)
