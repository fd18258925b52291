"""Foreign files within bounds, names of ours, and what a rendered policy looks like."""

from __future__ import annotations

import pytest

from policies.importing.detect import import_policy
from policies.importing.imported import MAX_BYTES, MAX_NODES, ForeignError, Imported, read_foreign, render, rule_names

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_anchors_and_merge_keys_are_read() -> None:
    assert read_foreign("a: &a {x: 1}\nb: {<<: *a, y: 2}") == {"a": {"x": 1}, "b": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "no YAML that can be read"),
        ("a: !!python/object:os.system x", "no YAML that can be read"),
        ("#" * (MAX_BYTES + 1), "larger than 256 KiB"),
        (LAUGHS, f"more than {MAX_NODES} values"),
        ("[" * 5_000, "no YAML that can be read"),
        ("a: &a [*a]", f"more than {MAX_NODES} values"),
    ],
)
def test_what_is_not_read(text: str, said: str) -> None:
    with pytest.raises(ForeignError, match=said):
        read_foreign(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.yml", "a: 1"), ("x.yml", "- 1"), ("x.yml", "x"), ("x.yml", ""), ("CODEOWNERS.txt", "x: @ada")],
)
def test_what_is_of_no_known_tool(name: str, text: str) -> None:
    with pytest.raises(ForeignError):
        import_policy(name, text)


def test_names() -> None:
    assert rule_names(["A b", "a-b", "a_b", "", "9", "a b"]) == {
        "A b": "a-b", "a-b": "a-b-2", "a_b": "a-b-3", "": "rule", "9": "r-9", "a b": "a-b-4",
    }  # fmt: skip
    assert rule_names(["x"], taken=("x",)) == {"x": "x-2"}


def test_what_is_lost_stands_on_top_in_one_line_each() -> None:
    imported = Imported()
    imported.lose("a\nb")
    imported.lose("a\nb")
    imported.lose("c")
    shared = ["x"]
    imported.policy["branches"], imported.policy["agents"] = shared, {"branches": shared}
    assert render(imported, "f\n.yml").split("\n") == [
        "# Imported from f .yml. Read it before it is used; try it with `mergegate policy test`.",
        "#",
        "# Not carried over:",
        "# - a b",
        "# - c",
        "version: 1",
        "branches:",
        "- x",
        "agents:",
        "  branches:",
        "  - x",
        "",
    ]
    assert "Not carried over" not in render(Imported(), "f")
