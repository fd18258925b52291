"""Regular expressions as gitignore-style patterns: Python's own engine says what each must match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.paths import PathPatterns
from policies.importing.expressions import gitignore_of

TURNED = {
    "^docs/": ("/docs/",),
    "^docs/.*$": ("/docs/",),
    r"\.go$": ("*.go",),
    r"^.*\.go$": ("*.go",),
    r"^docs/.*\.md$": ("/docs/**/*.md",),
    r"^(docs|website/content)/.+\.md$": ("/docs/**/*.md", "/website/content/**/*.md"),
    r"^(?:a|b)\.md$": ("/a.md", "/b.md"),
    r"^README\.md$": ("/README.md",),
    r"^a\$$": ("/a$",),
    "secret": ("*secret*",),
    "foo/bar": ("**/*foo/bar*",),
    r"^[^/]+\.md": ("/?*.md*",),
    r"^a[^/]*/b$": ("/a*/b",),
    r"(^|/)(AGENTS|CLAUDE)\.md$": ("/AGENTS.md", "/CLAUDE.md", "*/**/AGENTS.md", "*/**/CLAUDE.md"),
    ".*": ("*",),
    ".+": ("*",),
    "^docs/.+$": ("/docs/",),
    ".+/docs/": ("*/**/docs/",),
    "": ("*",),
    "^.github/": ("/?github/",),
    ".*/migrations/.*": ("*/**/migrations/",),
    "^LICENSE": ("/LICENSE*",),
    r"^a\*": (r"/a\**",),
    "^a[^/]*[^/]*/b$": ("/a*/b",),
    "[^/]*/a": ("**/*/a*",),
    "^a/.*/b$": ("/a/*/**/b",),
    r"^\[a\]!#\*$": (r"/\[a\]\!\#\*",),
    "((a))": ("*a*",),
}
LEFT = [
    "beacon-chain/core/*", "*_test.go", "a.*b/c", "^a/.*b/c$", "[a-z]+", "(a|b)?", "a{2}", r"\w+", "(?i)a", "a(",
    "^/a$", "a//b", "^ $", "/$", "^a.+", r".+\.go$",
]  # fmt: skip
PATHS = [
    "docs/a", "docs/x/a.md", "docs/a.md", "website/content/x.md", "website/x.md", "x/docs/a", "a.go", "x/a.go",
    "README.md", "x/README.md", "README.mdx", "mysecret", "x/secrets/a", "x/foo/bar", "foo/barn/x", "a.md", "b/a.md",
    ".github/a", "AGENTS.md", "x/AGENTS.md", "xAGENTS.md", "LICENSE", "LICENSES/x", "migrations/a", "x/migrations/a",
    "x/y/migrations/z/a", "a/x/b", "a/b", "a/x/y/b", "ax/b", "a$", "[a]!#*", "xgithub/y",
]  # fmt: skip


@pytest.mark.parametrize(("expression", "patterns"), TURNED.items())
def test_turned(expression: str, patterns: tuple[str, ...]) -> None:
    assert gitignore_of(expression) == patterns
    found = PathPatterns(patterns)
    wrong = [
        path
        for path in PATHS
        if bool(re.search(expression.replace("^.g", "^[^/]g"), path)) != found.matches_exactly(path)
    ]
    assert wrong == []


@pytest.mark.parametrize("expression", LEFT)
def test_what_has_another_form_is_left(expression: str) -> None:
    assert gitignore_of(expression) is None


def test_too_many_alternatives_are_left() -> None:
    assert gitignore_of("(a|b)(c|d)(e|f)(g|h)(i|j)") is not None
    assert gitignore_of("(a|b)(c|d)(e|f)(g|h)(i|j)(k|l)") is None
    assert gitignore_of("|".join("abcdefghij" * 7)) is not None


_parts = st.sampled_from(["a", "b", "/", ".*", "[^/]*", r"\.", "x/", "(a|b)", "(^|/)", "."])
_paths = st.lists(st.sampled_from(["a", "b", "x", ".a", "ab", "a.b"]), min_size=1, max_size=4).map("/".join)


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(_parts, min_size=1, max_size=5),
    start=st.booleans(),
    end=st.booleans(),
    paths=st.lists(_paths, max_size=8),
)
def test_whatever_is_turned_says_the_same(parts: list[str], start: bool, end: bool, paths: list[str]) -> None:
    """But for a pattern that ends at a name: it also matches what lies below a folder of that name."""
    whole = "".join(parts)
    expression = ("^" if start else "") + whole + ("$" if end else "")
    patterns = gitignore_of(expression)
    meant = re.sub(r"(?<!\\)\.(?![*+])", "[^/]", expression)
    if patterns is None:
        return
    found = PathPatterns(patterns)
    for path in paths:
        if re.search(meant, path):
            assert found.matches_exactly(path), (expression, patterns, path)
        elif found.matches_exactly(path):
            above = path.split("/")
            folders = ["/".join(above[:length]) for length in range(1, len(above))]
            assert end and any(re.search(meant, folder) for folder in folders), (expression, patterns, path)
