"""Marks in text that come with a change, and what is made of them: suppressions, switched-off tests."""

from __future__ import annotations

import pytest
import re2

from checks.diff import FileStatus
from checks.tampering import occurrences
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.kept_tests import KeptTests, is_test_source, kept_tests, mentions_tests, names_one_test
from checks.tampering.occurrences import LONGEST_LINE, added_marks
from checks.tampering.suppressions import suppressions
from tests.checks.tampering.honest import changes_between

MARK = re2.compile(rb"#(\w+)")


def _marks(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, int, str, str]]:
    found = added_marks(changes_between(before, after), MARK, lambda path: path.endswith(".py"))
    return [(mark.path, mark.line, mark.text, mark.source) for mark in found]


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ({"a.py": ""}, {"a.py": "x\n  y #b\nz"}, [("a.py", 2, "#b", "y #b")]),
        ({}, {"a.py": "#b"}, [("a.py", 1, "#b", "#b")]),
        ({"a.py": "#b"}, {}, []),
        ({"a.py": "x #b"}, {"a.py": "other #b"}, []),
        ({"a.py": "#b\nx\n"}, {"a.py": "x\n#b\n"}, []),
        ({"a.py": "#b"}, {"a.py": "#b #b"}, [("a.py", 1, "#b", "#b #b")]),
        ({"a.py": "#b\n"}, {"a.py": "#b\n#c\n#b\n"}, [("a.py", 2, "#c", "#c"), ("a.py", 3, "#b", "#b")]),
        ({"a.py": "#b\n1\n2\n3\n"}, {"c.py": "#b\n#b\n1\n2\n3\n"}, [("c.py", 2, "#b", "#b")]),
        ({"a.py": "x #b", "c.py": "y"}, {"a.py": "x", "c.py": "y #b"}, []),
        ({"a.py": "#b #b", "c.py": "y"}, {"a.py": "x", "c.py": "y #b #b #b"}, [("c.py", 1, "#b", "y #b #b #b")]),
        ({"a.txt": "x", "b.py": "y"}, {"a.txt": "#b", "b.py": "#"}, []),
    ],
)
def test_marks_that_come(before: dict[str, str], after: dict[str, str], marks: list[tuple[str, int, str, str]]) -> None:
    assert _marks(before, after) == marks


def test_a_mark_does_not_begin_with_what_stands_before_it() -> None:
    pattern = re2.compile(rb"(?:^|[^a])b ")
    (mark,) = added_marks(changes_between({"a.py": ""}, {"a.py": "x\nb y"}), pattern, lambda _: True)
    assert (mark.line, mark.text, mark.source) == (2, "b", "b y")


def test_marks_in_what_is_no_text() -> None:
    change = Change(FileStatus.ADDED, None, Version("a.py", "100644", b"\xff #b \xfe\n"))
    (mark,) = added_marks([change], MARK, lambda _: True)
    assert (mark.text, mark.source, mark.line) == ("#b", "\ufffd #b \ufffd", 1)
    (odd,) = added_marks([change], re2.compile(rb"#b \C"), lambda _: True)
    assert odd.text == "#b \ufffd"


def test_bounds_on_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    (long,) = _marks({}, {"a.py": "#" + "x" * 5_000})
    assert (len(long[2]), len(long[3])) == (5_001, LONGEST_LINE)
    monkeypatch.setattr(occurrences, "MOST_FOUND", 2)
    assert len(_marks({}, {"a.py": "#a #b #c"})) == 2


def test_what_was_not_read_has_no_marks() -> None:
    change = Change(FileStatus.MODIFIED, Version("a.py", "100644", None), Version("a.py", "100644", None))
    assert list(added_marks([change], MARK, lambda _: True)) == []


@pytest.mark.parametrize(
    ("path", "line", "text"),
    [
        ("a.py", "x = 1  # noqa: E501, F401", "# noqa: E501, F401"),
        ("a.py", "x = 1  # noqa", "# noqa"),
        ("a.py", "# ruff: noqa", "# ruff: noqa"),
        ("a.py", "x = f()  # type: ignore[no-any-return]", "# type: ignore[no-any-return]"),
        ("a.py", "# mypy: ignore-errors", "# mypy: ignore-errors"),
        ("a.py", "x = 1  # pyright: ignore", "# pyright: ignore"),
        ("a.py", "x = 1  # pylint: disable=invalid-name", "# pylint: disable=invalid-name"),
        ("a.py", "if x:  # pragma: no cover", "# pragma: no cover"),
        ("a.py", "run(x)  # nosec B602", "# nosec B602"),
        ("a.rb", "x = 1 # rubocop:disable Style/X", "# rubocop:disable Style/X"),
        ("a.rb", "# :nocov:", "# :nocov:"),
        ("a.ts", "// eslint-disable-next-line no-console", "// eslint-disable-next-line no-console"),
        ("a.ts", "/* eslint-disable */", "/* eslint-disable"),
        ("a.ts", "// @ts-ignore", "// @ts-ignore"),
        ("a.ts", "// @ts-nocheck", "// @ts-nocheck"),
        ("a.ts", "// @ts-expect-error wrong", "// @ts-expect-error wrong"),
        ("a.js", "/* istanbul ignore next */", "/* istanbul ignore next"),
        ("a.js", "/* c8 ignore start */", "/* c8 ignore start"),
        ("a.ts", "// biome-ignore lint: x", "// biome-ignore lint"),
        ("a.go", "x := 1 //nolint:errcheck", "//nolint:errcheck"),
        ("a.go", "x := 1 // #nosec G104", "// #nosec G104"),
        ("a.cpp", "int x; // NOLINTNEXTLINE(a)", "// NOLINTNEXTLINE(a)"),
        ("a.c", "// LCOV_EXCL_LINE", "// LCOV_EXCL_LINE"),
        ("a.java", "int x; // NOSONAR", "// NOSONAR"),
        ("a.java", '@SuppressWarnings("unchecked")', "@SuppressWarnings("),
        ("a.kt", '@Suppress("x")', "@Suppress("),
        ("a.php", "// @phpstan-ignore-line", "// @phpstan-ignore"),
        ("a.php", "// phpcs:disable", "// phpcs:disable"),
        ("a.rs", "#[allow(dead_code)]", "#[allow("),
        ("a.rs", "#![allow(clippy::all)]", "#![allow("),
        ("a.cs", "#pragma warning disable CS0168", "#pragma warning disable CS0168"),
        ("a.c", "#pragma GCC diagnostic ignored", "#pragma GCC diagnostic ignored"),
    ],
)
def test_suppressions(path: str, line: str, text: str) -> None:
    assert list(suppressions(changes_between({path: "1\n"}, {path: f"1\n{line}\n"}))) == [
        Alteration(
            "suppression-added",
            path,
            2,
            "",
            line,
            f"A checker is told to look away: `{text}`.",
            Weight.RISK,
            path,
        )
    ]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.md", "x = 1  # noqa"),
        ("a.rst", "// @ts-ignore"),
        ("a.py", "# nothing here"),
        ("a.py", "noqa = 1"),
        ("a.ts", "// eslint"),
        ("a.rs", "#[derive(Debug)]"),
        ("a.rs", "#[must_use]"),
        ("CMakeLists.txt", "set_tests_properties(a PROPERTIES DISABLED FALSE)"),
        ("a.cmake", "set_tests_properties(a PROPERTIES DISABLED TRUE)"),
    ],
)
def test_what_suppresses_nothing(path: str, line: str) -> None:
    assert list(suppressions(changes_between({path: "1\n"}, {path: f"1\n{line}\n"}))) == []


def test_one_alteration_for_a_file() -> None:
    text = "a  # noqa\nb  # noqa: X\nc  # type: ignore\n"
    (found,) = suppressions(changes_between({"a.py": ""}, {"a.py": text}))
    assert (found.line, found.reason) == (1, "A checker is told to look away: `# noqa` and 2 more.")


def test_a_rule_that_is_named_is_another_suppression() -> None:
    assert len(list(suppressions(changes_between({"a.py": "a  # noqa: X"}, {"a.py": "a  # noqa"})))) == 1


@pytest.mark.parametrize("words", ["DISABLED TRUE", "DISABLED  ON", "WILL_FAIL YES", "WILL_FAIL\n 1"])
def test_tests_of_cmake_that_are_switched_off(words: str) -> None:
    path = "sub/CMakeLists.txt"
    text = f"set_tests_properties(a PROPERTIES {words})\n"
    (found,) = suppressions(changes_between({path: "\n"}, {path: f"\n{text}"}))
    assert (found.kind, found.weight, found.line) == ("test-skipped", Weight.PERSON, 2)
    (new,) = suppressions(changes_between({}, {path: text}))
    assert new.weight is Weight.RISK
    assert found.reason == f"A test is switched off or expected to fail: `{words}`."


KEPT = KeptTests(
    ("src/a/x.test.ts", "tests/test_a.py", "tests/unit/test_b.py", "e2e/login.spec.ts"), frozenset({"gone.py"})
)


@pytest.mark.parametrize(
    ("style", "value", "taken"),
    [
        ("path", "tests/unit", "tests/unit/test_b.py"),
        ("path", " ./tests/ ", "tests/test_a.py"),
        ("path", "test", None),
        ("path", "tests/test_a.py", "tests/test_a.py"),
        ("id", "tests/test_a.py::test_x", "tests/test_a.py"),
        ("id", "tests/test_c.py::test_x", None),
        ("glob", "**/*.spec.{ts,js}", "e2e/login.spec.ts"),
        ("glob", "**/unit/test_*.py", "tests/unit/test_b.py"),
        ("glob", "e2e", "e2e/login.spec.ts"),
        ("glob", "e2e/**", "e2e/login.spec.ts"),
        ("glob", "*.test.ts", "src/a/x.test.ts"),
        ("glob", "src/*.test.ts", None),
        ("glob", "src/**/*.test.ts", "src/a/x.test.ts"),
        ("glob", "src/?/x.test.ts", "src/a/x.test.ts"),
        ("glob", "test_*.py", "tests/test_a.py"),
        ("glob", "tests/**/test_a.py", "tests/test_a.py"),
        ("glob", "node_modules", None),
        ("glob", "unit", "tests/unit/test_b.py"),
        ("glob", "xunit", None),
        ("glob", "{a", None),
        ("glob", "test.a.py", None),
        ("regex", "/unit/", "tests/unit/test_b.py"),
        ("regex", "<rootDir>/e2e", "e2e/login.spec.ts"),
        ("regex", "spec", "e2e/login.spec.ts"),
        ("regex", "(", None),
        ("regex", "(?=a)", None),
        ("name", "tests", None),
        ("", "tests", None),
        ("path", "", None),
        ("path", "/", None),
        ("regex", "e" * 501, None),
    ],
)
def test_tests_that_an_exclusion_takes_out(style: str, value: str, taken: str | None) -> None:
    assert KEPT.taken_out(style, value) == taken


def test_the_longest_pattern_is_500_characters() -> None:
    assert KEPT.taken_out("regex", "|".join(["e2e"] * 125)) == "e2e/login.spec.ts"


def test_kept_tests() -> None:
    before = {"tests/test_a.py": "1", "tests/test_b.py": "1\n2\n", "src/a.py": "1", "tests/data.json": "1"}
    after = {"tests/test_a.py": "2", "src/a.py": "2", "tests/test_new.py": "3\n4\n5\n", "tests/data.json": "2"}
    changes = changes_between(before, after)
    assert kept_tests(changes) == KeptTests(("tests/test_a.py",), frozenset({"tests/test_b.py"}))
    tree = ["tests/test_a.py", "tests/test_new.py", "tests/test_old.py", "docs/a.md", "tests/unit"]
    assert kept_tests(changes, tree).paths == ("tests/test_a.py", "tests/test_old.py")


@pytest.mark.parametrize(
    ("path", "is_source"),
    [
        ("tests/test_a.py", True),
        ("src/a.test.ts", True),
        ("src/FooTest.java", True),
        ("tests/data.json", False),
        ("tests/readme.md", False),
        ("tests/Makefile", False),
        ("src/a.py", False),
    ],
)
def test_test_sources(path: str, *, is_source: bool) -> None:
    assert is_test_source(path) is is_source


@pytest.mark.parametrize(
    ("pattern", "about"),
    [
        ("tests/integration", True),
        ("**/*.spec.ts", True),
        ("unit", True),
        ("E2E", True),
        ("test_x", True),
        ("x_test.go", True),
        ("**/FooTest.java", True),
        ("**/FooTests.cs", True),
        ("__tests__", True),
        ("node_modules", False),
        ("contest/x", False),
        ("latest.js", False),
        ("united", False),
        ("dist\ud800", False),
    ],
)
def test_patterns_about_tests(pattern: str, *, about: bool) -> None:
    assert mentions_tests(pattern) is about


@pytest.mark.parametrize(
    ("value", "one"),
    [
        ("tests/test_a.py", True),
        ("tests/test_a.py::test_b", True),
        ("src/a.test.ts", True),
        ("tests", False),
        ("tests/*.py", False),
        ("tests/test_[ab].py", False),
        ("src/a.py", False),
        ("tests/data.json", False),
    ],
)
def test_names_of_one_test_file(value: str, *, one: bool) -> None:
    assert names_one_test(value) is one
