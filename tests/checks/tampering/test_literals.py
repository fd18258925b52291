"""Options, routes and keys that a change takes away, and constants that it sets to others."""

from __future__ import annotations

import pytest

from checks.tampering.literals import has_other_constants, is_of, vanished_literals
from tests.checks.tampering.honest import changes_between


@pytest.mark.parametrize(
    ("path", "before", "after", "gone"),
    [
        (
            "a.py",
            'option("--dry-run/--no-dry-run")\nx\n',
            "x\n",
            {"--dry-run", "--no-dry-run", "--dry-run/--no-dry-run"},
        ),
        ("a.js", "get('/v1/items')\nx\n", "x\n", {"/v1/items"}),
        ("a.js", "get(`/v1/items`)\nx\n", "x\n", {"/v1/items"}),
        ("a.py", 'raise X("no such item here")\nx\n', "x\n", {"no such item here"}),
        ("a.py", 'y["name"]\nx\n', "x\n", set()),  # a plain word
        ("a.py", 'y["a_b"]\nx\n', "x\n", set()),  # too short
        ("a.yml", "legacy: 1\nx: 2\n", "x: 2\n", {"legacy"}),
        ("a.env", "LEGACY=1\nx=2\n", "x=2\n", {"LEGACY"}),
        ("a.py", "legacy = 1\nx = 2\n", "x = 2\n", set()),
        ("a.js", "get('/v1/items')\nx\n", "get('/v2/items')\nx\n", set()),  # as long as it was
        ("a.js", "get('/v1/items')\nget('/v1/items')\n", "get('/v1/items')\n", set()),
    ],
)
def test_what_vanishes(path: str, before: str, after: str, gone: set[str]) -> None:
    assert vanished_literals(changes_between({path: before}, {path: after})) == gone


def test_what_vanishes_with_a_file() -> None:
    changes = changes_between({"a.js": "get('/v1/items')\n"}, {})
    assert vanished_literals(changes) == {"/v1/items"}
    assert vanished_literals(changes_between({"a.js": "get('/v1/items')\n"}, {"b.py": "'/v1/items'\n"})) == set()


@pytest.mark.parametrize(
    ("text", "literal", "is_one"),
    [
        ("/v1/items", "/v1/items", True),
        ("/v1/items/7", "/v1/items", True),
        ("/api/v1/items", "/v1/items", True),
        ("/v1/items?page=2", "/v1/items", True),
        ("/v1/items/", "/v1/items", True),
        ("--format=json", "--format", True),
        ("/v1/itemsets", "/v1/items", False),
        ("see /v1/items", "/v1/items", False),
        ("--formatted", "--format", False),
    ],
)
def test_what_is_of_a_literal(text: str, literal: str, is_one: bool) -> None:
    assert is_of(text, frozenset({literal})) is is_one


@pytest.mark.parametrize(
    ("before", "after", "is_one"),
    [
        ("if total > 50:", "if total > 100:", True),
        ("RATE = 0.1", "RATE = 0.2", True),
        ('name = "a"', 'name = "b c"', True),
        ("if total > 50:", "if total < 50:", False),
        ("if total > 50:", "if total > 50:", False),
        ("return a", "return b", False),
        ("v1 = x", "v2 = x", False),  # a part of a name
        ("x" * 501 + "1", "x" * 501 + "2", False),
    ],
)
def test_other_constants(before: str, after: str, is_one: bool) -> None:
    assert has_other_constants(["x = y", before], [after]) is is_one
