"""What a condition says on the machines that usually judge a change: Linux, CPython, the newest version of everything.

A test that is skipped on Windows still proves the change there; one that is skipped when `CI` is set does not. Of
Python itself not only the newest version is in use, so that a test which only that one skips still runs elsewhere.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from checks.tampering.python.source import dotted
from checks.tampering.units import SkipScope

_NEWEST = (3, 99, 0, "final", 0)
_IN_USE = (3, 13, 0, "final", 0)  # older than the newest, and what many run: https://devguide.python.org/versions/
_USUAL: dict[str, Any] = {
    "sys.platform": "linux",
    "platform": "linux",  # `from sys import platform`
    "os.name": "posix",
    "sys.version_info": _NEWEST,
    "sys.version_info.major": 3,
    "sys.version_info.minor": 99,
    "sys.implementation.name": "cpython",
    "platform.system": "Linux",
    "platform.machine": "x86_64",
    "platform.python_implementation": "CPython",
    "sys.byteorder": "little",
    "sys.maxsize": 2**63 - 1,
    "TYPE_CHECKING": False,
    "typing.TYPE_CHECKING": False,
    "__name__": "tests",
}
_OF_VERSION = {"sys.version_info": _IN_USE, "sys.version_info.minor": 13}
# Words in the names of flags, such as `IS_WINDOWS`.
_HERE = frozenset({"linux", "posix", "unix", "cpython"})
_SYSTEMS = frozenset({"win", "win32", "win64", "windows", "cygwin", "mac", "macos", "darwin", "osx", "bsd", "freebsd"})
_ELSEWHERE = _SYSTEMS | {"ios", "android", "wasm", "wasi", "emscripten", "pypy", "jython", "graalpy", "py2"}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_OLDER, _NEWER = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
_MOST_STEPS = 60  # for one condition, which are frames of the stack too


class _Unknown(Exception):
    """The value depends on something that is not known here."""


@dataclass(slots=True)
class _Steps:
    """How many more parts are looked at: a name may stand for a condition with names in it, and so on."""

    usual: Mapping[str, Any]
    left: int = _MOST_STEPS

    def take(self) -> None:
        if not self.left:
            raise _Unknown
        self.left -= 1


@dataclass(frozen=True, slots=True)
class Conditions:
    """`constants` are what names stand for that are assigned once: `WINDOWS = sys.platform == "win32"`."""

    constants: Mapping[str, ast.expr]

    def holds(self, condition: ast.expr) -> bool | None:
        """Whether it is true there; None where that depends on something else."""
        return self._maybe(condition, _Steps(_USUAL))

    def holds_on_newest_alone(self, condition: ast.expr) -> bool:
        """Whether it is true with the newest Python, but not with another one in use."""
        older = self._maybe(condition, _Steps({**_USUAL, **_OF_VERSION}))
        return older is False and self.holds(condition) is True

    def scope_of_skip(self, condition: ast.expr, *, unless: bool = False) -> SkipScope:
        """Where a test does not run that is skipped if, or unless, the condition is true."""
        holds = self.holds(condition)
        if holds is None:
            return SkipScope.CONDITION
        if not unless and self.holds_on_newest_alone(condition):
            return SkipScope.PLATFORM
        return SkipScope.ALWAYS if holds is not unless else SkipScope.PLATFORM

    def _value(self, node: ast.expr, steps: _Steps) -> Any:
        steps.take()
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple() | ast.List() | ast.Set():
                return tuple(self._value(item, steps) for item in node.elts)
            case ast.UnaryOp(op=ast.Not()):
                return not self._value(node.operand, steps)
            case ast.BoolOp():
                return self._both(node, steps)
            case ast.Compare(ops=[op], comparators=[right]):
                return self._compared(node.left, op, right, steps)
            case ast.Name() | ast.Attribute():
                return self._named(node, steps)
            case _:
                return self._part(node, steps)

    def _part(self, node: ast.expr, steps: _Steps) -> Any:
        match node:
            case ast.Subscript():
                return self._value(node.value, steps)[self._index(node.slice, steps)]
            case ast.Call(func=ast.Attribute(value=text, attr="startswith" | "endswith" | "lower" as name)):
                return self._called(text, name, node.args, steps)
            case ast.Call(args=[], keywords=[]):
                return self._named(node.func, steps)
            case _:
                raise _Unknown

    def _both(self, node: ast.BoolOp, steps: _Steps) -> bool:
        """One known part may decide it; else all must be known."""
        decides = isinstance(node.op, ast.Or)
        known = [self._maybe(value, steps) for value in node.values]
        if decides in known:
            return decides
        if None in known:
            raise _Unknown
        return not decides

    def _maybe(self, node: ast.expr, steps: _Steps) -> bool | None:
        try:
            return bool(self._value(node, steps))
        except (_Unknown, TypeError, ValueError, IndexError):
            return None

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, steps: _Steps) -> bool:
        try:
            return _COMPARISONS[type(op)](self._value(left, steps), self._value(right, steps))
        except (_Unknown, TypeError):
            if not _names_version(left) and not _names_version(right):
                raise _Unknown from None
        # A version of something else: the usual machine has the newest.
        older = _OLDER if _names_version(left) else _NEWER
        newer = _NEWER if _names_version(left) else _OLDER
        if isinstance(op, (*older, *newer)):
            return isinstance(op, newer)
        raise _Unknown

    def _index(self, node: ast.expr, steps: _Steps) -> Any:
        if isinstance(node, ast.Slice) and node.step is None:
            lower, upper = (None if end is None else self._value(end, steps) for end in (node.lower, node.upper))
            return slice(lower, upper)
        return self._value(node, steps)

    def _called(self, text: ast.expr, name: str, arguments: list[ast.expr], steps: _Steps) -> Any:
        value = self._value(text, steps)
        if isinstance(value, str):
            return getattr(value, name)(*(self._value(argument, steps) for argument in arguments))
        raise _Unknown

    def _named(self, node: ast.expr, steps: _Steps) -> Any:
        name = dotted(node)
        if name in steps.usual:
            return steps.usual[name]
        value = self.constants.get(name)
        if value is not None and not (isinstance(value, ast.Name) and value.id == name):
            return self._value(value, steps)
        return _flag(name.rpartition(".")[2])


def _flag(name: str) -> bool:
    """A flag by the words of its name; `NOT_WINDOWS` holds."""
    words = frozenset(name.lower().split("_"))
    if not words & (_HERE | _ELSEWHERE):
        raise _Unknown
    return bool(words & _HERE) is ("not" not in words)


def _names_version(node: ast.expr) -> bool:
    """`np.__version__`, `django.VERSION`, `Version(torch.__version__)`, `parse_version(x)`."""
    names = [dotted(part) for part in (node, *getattr(node, "args", ()))]
    return any("version" in name.lower() for name in names) or "version" in dotted(getattr(node, "func", node)).lower()
