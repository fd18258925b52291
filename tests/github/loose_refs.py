"""Git's refs as a bare repository keeps them, one file each, without a process."""

from __future__ import annotations

import re
from pathlib import Path

from tests.github.git_objects import ZERO

# Names that no rule of `git check-ref-format` refuses; there are more of them.
PLAIN = re.compile(r"refs(?:/(?!\S*?(?:\.lock|\.)(?:/|$))[A-Za-z0-9_][A-Za-z0-9_.-]*)+")


def read_ref(repository: Path, name: str) -> str | None:
    """The object id of a full ref name, None when there is none."""
    if any(part in ("", ".", "..") for part in name.split("/")):
        return None
    loose = repository / name
    if loose.is_file():
        return loose.read_text().strip()
    packed = repository / "packed-refs"
    lines = packed.read_text().splitlines() if packed.is_file() else []
    return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {name}")), None)


def moved(repository: Path, name: str, new: str, expected: str | None) -> bool:
    """Names the commit `new`, if the ref is at `expected` where that is given; all zeros: if there is none.

    Under git's own lock. False where something is in the way: git says what.
    """
    if not PLAIN.fullmatch(name) or ".." in name or (repository / "packed-refs").exists():
        return False
    file = repository / name
    lock = file.with_name(f"{file.name}.lock")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("x") as opened:
            opened.write(f"{new}\n")
    except OSError:
        return False
    try:
        return _replaced(repository, name, lock, expected)
    finally:
        lock.unlink(missing_ok=True)


def _replaced(repository: Path, name: str, lock: Path, expected: str | None) -> bool:
    if expected and (read_ref(repository, name) or ZERO) != expected:
        return False
    try:
        lock.replace(repository / name)
    except OSError:  # a folder of that name
        return False
    return True
