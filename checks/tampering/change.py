"""Both sides of a changed file, with the bytes: what the analysis reads and the snapshot does not carry."""

from __future__ import annotations

from dataclasses import dataclass

from checks.diff import FileStatus

LARGEST_FILE = 1024 * 1024  # bytes of one side; a larger one is not analysed, and that is said


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a changed file. `data` is None for what was not read: a submodule, or more than `LARGEST_FILE`."""

    path: str
    mode: str  # git's six octal digits
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Change:
    """`before` is None for an added file, `after` for a removed one."""

    status: FileStatus
    before: Version | None
    after: Version | None

    @property
    def paths(self) -> tuple[str, ...]:
        """The new path first, then the old one where it is another."""
        sides = (side.path for side in (self.after, self.before) if side is not None)
        return tuple(dict.fromkeys(sides))
