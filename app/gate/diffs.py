"""`git diff-tree --raw -z` and `--numstat -z` to changed files. Pure.

Formats: https://git-scm.com/docs/git-diff#_raw_output_format and `-z` in the same page. Paths are bytes; what is not
UTF-8 is kept with surrogate escapes, so that two different paths never become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checks.snapshot import SYMLINK_MODE, ChangedFile, Diff, FileStatus

STATUSES = {
    "A": FileStatus.ADDED,
    "M": FileStatus.MODIFIED,
    "D": FileStatus.REMOVED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.TYPE_CHANGED,
}

MOST_FILES = 3_000  # GitHub lists no more; beyond it everything is high risk


class UnreadableDiff(ValueError):
    """Git's answer has a shape that its documentation does not describe."""


@dataclass(frozen=True, slots=True)
class Lines:
    additions: int
    deletions: int
    binary: bool


def parse_diff(raw: bytes, numstat: bytes, symlink_targets: Mapping[str, str] | None = None) -> Diff:
    """Changed files in git's order; `symlink_targets` are texts by blob id.

    Raises UnreadableDiff for an answer that cannot be read completely.
    """
    lines = dict(_numstat(numstat))
    files = tuple(_with_lines(file, lines, symlink_targets or {}) for file in _raw(raw))
    return Diff(files[:MOST_FILES], complete=len(files) <= MOST_FILES)


def symlink_oids(raw: bytes) -> tuple[str, ...]:
    """Blob ids of the symbolic links on the new side; their contents are the targets."""
    return tuple(file.new_oid for file in _raw(raw) if file.new_mode == SYMLINK_MODE and file.new_oid)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _fields(answer: bytes) -> Iterator[bytes]:
    parts = answer.split(b"\0")
    if parts[-1]:
        raise UnreadableDiff("git's list of changes does not end with NUL")
    return iter(parts[:-1])


def _raw(answer: bytes) -> Iterator[ChangedFile]:
    fields = _fields(answer)
    for header in fields:
        try:
            old_mode, new_mode, old_oid, new_oid, word = header.decode("ascii").removeprefix(":").split(" ")
            status = STATUSES[word[0]]
            first = _text(next(fields))
            moved = status in (FileStatus.RENAMED, FileStatus.COPIED)
            path, previous = (_text(next(fields)), first) if moved else (first, None)
        except (ValueError, KeyError, StopIteration) as wrong:
            raise UnreadableDiff(f"git's list of changes has an unknown entry {header[:80]!r}") from wrong
        yield ChangedFile(path, status, previous, old_mode, new_mode, old_oid, new_oid)


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


def _with_lines(file: ChangedFile, lines: Mapping[str, Lines], targets: Mapping[str, str]) -> ChangedFile:
    counted = lines.get(file.path, Lines(0, 0, False))
    return ChangedFile(
        file.path,
        file.status,
        file.previous_path,
        file.old_mode,
        file.new_mode,
        file.old_oid,
        file.new_oid,
        counted.additions,
        counted.deletions,
        counted.binary,
        targets.get(file.new_oid or ""),
    )
