"""Ends of the process that come before the runner has said what it found."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from checks.tampering.alteration import Weight
from checks.tampering.python.sighting import Around, Sighting
from checks.tampering.python.source import Source, dotted, last_name

KIND = "early-exit"
_SYSTEM_EXITS = frozenset({"sys.exit", "exit", "quit", "pytest.exit"})
_OWN = re.compile(rb"getp?pid|getpgrp|getpgid|raise_signal|interrupt_main|kill(?:pg)?\(\s*+(?:0|-1)\b")
_SIGNALS = frozenset({"os.kill", "os.killpg", "signal.raise_signal", "_thread.interrupt_main"})


def exits(node: ast.AST, around: Around, source: Source, *, is_test_file: bool) -> Iterator[Sighting]:
    if isinstance(node, ast.expr | ast.ImportFrom) and _is_at_once(node):
        yield _at_once(node, around, source, is_test_file=is_test_file)
    elif isinstance(node, ast.Raise | ast.Call) and not around.is_expected:
        yield from _ends(node, around, source, is_test_file=is_test_file)


def _is_at_once(node: ast.expr | ast.ImportFrom) -> bool:
    """`os._exit` and `os.abort`, called or handed on, by whatever name of the module."""
    match node:
        case ast.ImportFrom(module="os"):
            return any(name.name in ("_exit", "abort") for name in node.names)
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value="_exit"), *_]):
            return True
        case ast.Attribute(value=ast.Name(id="self" | "cls")):
            return False
        case ast.Attribute(attr="_exit"):
            return True
        case _:
            return isinstance(node, ast.expr) and dotted(node) == "os.abort"


def _at_once(node: ast.expr | ast.ImportFrom, around: Around, source: Source, *, is_test_file: bool) -> Sighting:
    text = source.quote(node)
    if is_test_file:
        in_child = any("fork" in source.raw(function) for function in around.functions)
        reason = "Code of the tests ends the process at once, so that failures are never told."
        return Sighting(KIND, text, node.lineno, reason, Weight.PERSON if in_child else Weight.FAILED)
    if around.at_import and not isinstance(node, ast.ImportFrom):
        reason = "Importing this module ends the process at once, and a run of tests with it."
        return Sighting(KIND, text, node.lineno, reason, Weight.FAILED)
    return Sighting(KIND, text, node.lineno, "Product code ends the process at once.", Weight.RISK)


def _ends(node: ast.Raise | ast.Call, around: Around, source: Source, *, is_test_file: bool) -> Iterator[Sighting]:
    raised = node.exc if isinstance(node, ast.Raise) else None
    call = raised if isinstance(raised, ast.Call) else node
    name = dotted(call.func) if isinstance(call, ast.Call) else ""
    is_exit = (name in _SYSTEM_EXITS and raised is None) or (raised is not None and _names_exit(raised))
    counts = (around.at_import or around.is_run_by_runner) if is_test_file else around.at_import
    if is_exit and counts and _is_success(call):
        reason = "This ends the process as a success before the run of tests has ended."
        yield Sighting(KIND, source.quote(node), node.lineno, reason, Weight.FAILED)
    elif is_test_file and name in _SIGNALS and _may_be_own(source):
        reason = "Code of the tests sends a signal, perhaps to its own process, which can end the run."
        yield Sighting(KIND, source.quote(node), node.lineno, reason, Weight.PERSON)
    elif is_test_file and name == "atexit.register":
        reason = "Code of the tests runs something when the process ends, which can change how it ends."
        yield Sighting(KIND, source.quote(node), node.lineno, reason, Weight.PERSON)


def _may_be_own(source: Source) -> bool:
    """Whether the module asks for the ids of its own process at all."""
    return any(_OWN.search(line) for line in source.lines)


def _names_exit(error: ast.expr) -> bool:
    return last_name(error.func if isinstance(error, ast.Call) else error) == "SystemExit"


def _is_success(call: ast.AST) -> bool:
    """Without a code, or with one that means success: https://docs.python.org/3/library/sys.html#sys.exit."""
    given = [*call.args, *(word.value for word in call.keywords)] if isinstance(call, ast.Call) else []
    codes = [code.value for code in given if isinstance(code, ast.Constant)]
    return len(codes) == len(given) and all(not code or isinstance(code, str) for code in codes)
