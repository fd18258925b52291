"""Which changes bring new tests, and what is taken over to the target branch with them."""

from __future__ import annotations

import pytest

from checks.diff import ChangedFile, FileStatus
from checks.new_tests import is_too_long, paths_of_new_tests
from checks.tampering.alteration import Analysis
from checks.unread import Unread
from tests.checks import build

ADDED, REMOVED, RENAMED = FileStatus.ADDED, FileStatus.REMOVED, FileStatus.RENAMED


def added(path: str) -> ChangedFile:
    return build.file(path, ADDED, additions=9)


CODE = build.file("shop/cart.py", additions=3)
TEST = build.file("tests/test_cart.py", additions=5)
MORE = Analysis((), tests_before=4, tests_after=5)
SAME = Analysis((), tests_before=4, tests_after=4)
NONE_KNOWN = Analysis(())


def paths(*files: ChangedFile, analysis: Analysis | Unread | None = MORE) -> tuple[str, ...]:
    return paths_of_new_tests(build.snapshot(merge_diff=build.diff(*files), analysis=analysis))


def test_a_changed_file_with_more_tests_than_before() -> None:
    assert paths(CODE, TEST) == ("tests/test_cart.py",)


@pytest.mark.parametrize("analysis", [SAME, Analysis((), tests_before=4, tests_after=1)])
def test_tests_that_are_moved_split_or_gone_are_not_new(analysis: Analysis) -> None:
    assert paths(CODE, TEST, added("tests/test_more.py"), analysis=analysis) == ()


@pytest.mark.parametrize("analysis", [NONE_KNOWN, Unread("too large"), None])
def test_where_tests_are_not_counted_new_files_are_new_tests(analysis: Analysis | Unread | None) -> None:
    assert paths(CODE, TEST, analysis=analysis) == ()
    assert paths(CODE, added("tests/CartTest.php"), analysis=analysis) == ("tests/CartTest.php",)
    assert paths(build.file("tests/CartTest.php", RENAMED, previous_path="a.php"), analysis=analysis) == ()
    assert paths(added("tests/data.json"), analysis=analysis) == ()


@pytest.mark.parametrize("file", [CODE, build.file("tests/test_cart.py"), build.file("tests/data.json", additions=4)])
def test_tests_within_product_files_and_files_without_a_new_line_are_not_tried(file: ChangedFile) -> None:
    assert paths(file) == ()


def test_what_new_tests_need_goes_with_them() -> None:
    fixtures = build.file("tests/fixtures/cart.json", additions=1)
    setup = build.file("conftest.py", additions=1)
    old = build.file("tests/test_old.py", REMOVED, deletions=4)
    moved = build.file("tests/unit/helper.py", RENAMED, previous_path="tests/helper.py")
    assert paths(CODE, TEST, fixtures, setup, old, moved) == (
        "conftest.py",
        "tests/fixtures/cart.json",
        "tests/helper.py",
        "tests/test_cart.py",
        "tests/test_old.py",
        "tests/unit/helper.py",
    )


def test_an_unknown_difference_has_none() -> None:
    assert paths_of_new_tests(build.snapshot(merge_diff=Unread("conflict"), analysis=MORE)) == ()


def test_how_many_a_dispatch_can_carry() -> None:
    """Percent-encoded, each byte can take three characters, and each path ends its line."""
    assert not is_too_long(())
    assert not is_too_long(("é" * 3333, ""))
    assert is_too_long(("é" * 3333, "a"))
    assert is_too_long(("\udcff" * 6667,))
