"""Every path that a change touches by all of its names, and why those may not be all."""

from __future__ import annotations

from typing import Any

import pytest

from checks.diff import SYMLINK_MODE, ChangedFile, Diff, FileStatus
from checks.risk import MOST_FILES, touched_paths
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import diff, file

AWAY = Unread("HTTP 502")
LINK = file("a/link", FileStatus.ADDED, new_mode=SYMLINK_MODE, symlink_target="../secret/key")
RENAMED = ChangedFile("new.py", FileStatus.RENAMED, "old.py")
LOOP = {f"l{number}": f"l{number + 1}" for number in range(9)} | {"l9": "x"}


@pytest.mark.parametrize(
    ("changes", "paths", "doubt"),
    [
        ({}, {"src/price.py", "tests/test_price.py"}, None),
        ({"diff": diff(RENAMED), "merge_diff": diff("other.py")}, {"new.py", "old.py", "other.py"}, None),
        ({"diff": diff(LINK), "merge_diff": diff()}, {"a/link", "secret/key"}, None),
        ({"diff": diff("x/a"), "merge_diff": diff(), "aliases": {"y": "x"}}, {"x/a", "y/a"}, None),
        ({"diff": diff("x"), "merge_diff": diff(), "aliases": AWAY}, {"x"}, "HTTP 502"),
        ({"diff": AWAY, "merge_diff": diff("b")}, {"b"}, "HTTP 502"),
        ({"diff": AWAY, "merge_diff": Unread("later")}, set(), "HTTP 502"),
        ({"diff": diff("b"), "merge_diff": diff(complete=False)}, {"b"}, "not every changed file is listed"),
        (
            {"diff": diff("x"), "merge_diff": diff(), "aliases": LOOP},
            {"x", "l9", "l8", "l7", "l6"},
            "more symbolic links lead to the changed files than are followed",
        ),
    ],
)
def test_touched(changes: dict[str, Any], paths: set[str], doubt: str | None) -> None:
    found, why = touched_paths(build.snapshot(**changes))
    assert set(found) == paths
    assert (why and why.because) == doubt


def test_more_files_than_github_lists() -> None:
    many = Diff(tuple(file(f"{number}.py") for number in range(MOST_FILES + 1)))
    assert touched_paths(build.snapshot(diff=many))[1] is not None
    assert touched_paths(build.snapshot(diff=Diff(many.files[:MOST_FILES])))[1] is None
