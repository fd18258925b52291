"""Files that Python loads in place of a runner or before everything else, by their name and place alone.

https://docs.python.org/3/library/site.html and https://docs.python.org/3/library/sys_path_init.html
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import stdlib_module_names

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version

# Folders that stand on the path of imports while tests run.
_ROOTS = frozenset({"", "src", "lib", "python", "tests", "test"})
_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "nose", "nose2", "pluggy", "coverage", "hypothesis", "xdist"})
_SITE = frozenset({"sitecustomize", "usercustomize"})


def shadows(change: Change) -> Iterator[Alteration]:
    """For a path that the new side has and the old one had not."""
    after = change.after
    if after is None or (change.before is not None and change.before.path == after.path):
        return
    folder, module = _module(after.path)
    if after.path.endswith(".pth"):
        yield from _path_file(after)
    elif after.path.endswith((".pyc", ".pyo")):
        yield _altered("compiled-python", after, "Compiled Python is added, which nobody can read.", Weight.PERSON)
    elif module in _SITE:
        reason = f"Python loads `{module}` before everything else, a test run included."
        yield _altered("runner-shadowed", after, reason, Weight.FAILED if folder in _ROOTS else Weight.PERSON)
    elif folder in _ROOTS and module in _RUNNERS:
        reason = f"This file is imported in place of the real `{module}`."
        yield _altered("runner-shadowed", after, reason, Weight.FAILED)
    elif folder in ("", "src") and module in stdlib_module_names:
        reason = f"This file is imported in place of the standard library's `{module}`."
        yield _altered("library-shadowed", after, reason, Weight.RISK)


def _module(path: str) -> tuple[str, str]:
    """The folder that holds a module and the module's name; of a package both as of its `__init__.py`."""
    folder, _, name = path.rpartition("/")
    if name == "__init__.py":
        folder, _, name = folder.rpartition("/")
        return folder, name
    return folder, name.removesuffix(".py") if name.endswith(".py") else ""


def _path_file(after: Version) -> Iterator[Alteration]:
    """Lines that begin with `import` are executed; a file of that ending may also hold a trained model."""
    lines = (after.data or b"").split(b"\n")
    if after.data is None or any(line.startswith((b"import ", b"import\t")) for line in lines):
        reason = "Python executes the `import` lines of such a file before everything else."
        yield _altered("runner-shadowed", after, reason, Weight.FAILED if after.data else Weight.RISK)


def _altered(kind: str, after: Version, reason: str, weight: Weight) -> Alteration:
    text = (after.data or b"")[:LONGEST_QUOTE].decode(errors="replace")
    return Alteration(kind, after.path, 1, "", text, reason, weight, subject=after.path)
