"""Commands in Python task files: nox sessions and invoke tasks, read from the syntax tree without running it."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from dataclasses import replace

from checks.tampering.commands.runs import SWALLOWED, Hidden, Shell
from checks.tampering.commands.scope import Scope, script_scope

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def task_scopes(text: str) -> Iterator[Scope]:
    """A scope for every function: `session.run("pytest", "-q")` of nox, `c.run("pytest -q")` of invoke.

    https://nox.thea.codes/en/stable/config.html (`success_codes`), https://docs.pyinvoke.org/en/stable/ (`warn`).
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, _FunctionNode):
            yield _scope(node)


def _scope(function: _FunctionNode) -> Scope:
    scopes = [scope for node in ast.walk(function) if isinstance(node, ast.Call) for scope in _called(node)]
    runs = tuple(run for scope in scopes for run in scope.runs)
    return Scope(function.name, function.lineno, "\n".join(scope.body for scope in scopes), runs)


def _called(call: ast.Call) -> Iterator[Scope]:
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in ("run", "run_always", "sudo")):
        return
    words = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    texts = [word for word in words if isinstance(word, str)]
    command = texts[0] if len(call.args) == 1 and texts else shlex.join(texts)
    scope = script_scope("", command, call.lineno, Shell())
    ignored = next((Hidden(SWALLOWED, ast.unparse(word)[:300]) for word in call.keywords if _ignores(word)), None)
    yield replace(scope, runs=tuple(replace(run, hidden=run.hidden or ignored) for run in scope.runs))


def _ignores(word: ast.keyword) -> bool:
    """`success_codes=[0, 1]`, `warn=True`, `check=False`."""
    match word.arg, word.value:
        case "success_codes", (ast.List(elts=codes) | ast.Tuple(elts=codes)):
            return any(not isinstance(code, ast.Constant) or code.value != 0 for code in codes)
        case "warn", ast.Constant(value=True):
            return True
        case "check", ast.Constant(value=False):
            return True
    return False
