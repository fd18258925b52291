"""How far the version of a dependency moves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import takewhile


class MoreThanVersions(ValueError):
    """A file changes more than versions; the message goes on after the file's name."""


class Step(IntEnum):
    """How far a version moves. OTHER is no step up at all: a new package, a way back, versions that cannot be read."""

    PATCH = 1
    MINOR = 2
    MAJOR = 3
    OTHER = 4


@dataclass(frozen=True, slots=True)
class DependencyUpdate:
    """`before` is None for a package that is new, `after` for one that is gone."""

    path: str
    name: str
    before: str | None
    after: str | None

    @property
    def step(self) -> Step:
        if self.after is None:
            return Step.PATCH
        return Step.OTHER if self.before is None else _step(self.before, self.after)

    @property
    def words(self) -> str:
        if self.before is None:
            return f"{self.name} {self.after} is new in {self.path}"
        return f"{self.name} goes from {self.before} to {self.after} in {self.path}"


def _step(before: str, after: str) -> Step:
    old, new = numbers(before), numbers(after)
    if not old or not new or new < old:
        return Step.OTHER
    if len(old) < 2 or len(new) < 2 or _is_preview(after):
        return Step.MAJOR
    # Before 1.0 a minor step may break as much as a major one: https://semver.org/#spec-item-4
    if old[0] != new[0] or (old[0] == 0 and old[1] != new[1]):
        return Step.MAJOR
    return Step.MINOR if old[1] != new[1] else Step.PATCH


def numbers(version: str) -> tuple[int, ...]:
    """The release's numbers, at most six, up to the first part that cannot be read as one."""
    release = version.lstrip("vV=").split("+")[0].split("-")[0]
    parts = release.split(".")[:6]
    return tuple(int(part) for part in takewhile(_is_number, parts))


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) < 12


def _is_preview(version: str) -> bool:
    return any(character.isalpha() for character in version.lstrip("vV").split("+")[0])
