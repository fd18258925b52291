"""Path patterns: git itself says what a gitignore pattern matches; the rest is about hostile names."""

from __future__ import annotations

import gc
import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import path_expressions, paths
from checks.path_expressions import ExpressionSet
from checks.paths import PathIndex, PathPatterns

CASES = [
    # Each of https://git-scm.com/docs/gitignore's rules, on a path of this shape.
    (["frotz"], "a/b/frotz"),
    (["/frotz"], "a/frotz"),
    (["/frotz"], "frotz"),
    (["doc/frotz"], "a/doc/frotz"),
    (["doc/frotz"], "doc/frotz"),
    (["doc/"], "a/doc/x"),
    (["doc/"], "doc/a/b"),
    (["*.sql"], "db/1.sql"),
    (["*.sql"], "db/sql"),
    (["foo/*"], "foo/test.json"),
    (["foo/*"], "bar/foo/x"),
    (["**/foo/bar"], "a/b/foo/bar"),
    (["abc/**"], "abc/x/y"),
    (["abc/**"], "abc"),
    (["a/**/b"], "a/x/y/b"),
    (["a/**/b"], "a/b"),
    (["f?o"], "fxo"),
    (["f?o"], "f/o"),
    (["f[a-c]o"], "fbo"),
    (["f[!a-c]o"], "fbo"),
    (["*.c", "!keep.c"], "src/keep.c"),
    (["*.c", "!keep.c"], "src/drop.c"),
    (["!keep.c", "*.c"], "keep.c"),
    ([r"\#x"], "#x"),
    ([r"\!x"], "!x"),
    (["x "], "x"),
    ([r"x\ "], "x "),
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignores")
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(("patterns", "path"), CASES)
def test_matches_what_git_matches(repository: Path, patterns: list[str], path: str) -> None:
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    asked = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "-q", "--no-index", "--", path], check=False, capture_output=True
    )
    assert PathPatterns(patterns).matches(path) is (asked.returncode == 0)


PARTS = ("a", "b", "x.a", "ab")
PATHS = (
    *PARTS,
    *(f"{x}/{y}" for x in PARTS for y in PARTS),
    *(f"{x}/{y}/{z}" for x in PARTS for y in "ab" for z in PARTS),
)
TAKING = (
    *("a", "b/", "*.a", "/a/b", "**/b", "a*", "a/**", "**/a/**", "a/*/b", "a/**/b", "/*", "[ab]", "[!a]", "?", "a/"),
    *("b/a", "*", "/b/*.a", "**", "x.a", "a/b/", "**/", "*/", "a/**/", "[]a]b", "[^a]b", "**/x.a"),
)


def _matched_by_git(repository: Path, patterns: list[str]) -> set[str]:
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    command = ("git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin")
    asked = subprocess.run(command, input="\0".join(PATHS), check=False, capture_output=True, text=True)
    return set(asked.stdout.split("\0")[:-1])


@pytest.mark.parametrize("seed", range(40))
def test_matches_what_git_matches_of_many_paths(repository: Path, seed: int) -> None:
    chance = random.Random(seed)
    patterns = chance.choices(TAKING, k=chance.randint(1, 5))
    found = PathPatterns(patterns)
    assert {path for path in PATHS if found.matches_exactly(path)} == _matched_by_git(repository, patterns)


@pytest.mark.parametrize("seed", range(40))
def test_takes_out_what_git_takes_out_and_more_only_below_a_folder(repository: Path, seed: int) -> None:
    chance = random.Random(seed)
    patterns = [chance.choice(("", "", "!")) + each for each in chance.choices(TAKING, k=chance.randint(2, 5))]
    matched, by_git = PathPatterns(patterns), _matched_by_git(repository, patterns)
    taken_out = PathPatterns([pattern[1:] for pattern in patterns if pattern.startswith("!")])
    for path in PATHS:
        if matched.matches_exactly(path):
            assert path in by_git
        elif path in by_git:
            assert "/" in path
            assert taken_out.matches_exactly(path)


@pytest.mark.parametrize(
    ("patterns", "path", "decides"),
    [
        (["a/", "*.md"], "a/b.md", "*.md"),
        (["*.md", "a/"], "a/b.md", "a/"),
        (["a/", "!a/b.md"], "a/b.md", None),
        (["!a/b.md", "a/"], "a/b.md", "a/"),
        (["a/", "!b.md"], "a/b.md", None),
        (["b.md", "!a/"], "a/b.md", "b.md"),
        (["a/", "!a/"], "a/b.md", None),
        (["!a/", "a/"], "a/b.md", "a/"),
        (["a/", "!a/b/", "a/b/c"], "a/b/c", "a/b/c"),
        (["a/", "!a/b/", "a/b/c"], "a/b/d", None),
        (["foo", "!foo/"], "foo/a/foo", "foo"),
        (["foo"], "foo/a/foo", "foo"),
        (["!foo"], "foo", None),
        (["!foo/"], "foo/a", None),
    ],
)
def test_the_last_pattern_for_the_file_and_the_last_for_a_folder_decide(
    patterns: list[str], path: str, decides: str | None
) -> None:
    assert PathPatterns(patterns).first_match(path) == decides
    assert list(PathIndex([PathPatterns(patterns)]).matches(path)) == ([] if decides is None else [(0, decides)])


@pytest.mark.parametrize("path", ["/a/b", "./a/b"])
def test_the_root_may_be_written(path: str) -> None:
    assert PathPatterns(["/a"]).matches_exactly(path)


@pytest.mark.parametrize(
    ("pattern", "path", "matches", "exactly"),
    [
        ("src/**", "src/a", True, True),
        ("src/**", "SRC/a", True, False),
        ("SRC/**", "src/a", True, False),
        ("caf\u00e9/", "cafe\u0301/x", True, False),
        ("stra\u00dfe", "STRASSE", True, False),
        ("src/**", "lib/a", False, False),
        ("**/secret", "a\nb/secret", True, True),
        ("**/secret", "a\rb/secret", True, True),
        ("secret", "secret\n", False, False),
        ("*.sql", "\udcff.sql", True, True),
    ],
)
def test_looks_at_two_views_to_restrict_and_one_to_permit(
    pattern: str, path: str, matches: bool, exactly: bool
) -> None:
    found = PathPatterns([pattern])
    assert (found.matches(path), found.matches_exactly(path)) == (matches, exactly)


def test_says_which_pattern_decides() -> None:
    found = PathPatterns(["docs/", "*.md", "README.md"])
    assert found.first_match("a/b.md") == "*.md"
    assert found.first_match("readme.MD") == "README.md"
    assert found.first_match("a/b.py") is None
    assert found.patterns == ("docs/", "*.md", "README.md")


def test_a_taken_out_path_does_not_match_but_its_other_spelling_still_does() -> None:
    found = PathPatterns(["*.sql", "!docs/*.sql"])
    assert found.first_match("docs/x.sql") is None
    assert found.first_match("DOCS/x.sql") == "*.sql"


def test_no_pattern_matches_nothing() -> None:
    assert not PathPatterns([]).matches("a")


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([""], "the path pattern '' matches nothing; write `\\#` for a name that begins with `#`"),
        (["a", "#b"], "the path pattern '#b' matches nothing; write `\\#` for a name that begins with `#`"),
        (["/"], "the path pattern '/' matches nothing; write `\\#` for a name that begins with `#`"),
        (["!"], "the path pattern '!' cannot be read: Invalid git pattern: '!'"),
        (["[z-a]"], "the path pattern '[z-a]' cannot be read: bad character range z-a at position 10"),
        (["a\tb"], "the path pattern 'a\\tb' holds a control character"),
        (["x" * 513], f"the path pattern '{'x' * 40}'… is longer than 512 characters"),
        (["x"] * 1_001, "1001 path patterns are too many; at most 1000 are read"),
        (["x" * 500] * 31, "the path patterns are 15500 bytes together; at most 15000 are read"),
        (
            [f"{number:02}{'?' * 500}" for number in range(20)],
            "the path patterns are too complicated together: failed to compile Set",
        ),
    ],
)
def test_refuses_patterns_that_cannot_do_what_was_meant(patterns: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PathPatterns(patterns)


def test_the_limits_themselves_are_allowed() -> None:
    assert PathPatterns(["x" * 512]).matches("x" * 512)
    assert PathPatterns([f"{number:x}" for number in range(1_000)]).matches("3e7")
    assert PathPatterns(["x" * 500] * 30).matches("x" * 500)


def test_an_index_gives_every_list_that_matches_in_order() -> None:
    lists = [PathPatterns([f"name{number}", f"*.e{number % 3}"]) for number in range(40)]
    found = list(PathIndex(lists).matches("a/name7.e1"))
    assert found == [(number, "*.e1") for number in range(40) if number % 3 == 1]
    assert list(PathIndex(lists).matches("a/NAME7")) == [(7, "name7")]
    assert list(PathIndex(lists).matches("a/other")) == []


def test_an_index_of_nothing_matches_nothing() -> None:
    assert list(PathIndex([]).matches("a")) == []


def test_an_index_keeps_what_a_list_takes_out() -> None:
    lists = [PathPatterns(["*.sql", "!docs/*.sql"]), PathPatterns(["docs/"])]
    assert list(PathIndex(lists).matches("docs/x.sql")) == [(1, "docs/")]


@pytest.mark.parametrize("letter", ["z", "Z"], ids=["one view for both", "two views that are too large together"])
def test_an_index_parts_lists_that_are_too_complicated_together(letter: str) -> None:
    lists = [PathPatterns([f"{kind}{number:02}{'?' * 480}{letter}" for number in range(12)]) for kind in ("a", "b")] + [
        PathPatterns(["x"])
    ]
    index = PathIndex(lists)
    middle = "y" * 480
    assert list(index.matches(f"a03{middle}{letter}")) == [(0, f"a03{'?' * 480}{letter}")]
    assert list(index.matches(f"b03{middle}z")) == [(1, f"b03{'?' * 480}{letter}")]
    assert list(index.matches("x")) == [(2, "x")]
    assert list(index.matches("y")) == []


def test_an_index_of_more_than_one_set_gives_every_list() -> None:
    lists = [PathPatterns([f"{'x' * 400}{number}", "*.py"]) for number in range(100)]
    index = PathIndex(lists)
    assert list(index.matches("a.py")) == [(number, "*.py") for number in range(100)]
    assert list(index.matches("x" * 400 + "77")) == [(77, "x" * 400 + "77")]


names = st.text("abAB./é\u0301\n", min_size=1, max_size=12)
small_patterns = st.lists(st.sampled_from(["a", "b/", "*.a", "/a/b", "**/B", "é", "!a/b", "a*"]), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(small_patterns, max_size=40), names)
def test_an_index_agrees_with_its_lists(patterns: list[list[str]], path: str) -> None:
    lists = [PathPatterns(each) for each in patterns]
    one_by_one = [(number, found) for number, each in enumerate(lists) if (found := each.first_match(path))]
    assert list(PathIndex(lists).matches(path)) == one_by_one


@pytest.mark.untraced
@pytest.mark.parametrize(
    "part", ["?", "*", "[!a]", "[^\U00010000]", "[a-\U0010ffff]", "**/", "**/?", "*/", "a", "é", "\U00010000", "!?"]
)
def test_lists_that_surely_fit_do_so_with_room_to_spare(part: str) -> None:
    size = 8 * paths.SURE_BYTES
    long = [f"{number:02}{part * (400 // len(part.encode()))}" for number in range(size // 400)]
    assert sum(len(pattern.encode()) for pattern in long) >= size - 200
    path_expressions.ExpressionSet(
        [each.regex for pattern in long for each in path_expressions.expressions_of(pattern)]
    )


def test_the_limits_are_those_that_the_engine_was_tried_with() -> None:
    assert (paths.MAX_PATTERNS, path_expressions.MAX_PATTERN_LENGTH, paths.MAX_BYTES) == (1_000, 512, 15_000)


def test_a_long_list_stays_no_longer_than_it_is_used() -> None:
    """It is one and a half megabytes, and whoever may open an issue may write thousands of them."""
    gc.collect()
    before = _sets()
    for number in range(10):
        assert PathPatterns([f"{number}-{letter * 500}" for letter in "abc"]).matches(f"3-{'b' * 500}") is (number == 3)
    gc.collect()
    assert _sets() == before


def _sets() -> int:
    return sum(isinstance(one, ExpressionSet) for one in gc.get_objects())
