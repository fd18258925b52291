"""Test files that are there before and after a change, and which of them a pattern takes out of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import re2

from checks.tampering.change import Change
from checks.tampering.places import extension, is_test_path

_DATA = frozenset({"json", "yml", "yaml", "toml", "ini", "cfg", "txt", "md", "snap", "xml", "csv", "html", "lock"})
_LONGEST_PATTERN = 500


@dataclass(frozen=True, slots=True)
class KeptTests:
    """`paths` are test sources on both sides; `removed` are paths that the change takes away.

    `whole`: all of the tree's tests are among the paths, not only those that the change touches.
    """

    paths: tuple[str, ...]
    removed: frozenset[str]
    whole: bool = False

    def taken_out(self, style: str, value: str) -> str | None:
        """The first kept test that an exclusion of that style takes out, or None.

        `path` is a file or folder, `glob` a shell pattern, `regex` a search in the path, `id` a path with `::` behind.
        """
        matches = _matcher(style, value)
        return None if matches is None else next((path for path in self.paths if matches(path)), None)


def kept_tests(changes: Iterable[Change], tree: Collection[str] = ()) -> KeptTests:
    """`tree` are all paths of the resulting tree, where they are known; without them only changed files count."""
    before: set[str] = set()
    after: set[str] = set()
    for change in changes:
        before |= {change.before.path} if change.before else set()
        after |= {change.after.path} if change.after else set()
    kept = (before & after) | (set(tree) - after)
    return KeptTests(tuple(sorted(filter(is_test_source, kept))), frozenset(before - after), whole=bool(tree))


def is_test_source(path: str) -> bool:
    """Whether it is a file with tests by its name, not data that tests use."""
    return is_test_path(path) and extension(path) not in _DATA and extension(path) != ""


def mentions_tests(pattern: str) -> bool:
    """Whether a pattern is about tests at all: `tests/integration`, `**/*.spec.ts`, but not `node_modules`."""
    return _ABOUT_TESTS.search(pattern.encode("utf-8", "replace")) is not None


_ABOUT_TESTS = re2.compile(
    rb"(?i:(?:^|[^a-z])(?:tests?|specs?|e2e|integration|unit|__tests__)(?:$|[^a-z]))|test_|_test|[a-z]Tests?\."
)


def names_one_test(value: str) -> bool:
    """Whether it names a test file itself, not a folder or a pattern."""
    return not set("*?[]^$|(){}") & set(value) and is_test_source(value.partition("::")[0])


def _matcher(style: str, value: str) -> Callable[[str], bool] | None:
    value = value.strip().removeprefix("./").removesuffix("/")
    if not value or len(value) > _LONGEST_PATTERN:
        return None
    if style in ("path", "id"):
        folder = value.partition("::")[0]
        return lambda path: path == folder or path.startswith(f"{folder}/")
    if style not in ("glob", "regex"):
        return None
    try:
        expression = re2.compile(_of_glob(value) if style == "glob" else value.replace("<rootDir>", ""), _QUIET)
    except re2.error:
        return None  # a pattern that the runner's own engine may know; a person looks at it
    return lambda path: expression.search(f"/{path}") is not None


def _of_glob(glob: str) -> str:
    """A shell pattern with `**` and `{a,b}` as an expression for a path with a slash in front.

    A pattern without a slash fits at any depth, and what lies below a folder that fits is taken along.
    """
    start = "/" if "/" in glob.removeprefix("**/") else "/(?:.*/)?"
    body = "".join(_GLOB.get(token, re2.escape(token)) for token in _TOKEN.findall(glob.removeprefix("**/")))
    return f"^{'/(?:.*/)?' if glob.startswith('**/') else start}{body}(?:/.*)?$"


_TOKEN = re2.compile(r"\*\*/|\*+|.")
_GLOB = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}
_QUIET = re2.Options()
_QUIET.log_errors = False
