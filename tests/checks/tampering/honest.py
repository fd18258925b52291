"""Small changes as two trees, read from text files, and as git would list them.

A file of `cases/` says in its first lines what is done and why; a cheating one has a line `kinds:` with the kinds of
alteration that must be found. Then come the files, each under a line of its own:

    >>> before tests/test_cart.py
    >>> after tests/test_cart.py
    >>> both src/cart.py             (the same on both sides, so no part of the change)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from checks.diff import FileStatus
from checks.tampering.change import Change, Version

CASES = Path(__file__).parent / "cases"
_MARK = ">>> "
_ALIKE = 0.5  # what git takes for a rename, see `--find-renames` in https://git-scm.com/docs/git-diff


@dataclass(frozen=True, slots=True)
class Honest:
    """A change. `kinds` is empty for an honest one."""

    name: str
    before: dict[str, str]
    after: dict[str, str]
    kinds: frozenset[str] = field(default=frozenset())

    def changes(self) -> tuple[Change, ...]:
        return changes_between(self.before, self.after)


def honest_cases(language: str) -> list[Honest]:
    """Those of `cases/honest/<language>/*.txt`."""
    return _cases(CASES / "honest" / language)


def cheating_cases(language: str) -> list[Honest]:
    """Those of `cases/cheating/<language>/*.txt`."""
    return _cases(CASES / "cheating" / language)


def _cases(folder: Path) -> list[Honest]:
    found = [read_case(path.stem, path.read_text()) for path in sorted(folder.glob("*.txt"))]
    assert found, f"{folder} holds no cases"
    return found


def read_case(name: str, text: str) -> Honest:
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    trees = {"before": (before,), "after": (after,), "both": (before, after)}
    head, *parts = ("\n" + text).split("\n" + _MARK)
    for part in parts:
        title, _, content = part.partition("\n")
        side, _, path = title.partition(" ")
        for tree in trees[side]:
            tree[path] = content.rstrip("\n") + "\n" if content.strip() else ""
    wanted = [line.removeprefix("kinds:").split() for line in head.splitlines() if line.startswith("kinds:")]
    return Honest(name, before, after, frozenset(kind for kinds in wanted for kind in kinds))


def changes_between(before: dict[str, str], after: dict[str, str]) -> tuple[Change, ...]:
    """What git lists between two trees, renames detected; a path that is the same on both sides is left out."""
    gone = [path for path in before if path not in after]
    new = [path for path in after if path not in before]
    renamed = _renames(before, after, gone, new)
    found = [
        Change(FileStatus.MODIFIED, version(path, before[path]), version(path, after[path]))
        for path in before
        if path in after and before[path] != after[path]
    ]
    for path in gone:
        to = renamed.get(path)
        status = FileStatus.REMOVED if to is None else FileStatus.RENAMED
        found.append(Change(status, version(path, before[path]), None if to is None else version(to, after[to])))
    taken = set(renamed.values())
    found += [Change(FileStatus.ADDED, None, version(path, after[path])) for path in new if path not in taken]
    return tuple(found)


def version(path: str, text: str | bytes) -> Version:
    return Version(path, "100644", text.encode() if isinstance(text, str) else text)


def _renames(before: dict[str, str], after: dict[str, str], gone: list[str], new: list[str]) -> dict[str, str]:
    alike = [(_likeness(before[old], after[to]), old, to) for old in gone for to in new]
    renamed: dict[str, str] = {}
    for likeness, old, to in sorted(alike, reverse=True):
        if likeness >= _ALIKE and old not in renamed and to not in renamed.values():
            renamed[old] = to
    return renamed


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.splitlines(), other.splitlines()).ratio()
