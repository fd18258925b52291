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
from checks.tampering.python.function import is_mock, replaced_by_call, replaced_in
from checks.tampering.python.patches import is_assertion
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
            yield from _replacing(node, around, file)
        case ast.stmt() | ast.Call() if around.at_import:
            yield from _replacing(node, around, file)


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


def _replacing(node: ast.stmt | ast.Call, around: Around, file: File) -> Iterator[Sighting]:
    """Code that is replaced for all tests, while they are set up."""
    own = {argument.arg for function in around.functions for argument in function.args.args}
    for name in sorted(_given(node, file)) if file.serves_all else ():
        root = name.partition(".")[0]
        if "." in name and root not in own and root not in stdlib_module_names and not is_assertion(name):
            reason = f"`{name}` is replaced for every test, unasked."
            yield Sighting("autouse-patch", name, node.lineno, reason, Weight.PERSON)


def _given(node: ast.stmt | ast.Call, file: File) -> Iterator[str]:
    """What is given other code: `shop.cart.total = lambda …`, `setattr(cart, "total", fake)`, `patch("…").start()`."""
    functions = {one.name for one in file.source.tree.body if isinstance(one, Function)}
    match node:
        case ast.Assign(targets=targets, value=value) if is_mock(value) or last_name(value) in functions:
            yield from (dotted(target) for target in targets if isinstance(target, ast.Attribute))
        case ast.Call(func=ast.Attribute(value=ast.Call() as patch, attr="start")):
            yield from replaced_by_call(patch)
        case ast.Call(func=ast.Name(id="setattr")):
            yield from replaced_by_call(node)
        case _:
            return


def _sets_result(node: ast.stmt | ast.Call) -> bool:
    """`report.outcome = "passed"`, `setattr(report, "outcome", …)`, `outcome.force_result(…)`."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return any(map(_is_result, targets))
        case ast.AugAssign(target=ast.Attribute(attr=name)) | ast.AnnAssign(target=ast.Attribute(attr=name)):
            return name in _REWRITTEN
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), *_]):
            return name in _REWRITTEN
        case ast.Call(func=ast.Attribute(value=owner, attr="pop" | "clear" | "update")) if last_name(owner) == "stats":
            return True
        case ast.Call():
            return last_name(node.func) in _REWRITING
        case _:
            return False


def _is_result(target: ast.expr) -> bool:
    """An attribute of a report or session, or what the terminal's reporter counts: `reporter.stats["failed"]`."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.value, ast.Attribute) and target.value.attr == "stats"
    return isinstance(target, ast.Attribute) and target.attr in _REWRITTEN


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
