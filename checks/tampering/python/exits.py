"""Ends of the process that come before the runner has said what it found."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checks.tampering.alteration import Weight
from checks.tampering.python.sighting import Around, File, Sighting
from checks.tampering.python.source import dotted, last_name

KIND = "early-exit"
_SYSTEM_EXITS = frozenset({"sys.exit", "exit", "quit", "pytest.exit"})
_SIGNALS = frozenset({"os.kill", "os.killpg", "signal.raise_signal", "_thread.interrupt_main"})


def exits(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    if isinstance(node, ast.expr | ast.ImportFrom) and _is_at_once(node):
        yield _at_once(node, around, file)
    elif isinstance(node, ast.Raise | ast.Call) and not around.is_expected:
        yield from _ends(node, around, file)


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


def _at_once(node: ast.expr | ast.ImportFrom, around: Around, file: File) -> Sighting:
    text = file.source.quote(node)
    if file.is_test_file:
        reason = "Code of the tests ends the process at once, so that failures are never told."
        return Sighting(KIND, text, node.lineno, reason, Weight.PERSON if file.forks else Weight.FAILED)
    if around.at_import and not isinstance(node, ast.ImportFrom):
        reason = "Importing this module ends the process at once, and a run of tests with it."
        return Sighting(KIND, text, node.lineno, reason, Weight.FAILED)
    return Sighting(KIND, text, node.lineno, "Product code ends the process at once.", Weight.RISK)


def _ends(node: ast.Raise | ast.Call, around: Around, file: File) -> Iterator[Sighting]:
    raised = node.exc if isinstance(node, ast.Raise) else None
    call = raised if isinstance(raised, ast.Call) else node
    name = dotted(call.func) if isinstance(call, ast.Call) else ""
    is_exit = (name in _SYSTEM_EXITS and raised is None) or (raised is not None and _names_exit(raised))
    counts = (around.at_import or around.is_run_by_runner) if file.is_test_file else around.at_import
    if is_exit and counts and _is_success(call, name):
        reason = "This ends the process as a success before the run of tests has ended."
        yield Sighting(KIND, file.source.quote(node), node.lineno, reason, Weight.FAILED)
    elif file.is_test_file and name in _SIGNALS and file.names_itself:
        reason = "Code of the tests sends a signal, perhaps to its own process, which can end the run."
        yield Sighting(KIND, file.source.quote(node), node.lineno, reason, Weight.PERSON)
    elif file.is_test_file and name == "atexit.register":
        reason = "Code of the tests runs something when the process ends, which can change how it ends."
        yield Sighting(KIND, file.source.quote(node), node.lineno, reason, Weight.PERSON)


def _names_exit(error: ast.expr) -> bool:
    return last_name(error.func if isinstance(error, ast.Call) else error) == "SystemExit"


def _is_success(call: ast.AST, name: str) -> bool:
    """Without a code, or with one that means success: https://docs.python.org/3/library/sys.html#sys.exit.

    `pytest.exit` is none unless it says so: https://docs.pytest.org/en/stable/reference/reference.html#pytest-exit.
    """
    given = [*call.args, *(word.value for word in call.keywords)] if isinstance(call, ast.Call) else []
    codes = [code.value if isinstance(code, ast.Constant) else ... for code in given]
    return 0 in codes if name == "pytest.exit" else not any(codes)
