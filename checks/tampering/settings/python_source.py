"""Settings written in Python (conftest.py, noxfile.py, setup.py), read from the syntax tree without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.flat import Settings, collect


def python_settings(source: bytes) -> Settings:
    """`name = ["a"]`, `name += ["a"]` and `name.append("a")` give `name`; `f(key="a")` gives `f.key`.

    Values that are no constants are left out. Raises Unreadable, TooMuch.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"not readable as Python: {error}") from error
    return collect(_settings(tree))


def _settings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield from ((name, text) for text in _texts(value))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield from ((name, text) for text in _texts(value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"), args=[value]):
                yield from ((name, text) for text in _texts(value))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords):
                for keyword in keywords:
                    yield from ((f"{name}.{keyword.arg}", text) for text in _texts(keyword.value))


def _texts(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant):
        yield str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
    elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        yield from (str(item.value) for item in value.elts if isinstance(item, ast.Constant))
