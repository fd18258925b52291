"""Tests in languages that nothing here reads: what goes is for a person, what is only added is not."""

from __future__ import annotations

import pytest

from checks.diff import SUBMODULE_MODE, FileStatus
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.foreign import alterations
from tests.checks.tampering.honest import changes_between, version

PATH = "tests/CartTest.php"
TEST = "<?php\n\n  assertSame(3, total($cart));\n  assertSame(0, total($none));\n"


def _found(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    return [(one.path, one.before, one.after) for one in alterations(changes_between(before, after))]


def test_a_line_that_is_gone() -> None:
    (found,) = alterations(changes_between({PATH: TEST}, {PATH: TEST.replace("3,", "4,")}))
    reason = "Tests in tests/CartTest.php are changed; their language is not analysed, so that a person has to look."
    wanted = "assertSame(3, total($cart));"
    assert found == Alteration("test-file-unread", PATH, None, wanted, "", reason, Weight.PERSON, PATH)


def test_one_of_two_equal_lines_is_gone() -> None:
    line = "assertSame(3, total($cart));"
    assert _found({PATH: f"{line}\n{line}\n"}, {PATH: f"{line}\n"}) == [(PATH, line, "")]


def test_the_whole_file_is_gone() -> None:
    lines = "<?php; assertSame(3, total($cart));; assertSame(0, total($none));"
    assert _found({PATH: TEST}, {}) == [(PATH, lines, "")]


@pytest.mark.parametrize(
    "line",
    ["$this->markTestSkipped();", "return;", "EXIT(0);", "if (getenv('CI')) {", "# if CI", "/*", "__halt_compiler();"],
)
def test_a_way_out_is_added(line: str) -> None:
    assert _found({PATH: TEST}, {PATH: TEST.replace("?php\n", f"?php\n{line}\n")}) == [(PATH, "", line)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({PATH: TEST}, {PATH: TEST + "assertSame(5, total($other));\n"}),
        ({PATH: TEST}, {PATH: TEST.replace("  ", "\t") + "\n\n"}),  # other blanks
        ({PATH: TEST}, {"tests/BasketTest.php": TEST}),
        ({}, {PATH: TEST}),
        ({"src/cart.php": TEST}, {"src/cart.php": ""}),  # no test
        ({"tests/test_cart.py": "assert total([]) == 0\n"}, {"tests/test_cart.py": ""}),  # an adapter reads it
        ({"tests/cart.json": "{}\n"}, {"tests/cart.json": "[]\n"}),  # no code
    ],
)
def test_nothing_to_look_at(before: dict[str, str], after: dict[str, str]) -> None:
    assert _found(before, after) == []


def test_it_moves_to_where_no_tests_are() -> None:
    path = "tests/cart.php"
    assert _found({path: TEST}, {"old/cart.php": TEST}) == [("old/cart.php", "", "")]


def test_quotes_are_short_and_bytes_may_be_any() -> None:
    lines = {PATH: "x" * (LONGEST_QUOTE + 1)}
    assert _found(lines, {PATH: "return " + "y" * LONGEST_QUOTE}) == [
        (PATH, "x" * LONGEST_QUOTE, "return " + "y" * (LONGEST_QUOTE - 7))
    ]
    broken = Change(FileStatus.MODIFIED, version(PATH, b"\xff\n"), version(PATH, b""))
    assert [one.before for one in alterations([broken])] == ["\ufffd"]


@pytest.mark.parametrize("mode", ["100644", SUBMODULE_MODE])
def test_a_side_that_was_not_read(mode: str) -> None:
    """What is too large is told elsewhere."""
    unread = Version(PATH, mode, None)
    sides = ((unread, version(PATH, TEST)), (version(PATH, TEST), unread), (unread, None))
    assert list(alterations([Change(FileStatus.MODIFIED, *side) for side in sides])) == []
