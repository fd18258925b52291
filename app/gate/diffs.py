"""`git diff-tree --raw -z` and `--numstat -z` to changed files. Pure.

Formats: https://git-scm.com/docs/git-diff#_raw_output_format and `-z` in the same page. Paths are bytes; what is not
UTF-8 is kept with surrogate escapes, so that two different paths never become one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from checks.diff import SYMLINK_MODE, ChangedFile, Diff, FileStatus

STATUSES = {
    "A": FileStatus.ADDED,
    "M": FileStatus.MODIFIED,
    "D": FileStatus.REMOVED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.TYPE_CHANGED,
}

_TWO_PATHS = (FileStatus.RENAMED, FileStatus.COPIED)
MOST_FILES = 3_000  # GitHub lists no more; beyond it everything is high risk
_MOST_FIELDS = 3 * (MOST_FILES + 1)  # an entry has three at most


class UnreadableDiff(ValueError):
    """Git's answer has a shape that its documentation does not describe."""


class Lines(NamedTuple):
    additions: int
    deletions: int
    binary: bool


_NONE = Lines(0, 0, False)
_SYMLINK = SYMLINK_MODE.encode()


def parse_diff(raw: bytes, numstat: bytes, symlink_targets: Mapping[str, str] | None = None) -> Diff:
    """Changed files in git's order, which both answers have; `symlink_targets` are texts by blob id.

    Raises UnreadableDiff for an answer that cannot be read. What lies behind MOST_FILES is not: a few trees that hold
    each other make paths by the hundred thousand, and all of them would take seconds and half a gigabyte.
    """
    lines, targets = dict(islice(_numstat(numstat), MOST_FILES)), symlink_targets or {}
    files = tuple(_file(entry, lines, targets) for entry in islice(_entries(raw), MOST_FILES + 1))
    return Diff(files[:MOST_FILES], complete=len(files) <= MOST_FILES)


def symlink_oids(raw: bytes) -> tuple[str, ...]:
    """Blob ids of the symbolic links on the new side; their contents are the targets."""
    if _SYMLINK not in raw:  # nearly always, and thousands of entries need not be read twice
        return ()
    return tuple(entry.new_oid for entry in islice(_entries(raw), MOST_FILES) if entry.new_mode == SYMLINK_MODE)


class _Entry(NamedTuple):
    """An entry of `--raw`."""

    path: str
    status: FileStatus
    previous_path: str | None
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _fields(answer: bytes) -> Iterator[bytes]:
    if answer and not answer.endswith(b"\0"):
        raise UnreadableDiff("git's list of changes does not end with NUL")
    return iter(answer.split(b"\0", _MOST_FIELDS)[:-1])


def _entries(answer: bytes) -> Iterator[_Entry]:
    fields = _fields(answer)
    for header in fields:
        try:
            old_mode, new_mode, old_oid, new_oid, word = header.decode("ascii").removeprefix(":").split(" ")
            status = STATUSES[word[0]]
            first = _text(next(fields))
            moved = status in _TWO_PATHS
            path, previous = (_text(next(fields)), first) if moved else (first, None)
        except (ValueError, KeyError, IndexError, StopIteration) as wrong:
            raise UnreadableDiff(f"git's list of changes has an unknown entry {header[:80]!r}") from wrong
        yield _Entry(path, status, previous, sys.intern(old_mode), sys.intern(new_mode), old_oid, new_oid)


def _numstat(answer: bytes) -> Iterator[tuple[str, Lines]]:
    fields = _fields(answer)
    for field in fields:
        try:
            added, deleted, path = field.split(b"\t", 2)
            if not path:  # renamed: the two paths follow as fields of their own
                next(fields)
                path = next(fields)
            binary = added == b"-"
            yield _text(path), Lines(0 if binary else int(added), 0 if binary else int(deleted), binary)
        except (ValueError, StopIteration) as wrong:
            raise UnreadableDiff(f"git's line counts have an unknown entry {field[:80]!r}") from wrong


def _file(entry: _Entry, lines: Mapping[str, Lines], targets: Mapping[str, str]) -> ChangedFile:
    return ChangedFile(*entry, *lines.get(entry.path, _NONE), targets.get(entry.new_oid))
