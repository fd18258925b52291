"""Hooks of pytest and fixtures that can rewrite what a run says.

https://docs.pytest.org/en/stable/reference/reference.html#hooks. A log shows nothing of it: what a hook turned into a
pass looks like one, so that only the difference can tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from sys import stdlib_module_names

from checks.tampering.alteration import Weight
from checks.tampering.python.body import Function, always_skips
from checks.tampering.python.function import replaced_in
from checks.tampering.python.sighting import Around, File, Sighting, is_fixture
from checks.tampering.python.source import dotted, last_name

_REWRITTEN = frozenset(
    {"outcome", "passed", "failed", "exitstatus", "testsfailed", "excinfo", "wasxfail", "shouldfail", "returncode"}
)
_REWRITING = frozenset({"force_result", "force_exception", "TestReport"})
# These decide whether and how a test runs; the others only look on.
_DECIDING = frozenset(
    (
        *("pytest_runtest_protocol", "pytest_runtest_call", "pytest_pyfunc_call", "pytest_runtestloop"),
        *("pytest_cmdline_main", "pytest_ignore_collect", "pytest_collect_file", "pytest_pycollect_makeitem"),
        *("pytest_exception_interact", "pytest_collection_modifyitems", "pytest_runtest_setup", "pytest_deselected"),
        *("pytest_pycollect_makemodule", "pytest_collection", "pytest_report_teststatus"),
    )
)
_WATCHING = frozenset(
    ("pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_sessionfinish", "pytest_terminal_summary")
)


def hooks(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    match node:
        case ast.Assign(targets=[ast.Attribute() as target]) if "config.option." in f"{dotted(target)}.":
            reason = "An option of the runner is set by code, which can leave tests out."
            yield Sighting("runner-hook", file.source.text(node), node.lineno, reason, Weight.PERSON)
        case ast.FunctionDef(name="load_tests") if not around.functions:
            yield _hook(node, file, "decides which tests unittest loads")
        case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name in _DECIDING:
            yield _hook(node, file, "decides what runs and what counts")
        case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name in _WATCHING:
            reason = f"The hook `{node.name}` is new or another; it sees every result."
            yield Sighting("runner-hook", _text(node, file), node.lineno, reason, Weight.RISK)
        case ast.FunctionDef() | ast.AsyncFunctionDef() if is_fixture(node):
            yield from _fixture(node, file)
        case ast.stmt() | ast.Call() if around.hook:
            yield from _rewriting(node, around, file)


def _hook(function: Function, file: File, does: str) -> Sighting:
    reason = f"The hook `{function.name}` is new or another; it {does}."
    return Sighting("runner-hook", _text(function, file), function.lineno, reason, Weight.PERSON)


def _text(function: Function, file: File) -> str:
    return f"{function.name}:{file.source.text(function)}"


def _fixture(function: Function, file: File) -> Iterator[Sighting]:
    """A fixture that skips all tests that ask for it, or one that every test gets unasked and that replaces code."""
    unasked = is_fixture(function, autouse=True)
    if always_skips(function):
        reason = f"The fixture `{function.name}` skips every test that has it."
        weight = Weight.FAILED if unasked else Weight.PERSON
        yield Sighting("test-skipped", _text(function, file), function.lineno, reason, weight)
    for name in sorted(replaced_in(function) if unasked else ()):
        if name.partition(".")[0] not in stdlib_module_names:
            reason = f"The fixture `{function.name}` replaces `{name}` in every test, unasked."
            yield Sighting("autouse-patch", f"{function.name}:{name}", function.lineno, reason, Weight.PERSON)


def _rewriting(node: ast.stmt | ast.Call, around: Around, file: File) -> Iterator[Sighting]:
    if _sets_result(node):
        reason = f"The hook `{around.hook}` rewrites results of tests."
        yield Sighting("outcome-rewritten", file.source.text(node), node.lineno, reason, Weight.FAILED)
    elif around.hook == "pytest_collection_modifyitems" and _empties(node):
        reason = "The hook `pytest_collection_modifyitems` takes all collected tests away."
        yield Sighting("tests-deselected", file.source.text(node), node.lineno, reason, Weight.FAILED)
    elif around.hook in _WITH_ANSWER and isinstance(node, ast.Return) and _answers(node):
        reason = f"The hook `{around.hook}` says that the work is done, so that pytest does not do it."
        yield Sighting("outcome-rewritten", file.source.text(node), node.lineno, reason, Weight.FAILED)


_WITH_ANSWER = frozenset(
    ("pytest_runtest_protocol", "pytest_pyfunc_call", "pytest_runtestloop", "pytest_cmdline_main", "pytest_collection")
)


def _answers(node: ast.Return) -> bool:
    return isinstance(node.value, ast.Constant) and node.value.value is not None


def _sets_result(node: ast.stmt | ast.Call) -> bool:
    """`report.outcome = "passed"`, `setattr(report, "outcome", …)`, `outcome.force_result(…)`."""
    match node:
        case ast.Assign(targets=targets):
            return any(isinstance(target, ast.Attribute) and target.attr in _REWRITTEN for target in targets)
        case ast.AugAssign(target=ast.Attribute(attr=name)) | ast.AnnAssign(target=ast.Attribute(attr=name)):
            return name in _REWRITTEN
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), *_]):
            return name in _REWRITTEN
        case ast.Call():
            return last_name(node.func) in _REWRITING
        case _:
            return False


def _empties(node: ast.stmt | ast.Call) -> bool:
    """`items[:] = []`, `items.clear()`, `del items[:]`."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Slice())], value=ast.List(elts=[]) | ast.Tuple(elts=[])):
            return True
        case ast.Call(func=ast.Attribute(attr="clear"), args=[]):
            return True
        case ast.Delete(targets=[ast.Subscript(slice=ast.Slice(lower=None, upper=None))]):
            return True
        case _:
            return False
