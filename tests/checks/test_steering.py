"""Paths that say how tests are run."""

from __future__ import annotations

from checks.diff import FileStatus
from checks.steering import test_infrastructure as infrastructure
from checks.unread import Unread
from tests.checks.build import diff, file


def test_both_sides_of_a_rename_and_nothing_else() -> None:
    moved = file("tests/plugin.py", FileStatus.RENAMED, previous_path="tests/conftest.py")
    found = infrastructure(diff("src/a.py", "tests/test_a.py", "Makefile", moved, "jest.config.mjs"))
    assert found == ("Makefile", "jest.config.mjs", "tests/conftest.py")


def test_of_an_unknown_difference_nothing_is_known() -> None:
    assert infrastructure(Unread("git is away")) == ()
