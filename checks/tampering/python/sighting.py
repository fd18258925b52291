"""Walking a module with what stands around each node, for looks at single statements and expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from checks.tampering.alteration import Weight
from checks.tampering.python.body import Function
from checks.tampering.python.calls import catches_everything, is_raises
from checks.tampering.python.source import Source, children, last_name

_WITH_BRANCHES = (ast.If, ast.Try, ast.TryStar)
_RUN_BY_RUNNER = (
    "test",
    "pytest_",
    "setup",
    "setUp",
    "teardown",
    "tearDown",
    "asyncSetUp",
    "asyncTearDown",
    "load_tests",
)


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something that can keep tests from judging a change. `text` tells it from others of its kind."""

    kind: str
    text: str
    line: int
    reason: str
    weight: Weight


@dataclass(frozen=True, slots=True)
class File:
    """A source with what is asked of the whole of it. `names_itself`: it asks for the ids of its own process.
    `serves_all`: tests beside it run with what it does, as with a `conftest.py`."""

    path: str
    source: Source
    is_test_file: bool
    names_itself: bool
    forks: bool
    serves_all: bool


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a node: the functions it is in, outermost first, and what keeps an exit from counting.

    `is_script`: under `if __name__ == "__main__"`. `is_expected`: an error is expected or caught there.
    `class_name` is the innermost class's name.
    """

    functions: tuple[Function, ...] = ()
    class_name: str = ""
    is_script: bool = False
    is_expected: bool = False

    @property
    def at_import(self) -> bool:
        """Whether importing the module runs it."""
        return not self.functions and not self.is_script

    @property
    def hook(self) -> str:
        """The pytest hook that it is part of, or nothing."""
        return next((one.name for one in self.functions if one.name.startswith("pytest_")), "")

    @property
    def is_run_by_runner(self) -> bool:
        """In a test, a hook, a fixture or a set-up itself, not in a function that may be handed to something else."""
        inner = self.functions[-1] if self.functions else None
        return inner is not None and (inner.name.startswith(_RUN_BY_RUNNER) or is_fixture(inner))


def walk(tree: ast.Module) -> Iterator[tuple[ast.AST, Around]]:
    """Every node, outer ones first."""
    waiting: list[tuple[ast.AST, Around]] = [(tree, Around())]
    while waiting:
        node, around = waiting.pop()
        yield node, around
        inside = _inside(node, around)
        body = {id(child) for child in node.body} if isinstance(node, _WITH_BRANCHES) else None
        inner = [(child, inside if body is None or id(child) in body else around) for child in children(node)]
        waiting += inner[::-1]


def is_fixture(function: Function, *, autouse: bool = False) -> bool:
    """Whether it is a fixture of pytest's, and one that tests need not ask for."""
    for mark in function.decorator_list:
        call = mark if isinstance(mark, ast.Call) else None
        if last_name(call.func if call else mark) == "fixture":
            keywords = call.keywords if call else []
            return not autouse or any(word.arg == "autouse" and _is_true(word.value) for word in keywords)
    return False


def _is_true(value: ast.expr) -> bool:
    return not isinstance(value, ast.Constant) or bool(value.value)


def _inside(node: ast.AST, around: Around) -> Around:
    """What stands around the parts of a node; of a branch around those of its body."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return replace(around, functions=(*around.functions, node), is_expected=False)
        case ast.ClassDef():
            return replace(around, class_name=node.name)
        case ast.If() if _asks_for_script(node.test):
            return replace(around, is_script=True)
        case ast.With() | ast.AsyncWith():
            expected = any(is_raises(item.context_expr) for item in node.items)
            return replace(around, is_expected=around.is_expected or expected)
        case ast.Try() | ast.TryStar():
            caught = any(catches_everything(handler.type) or _names_exit(handler.type) for handler in node.handlers)
            return replace(around, is_expected=around.is_expected or caught)
        case _:
            return around


def _asks_for_script(test: ast.expr) -> bool:
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in parts)


def _names_exit(error: ast.expr | None) -> bool:
    names = error.elts if isinstance(error, ast.Tuple) else [error]
    return any(name is not None and last_name(name) == "SystemExit" for name in names)
