"""Assertions, runners, clocks and built-in functions that are given other meanings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from checks.tampering.alteration import Weight
from checks.tampering.python.calls import is_named_like_assertion
from checks.tampering.python.function import replaced_by_call
from checks.tampering.python.sighting import Around, File, Sighting
from checks.tampering.python.source import dotted, nodes

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy", "coverage", "hypothesis", "nose"})
_ASSERTING = frozenset({"raises", "fail", "approx", "warns", "skip", "xfail", "exit"})
_ASSERTION = re.compile(r"_baseAssert|assert(?:[A-Z]|_)")
_ENDS = ("TestCase.run", "TestCase.fail", ".failureException")
_CLOCKS = frozenset({"time.time", "time.perf_counter", "time.monotonic", "time.process_time", "timeit.default_timer"})
# A test asks these about what it got; who replaces one decides what the answer is.
_JUDGES = frozenset(
    (
        *(
            "isinstance",
            "len",
            "all",
            "any",
            "sum",
            "abs",
            "round",
            "max",
            "min",
            "sorted",
            "type",
            "bool",
            "int",
            "float",
        ),
        *("str", "repr", "hash", "id", "hasattr", "callable", "AssertionError", "__build_class__"),
    )
)


def patches(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    match node:
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Delete():
            for target in _targets(node):
                if isinstance(target, ast.Attribute):
                    yield from _replaced(node, dotted(target), file, for_good=True)
                elif isinstance(target, ast.Subscript) and dotted(target.value) == "sys.modules":
                    yield _module(node, target, file)
        case ast.Call():
            for_good = isinstance(node.func, ast.Name) and node.func.id == "setattr"
            for name in replaced_by_call(node):
                yield from _replaced(node, name, file, for_good=for_good)
        case ast.ClassDef():
            yield from _always_equal(node, file)
        case ast.FunctionDef() if around.class_name and is_named_like_assertion(node.name) and file.is_test_file:
            yield from _emptied_method(node, file)


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete) -> Iterator[ast.expr]:
    for target in node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]:
        yield from target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _replaced(node: ast.expr | ast.stmt, name: str, file: File, *, for_good: bool) -> Iterator[Sighting]:
    """`for_good`: not only while one test runs."""
    last = name.rpartition(".")[2]
    if is_assertion(name):
        yield Sighting(
            "assertion-patched", file.source.text(node), node.lineno, f"`{name}` is replaced.", Weight.FAILED
        )
    elif for_good and name in _CLOCKS:
        weight = Weight.PERSON if file.is_test_file else Weight.FAILED
        reason = f"The clock `{name}` is replaced for good."
        yield Sighting("clock-patched", file.source.text(node), node.lineno, reason, weight)
    elif name.startswith("builtins.") and (for_good or last in _JUDGES):
        weight = Weight.FAILED if for_good and last in _JUDGES else Weight.PERSON
        reason = f"The built-in `{last}` is replaced."
        yield Sighting("builtin-patched", file.source.text(node), node.lineno, reason, weight)


def _module(node: ast.stmt, target: ast.Subscript, file: File) -> Sighting:
    key = file.source.text(target.slice)
    weight = Weight.FAILED if key.strip('"').partition(".")[0] in _RUNNERS else Weight.RISK
    return Sighting("module-replaced", file.source.text(node), node.lineno, f"The module {key} is replaced.", weight)


def is_assertion(name: str) -> bool:
    """Of unittest, pytest or numpy: `unittest.TestCase.assertEqual`, `pytest.raises`, `numpy.testing.assert_equal`."""
    root, last = name.partition(".")[0], name.rpartition(".")[2]
    if root == "_pytest" or (root == "pytest" and last in _ASSERTING):
        return True
    return _ASSERTION.match(last) is not None or name.endswith(_ENDS)


def _always_equal(node: ast.ClassDef, file: File) -> Iterator[Sighting]:
    for statement in node.body:
        answer = _constant_answer(statement)
        if answer in (("__eq__", True), ("__ne__", False)):
            weight = Weight.PERSON if file.is_test_file else Weight.FAILED
            reason = f"Every object of `{node.name}` is equal to everything."
            yield Sighting(
                "always-equal", f"{node.name}:{file.source.text(statement)}", statement.lineno, reason, weight
            )


def _constant_answer(statement: ast.stmt) -> tuple[str, object] | None:
    """The name of a method and the constant that it returns, whatever it is given."""
    match statement:
        case ast.FunctionDef(name=name, body=[*_, ast.Return()]):
            answers = {_constant(node.value) for node in nodes(statement) if isinstance(node, ast.Return)}
            return (name, answers.pop()) if len(answers) == 1 else None
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(body=ast.Constant(value=value))):
            return name, value
        case _:
            return None


def _constant(value: ast.expr | None) -> object:
    """A constant's value, True for what is always so, and the node itself for all else."""
    match value:
        case ast.Constant(value=constant):
            return constant
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case _:
            return value


def _emptied_method(node: ast.FunctionDef, file: File) -> Iterator[Sighting]:
    """A method that is called like an assertion and neither asserts, raises nor calls anything."""
    if not any(isinstance(part, ast.Assert | ast.Raise | ast.Call) for part in nodes(node)):
        reason = f"The method `{node.name}` checks nothing."
        yield Sighting("assertion-patched", f"{node.name}:{file.source.text(node)}", node.lineno, reason, Weight.FAILED)
