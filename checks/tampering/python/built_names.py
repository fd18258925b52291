"""Code of the tests that is put together while it runs, so that no reader finds the name in it.

Honest code that makes names has something else than constants in them (`f"{name}_client"`); a name that is pieced
together of nothing but constants says the same as the name itself, and only hides it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.tampering.alteration import Weight
from checks.tampering.python.sighting import File, Sighting
from checks.tampering.python.source import dotted, last_name

_BY_NAME = frozenset({"setattr", "getattr", "delattr", "__import__", "import_module", "type", "patch", "object"})
_TABLES = frozenset({"globals", "vars", "locals"})
_RUN = frozenset({"exec", "eval", "compile", "execfile", "run_path", "run_module"})
_MADE = frozenset(
    {"join", "replace", "format", "decode", "lower", "upper", "strip", "removeprefix", "removesuffix", "translate"}
    | {"b64decode", "unhexlify", "fromhex", "chr", "bytes", "str", "bytearray", "reversed", "map", "rot13"}
)


def built_names(node: ast.AST, file: File) -> Iterator[Sighting]:
    """Of a test file. In one that serves all tests, code that is run from a text, and names that are set by a table."""
    match node:
        case ast.Call(args=args) if last_name(node.func) in _BY_NAME and any(map(_is_pieced, args)):
            yield _sighting(node, file, "A name is put together of pieces, so that nobody finds it")
        case ast.Subscript(slice=key) if _is_table(node.value) and _is_pieced(key):
            yield _sighting(node, file, "A name is put together of pieces, so that nobody finds it")
        case ast.Call(func=ast.Name(id=name)) if name in _RUN and file.serves_all:
            yield _sighting(node, file, "Code is made while the tests are set up, and nobody can read it here")
        case ast.Assign(targets=[ast.Subscript() as target], value=value) if file.serves_all:
            if _is_namespace(target.value) and not isinstance(target.slice, ast.Constant) and not _is_fixture(value):
                yield _sighting(node, file, "Names of this module are set by a table, and may be hooks")
        case _:
            return


def _sighting(node: ast.expr | ast.stmt, file: File, what: str) -> Sighting:
    text = file.source.text(node)
    return Sighting("name-built", text, node.lineno, f"{what}: `{file.source.quote(node)[:120]}`.", Weight.PERSON)


def _is_table(node: ast.expr) -> bool:
    return _is_namespace(node) or dotted(node) == "sys.modules"


def _is_namespace(node: ast.expr) -> bool:
    """`globals()`, `module.__dict__`"""
    called = isinstance(node, ast.Call) and last_name(node.func) in _TABLES
    return called or last_name(node) == "__dict__"


def _is_fixture(value: ast.expr) -> bool:
    """`pytest.fixture(…)`, and a call of what a function of the file's own makes one with."""
    return isinstance(value, ast.Call) and "fixture" in ast.dump(value.func)


def _is_pieced(node: ast.expr) -> bool:
    """A text of constants alone that is not written as one."""
    return not isinstance(node, ast.Constant) and _is_made(node)


def _is_made(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() | bytes()):
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_made(left) and _is_made(right)
        case ast.JoinedStr(values=values):
            return all(map(_is_made, values))
        case ast.FormattedValue(value=value):
            return _is_made(value)
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_made(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if name in _MADE:
            inside = [*args, value] if isinstance(value, ast.Constant | ast.Call | ast.Subscript) else args
            return bool(inside) and all(map(_is_known, inside))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args) if name in _MADE:
            return all(map(_is_known, args))
        case _:
            return False


def _is_known(node: ast.expr) -> bool:
    """A constant, a list of them, or a text that is made of some."""
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(map(_is_known, node.elts))
    return isinstance(node, ast.Constant) or _is_made(node)
