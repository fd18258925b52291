"""Migrations of Alembic and Django.

https://alembic.sqlalchemy.org/en/latest/tutorial.html (`upgrade`, `downgrade`);
https://docs.djangoproject.com/en/stable/ref/migration-operations/ (`reverse_code`, `reverse_sql`, `reversible`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from checks.tampering.migrating.missing import Missing
from checks.tampering.python.source import Source, parse

_REVERSE = {"RunPython": "reverse_code", "RunSQL": "reverse_sql"}


def missing(data: bytes) -> Missing | None:
    """None where there is a way back, or no migration."""
    is_django = b"class Migration" in data
    if not is_django and b"down_revision" not in data:
        return None
    source = parse(data)
    if source is None:
        return Missing(1, "", "It cannot be read as Python, so that no way back is seen.")
    return _django(source) if is_django else _alembic(source)


def _alembic(source: Source) -> Missing | None:
    """A revision that does nothing, such as one that merges two branches, needs no way back."""
    functions = {node.name: node for node in source.tree.body if isinstance(node, ast.FunctionDef)}
    up, down = functions.get("upgrade"), functions.get("downgrade")
    if up is None or _does_nothing(up.body):
        return None
    if down is None:
        return Missing(up.lineno, "def upgrade", "It has an `upgrade` and no `downgrade`.")
    if _does_nothing(down.body):
        return Missing(down.lineno, "def downgrade", "Its `downgrade` does nothing, or refuses.")
    return None


def _does_nothing(body: Sequence[ast.stmt]) -> bool:
    return all(_is_idle(statement) for statement in body)


def _is_idle(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Raise() | ast.Expr(value=ast.Constant()) | ast.Return(value=None | ast.Constant()):
            return True
        case _:
            return False


def _django(source: Source) -> Missing | None:
    nodes = (node for node in ast.walk(source.tree) if isinstance(node, ast.expr | ast.stmt))
    first = min(filter(_is_one_way, nodes), key=lambda node: node.lineno, default=None)
    if first is None:
        return None
    return Missing(first.lineno, source.quote(first), "An operation of it has no reverse, so that it cannot go back.")


def _is_one_way(node: ast.expr | ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id="reversible")], value=ast.Constant(value=False)):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _REVERSE:
            return not _is_noop(node.args) and not _has_reverse(node, _REVERSE[name])
        case _:
            return False


def _is_noop(arguments: Sequence[ast.expr]) -> bool:
    match arguments:
        case [ast.Attribute(attr="noop"), *_]:
            return True
        case _:
            return False


def _has_reverse(call: ast.Call, keyword: str) -> bool:
    """Also where arguments are unpacked, which nobody can see into."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        one.arg is None for one in call.keywords
    ):
        return True
    given = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == keyword)]
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in given)
