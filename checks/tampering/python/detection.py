"""Product code that asks whether it is being tested: what it then does, no test can prove."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from checks.tampering.alteration import Weight
from checks.tampering.python.sighting import Around, File, Sighting
from checks.tampering.python.source import dotted, last_name, nodes

KIND = "test-run-detected"
_RUNNERS = frozenset({"pytest", "_pytest", "py.test", "unittest", "nose", "conftest", "xdist"})
# https://docs.pytest.org/en/stable/reference/reference.html#environment-variables, and pytest's old advice.
_OF_PYTEST = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST", "_called_from_test", "PYTEST_RUN_CONFIG")
_OF_CI = frozenset({"CI", "GITHUB_ACTIONS", "CONTINUOUS_INTEGRATION", "GITHUB_RUN_ID", "RUNNER_OS", "GITHUB_WORKFLOW"})
_STACK = frozenset(
    {"inspect.stack", "sys._getframe", "inspect.currentframe", "traceback.extract_stack", "sys._current_frames"}
)
_ASKING = frozenset({"any", "all", "get", "getenv", "intersection", "isdisjoint"})
_ENVIRONMENT = frozenset({"os.environ", "os.getenv", "environ", "getenv"})
_MOST_PARTS = 60  # of one expression
# Files that are run by people and by CI rather than by users of the product.
_TOOLS = frozenset({"setup.py", "noxfile.py", "conf.py", "tasks.py", "fabfile.py", "manage.py", "hatch_build.py"})
_TOOL_FOLDERS = frozenset({"scripts", "tools", "docs", "doc", "ci", "bin", "benchmarks", "examples", "dev", "build"})


def detection(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    """Only for product code; tools of the project are told from it."""
    found = _what(node, around)
    if found is not None and isinstance(node, ast.expr):
        what, weight = found
        reason = f"Product code asks {what}, so that it can behave otherwise than when it is used."
        yield Sighting(KIND, file.source.text(node), node.lineno, reason, Weight.RISK if is_tool(file.path) else weight)


def is_tool(path: str) -> bool:
    *folders, name = path.split("/")
    return name in _TOOLS or bool(_TOOL_FOLDERS & set(folders[:1])) or any(folder.startswith(".") for folder in folders)


def _what(node: ast.AST, around: Around) -> tuple[str, Weight] | None:
    match node:
        case ast.Constant(value=str(text)) if text.startswith(_OF_PYTEST):
            return "perhaps whether pytest runs it", Weight.PERSON
        case ast.Attribute(attr="_called_from_test"):
            return "whether pytest runs it", Weight.FAILED
        case ast.Compare() | ast.Subscript():
            return _looked_up(node)
        case ast.Call() if dotted(node.func) in _STACK:
            inner = around.functions[-1:] or (node,)
            return ("who calls it, and speaks of tests", Weight.FAILED) if _speaks_of_tests(inner[0]) else None
        case ast.Call() if last_name(node.func) in _ASKING:
            return _looked_up(node)
        case _:
            return None


def _looked_up(node: ast.expr) -> tuple[str, Weight] | None:
    """A name of a runner in `sys.modules` or `sys.argv`, a variable of CI in the environment."""
    parts = nodes(node)[:_MOST_PARTS]
    constants = (part.value for part in parts if isinstance(part, ast.Constant))
    texts = {text for text in constants if isinstance(text, str)}
    places = {dotted(part) for part in parts if isinstance(part, ast.Attribute | ast.Name)}
    if any(text.startswith(_OF_PYTEST) for text in texts):
        return "whether pytest runs it", Weight.FAILED
    if "sys.modules" in places and texts & _RUNNERS:
        return "whether a test runner is loaded", Weight.FAILED
    if "sys.argv" in places and any("test" in text for text in texts):
        return "whether its command line is that of a test run", Weight.PERSON
    return ("whether CI runs it", Weight.PERSON) if places & _ENVIRONMENT and texts & _OF_CI else None


@lru_cache(maxsize=8)
def _speaks_of_tests(node: ast.AST) -> bool:
    constants = (part.value for part in nodes(node) if isinstance(part, ast.Constant))
    return any(isinstance(value, str) and "test" in value.lower() for value in constants)
