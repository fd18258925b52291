"""Values and names of source text, and what a path alone says."""

from __future__ import annotations

import pytest

from checks.tampering.places import extension, folders_of_no_run, is_document, is_test_path
from checks.tampering.words import called_names, is_value, last_part, names_of, texts_of, values_of, words
from tests.checks.tampering.units_made import assertion, unit


@pytest.mark.parametrize(
    ("text", "values", "names"),
    [
        ("cart.total(1)", {"1"}, {"cart", "total"}),
        ("f(-1, 2.5, x-3)", {"-1", "2.5", "3"}, {"f", "x"}),
        ("f(x)-3", {"3"}, {"f", "x"}),
        ("a[0]-4", {"0", "4"}, {"a"}),
        ("f(\"a b\", 'c', `d`)", {'"a b"', "'c'", "`d`"}, {"f"}),
        ('f("a \\" b")', {'"a \\" b"'}, {"f"}),
        ("True is none or null", {"True", "none", "null"}, set()),
        ("len(str(cart)) in range", set(), {"cart"}),
        ('"open', {'"open'}, set()),
        ("größe == 1", {"1"}, {"größe"}),
        ("", set(), set()),
    ],
)
def test_values_and_names(text: str, values: set[str], names: set[str]) -> None:
    found_values, found_names = words(text)
    assert (set(found_values), set(found_names)) == (values, names)


def test_of_assertions() -> None:
    one = assertion('cart.find("tea")', "[2, total]")
    assert values_of(one) == {'"tea"', "2"}
    assert names_of(one) == {"cart", "find"}
    assert values_of(assertion("f(3)")) == {"3"}


def test_called_names() -> None:
    calls = ["cart.total", "total", "self.assertEqual", "len", "assertTrue", "x.assert_eq", "Cart > add"]
    assert called_names(unit(calls=frozenset(calls))) == {"total", "add"}


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("total", "total"),
        ("shop.Cart.total", "total"),
        ("cart > adds an item. twice", "adds an item. twice"),
        ("adds 1.5 kg", "adds 1.5 kg"),
        ("Cart::total", "total"),
        ("Cart#total", "total"),
        ("TestCart/total", "total"),
    ],
)
def test_last_parts(name: str, last: str) -> None:
    assert last_part(name) == last


@pytest.mark.parametrize(
    ("word", "holds"), [("1", True), ("-1", True), ('"a"', True), ("None", True), ("a", False), ("_1", False)]
)
def test_what_is_a_value(word: str, holds: bool) -> None:
    assert is_value(word) is holds


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ('"a, b"', ("a", "b")),
        ('f"a {x} b"', ("a", "b")),
        ('"a {} b".format(x)', ("a", "b")),
        ('["a", 3, "b"]', ("a", "3", "b")),
        ("[1, 2]", ()),
        ("x", ()),
        ('"{x}"', ()),
    ],
)
def test_texts(text: str, texts: tuple[str, ...]) -> None:
    assert texts_of(text) == texts


@pytest.mark.parametrize(
    "path",
    [
        *(
            "test_a.py",
            "a/test_a.py",
            "tests/a.py",
            "Tests/a.py",
            "a/testing/b.py",
            "conftest.py",
            "a/tests.py",
            "a/test.py",
        ),
        *(
            "a_test.go",
            "a.test.ts",
            "a.spec.js",
            "a-test.js",
            "src/__tests__/a.js",
            "spec/a.rb",
            "a_spec.rb",
            "e2e/a.ts",
        ),
        *("a.cy.ts", "src/test/java/A.java", "ATest.java", "ATests.cs", "ASpec.scala", "AIT.java", "spec_helper.rb"),
        *("testdata/a.json", "fixtures/a.yml", "test_a\n.py"),
    ],
)
def test_paths_of_tests(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "src/a.py",
        "a/latest.py",
        "contest.py",
        "attest/a.py",
        "Test.md",
        "\udcff.py",
        "AITX.java",
    ],
)
def test_paths_of_other_files(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("a.PY", "py"),
        ("a/b.test.ts", "ts"),
        ("Makefile", ""),
        (".gitignore", ""),
        ("a.b/c", ""),
        (".a.yml", "yml"),
        ("a.", ""),
    ],
)
def test_extensions(path: str, end: str) -> None:
    assert extension(path) == end


def test_documents_and_places_of_no_run() -> None:
    assert [is_document(path) for path in ("a.md", "docs/a.RST", "a.txt", "a.py", "md")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert folders_of_no_run("Archive/_old/tests/a.py") == {"archive", "old"}
    assert folders_of_no_run("tests/archive.py") == frozenset()
