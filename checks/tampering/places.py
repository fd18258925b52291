"""What a path alone says about a changed file: test, documentation, or product."""

from __future__ import annotations

import re2

_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures", "unit_tests", "unittests"}
)
# The names that runners collect by their own rules, and those of files that only serve tests.
_TEST_NAME = re2.compile(
    r"(?:^test_.*|^tests?\.py$|^conftest\.py$|.*[_.-](?:test|tests|spec|cy|e2e)\.\w+$|.*(?:Test|Tests|TestCase|Spec|IT)\."
    r"(?:java|kt|kts|scala|cs|groovy|php|swift)$|^(?:spec|rails|test)_helper\.rb$)"
)
# Where tests lie that nobody runs any more.
_ABANDONED = frozenset(
    ("archive", "archived", "attic", "disabled", "deprecated", "quarantine", "old", "obsolete", "unused", "skipped")
)
_DOCUMENT = frozenset({"md", "mdx", "rst", "adoc", "txt"})


def is_test_path(path: str) -> bool:
    """Whether a file of that name or place serves tests, in whatever language."""
    *folders, name = path.split("/")
    return any(folder.lower() in _TEST_FOLDERS for folder in folders) or _TEST_NAME.match(_plain(name)) is not None


def folders_of_no_run(path: str) -> frozenset[str]:
    """Folders in it that are named like a place for what is not run."""
    return frozenset(folder.strip("._-").lower() for folder in path.split("/")[:-1]) & _ABANDONED


def is_document(path: str) -> bool:
    """Whether it is prose, which no program runs and no test proves."""
    return extension(path) in _DOCUMENT


def extension(path: str) -> str:
    """Of `src/cart.test.ts` it is `ts`, of `Makefile` nothing."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def _plain(name: str) -> str:
    """Line breaks end a line for `.`, and the engine takes no lone surrogates."""
    return name.replace("\n", " ").encode("utf-8", "replace").decode()
