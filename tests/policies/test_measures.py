"""Bounds on size: the larger side counts, and what cannot be counted is not known to be small."""

from __future__ import annotations

import pytest

from checks.diff import ChangedFile, Diff, FileStatus
from checks.unread import Unread
from policies.measures import is_of_size
from policies.rule_sections import Range, Size
from policies.unknown import NeverKnown

UNKNOWN = "unknown"
AWAY = Unread("the merge conflicts")
TEXT = ChangedFile("a.py", FileStatus.MODIFIED, additions=8, deletions=2)
BINARY = ChangedFile("logo.png", FileStatus.MODIFIED, old_oid="a" * 40, new_oid="b" * 40, binary=True)
MOVED = ChangedFile("new.png", FileStatus.RENAMED, "logo.png", old_oid="a" * 40, new_oid="a" * 40, binary=True)
NAMELESS = ChangedFile("logo.png", FileStatus.ADDED, binary=True)
SMALL, LARGE, NONE = Diff((TEXT,)), Diff((TEXT, TEXT)), Diff(())


def size(**bounds: tuple[int | None, int | None]) -> Size:
    return Size(**{name: Range(at_least=least, at_most=most) for name, (least, most) in bounds.items()})


@pytest.mark.parametrize(
    ("wanted", "own", "merged", "expected"),
    [
        (size(lines=(None, 10)), SMALL, SMALL, True),
        (size(lines=(None, 9)), SMALL, SMALL, False),
        (size(lines=(10, 10)), SMALL, SMALL, True),
        (size(files=(2, None)), SMALL, SMALL, False),
        (size(additions=(8, 8), deletions=(2, 2)), SMALL, SMALL, True),
        (size(additions=(8, 8), deletions=(3, None)), SMALL, SMALL, False),
        # The larger side, whichever it is
        (size(lines=(None, 10)), SMALL, LARGE, False),
        (size(lines=(None, 10)), LARGE, SMALL, False),
        (size(files=(2, None)), SMALL, LARGE, True),
        (size(files=(1, None)), NONE, SMALL, True),
        # One side that was not read, or not all of one
        (size(lines=(None, 10)), SMALL, AWAY, UNKNOWN),
        (size(lines=(None, 9)), SMALL, AWAY, False),
        (size(lines=(10, None)), SMALL, AWAY, True),
        (size(lines=(11, None)), SMALL, AWAY, UNKNOWN),
        (size(lines=(None, 9)), AWAY, AWAY, UNKNOWN),
        (size(files=(None, 1)), Diff((TEXT,), complete=False), SMALL, UNKNOWN),
        (size(files=(1, None)), Diff((TEXT,), complete=False), SMALL, True),
        # Binary files have no lines, and no small change for that
        (size(lines=(None, 0)), Diff((BINARY,)), NONE, UNKNOWN),
        (size(additions=(None, 0)), NONE, Diff((BINARY,)), UNKNOWN),
        (size(deletions=(1, None)), Diff((BINARY,)), NONE, UNKNOWN),
        (size(lines=(None, 9)), Diff((TEXT, BINARY)), NONE, False),
        (size(lines=(10, None)), Diff((TEXT, BINARY)), NONE, True),
        (size(files=(None, 1)), Diff((BINARY,)), NONE, True),
        (size(lines=(None, 0)), Diff((NAMELESS,)), NONE, UNKNOWN),
        (size(lines=(None, 0)), Diff((MOVED,)), NONE, True),
        (size(lines=(None, 0), files=(2, None)), Diff((BINARY,)), NONE, False),
    ],
)
def test_bounds(wanted: Size, own: Diff | Unread, merged: Diff | Unread, expected: bool | str) -> None:
    answer = is_of_size(wanted, (own, merged))
    assert (UNKNOWN if isinstance(answer, Unread) else answer) == expected


def test_what_is_not_known_is_said() -> None:
    answer = is_of_size(size(lines=(None, 5)), (Diff((BINARY,)), NONE))
    assert answer == NeverKnown("logo.png is binary, so its lines cannot be counted")
