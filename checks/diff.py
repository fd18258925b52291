"""What a pull request changes, path by path, as git tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FileStatus(StrEnum):
    """GitHub's and git's words for what happened to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type-changed"


SYMLINK_MODE = "120000"


SUBMODULE_MODE = "160000"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed path as `git diff --raw -z` and `--numstat` give it (rename detection on).

    `old_mode` and `new_mode` are git's six octal digits, `000000` on the absent side. Additions and deletions are
    lines, 0 for a binary file.
    """

    path: str
    status: FileStatus
    previous_path: str | None = None  # for renamed and copied
    old_mode: str = "100644"
    new_mode: str = "100644"
    old_oid: str | None = None
    new_oid: str | None = None
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    symlink_target: str | None = None  # of the new side

    @property
    def paths(self) -> tuple[str, ...]:
        """Both sides of a rename or copy; a rule that matches either side matches the file."""
        return (self.path,) if self.previous_path is None else (self.path, self.previous_path)


@dataclass(frozen=True, slots=True)
class Diff:
    """Changed files between two trees. `complete` is false when the list was cut; then it is high risk."""

    files: tuple[ChangedFile, ...]
    complete: bool = True
