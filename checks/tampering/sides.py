"""Both sides of a change as units of tests, as far as its files hold any, and which of its files could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from checks.diff import SUBMODULE_MODE
from checks.tampering.change import LARGEST_FILE, Change, Version
from checks.tampering.languages import adapter_for, may_hold_tests
from checks.tampering.places import is_test_path
from checks.tampering.units import FileUnits


@dataclass(slots=True)
class Sides:
    """`renamed` are old paths with the new ones. `unread` are paths that may hold tests, with why they are not read."""

    before: list[FileUnits] = field(default_factory=list)
    after: list[FileUnits] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    unread: list[tuple[str, str]] = field(default_factory=list)


def read_sides(changes: Sequence[Change]) -> Sides:
    sides = Sides()
    for change in changes:
        if change.before is not None and change.after is not None:
            sides.renamed[change.before.path] = change.after.path
        sides.unread += _unread(change)
        if any(map(_may_hold_tests, (change.before, change.after))):
            sides.before += _units(change.before)
            sides.after += _units(change.after)
    sides.unread += [
        (file.path, "it cannot be parsed, or holds more than is analysed")
        for file in (*sides.before, *sides.after)
        if not file.parsed
    ]
    sides.unread = list(dict.fromkeys(sides.unread))
    return sides


def _unread(change: Change) -> Iterator[tuple[str, str]]:
    """Sides without content: too large, since a submodule holds no tests of this repository."""
    for side in (change.before, change.after):
        if side is not None and side.data is None and side.mode != SUBMODULE_MODE and _is_read(side.path):
            yield side.path, f"it is larger than {LARGEST_FILE // 1024} KiB"


def _is_read(path: str) -> bool:
    return is_test_path(path) or adapter_for(path) is not None


def _may_hold_tests(side: Version | None) -> bool:
    if side is None or side.data is None or adapter_for(side.path) is None:
        return False
    return may_hold_tests(side.path, side.data)


def _units(side: Version | None) -> Iterator[FileUnits]:
    adapter = adapter_for(side.path) if side is not None else None
    if side is not None and side.data is not None and adapter is not None:
        yield adapter(side.path, side.data)
