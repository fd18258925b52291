"""go.sum: https://go.dev/ref/mod#go-sum-files.

A line for a module's `go.mod` alone belongs to a module that is looked at and not built, so it may be new.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from checks.lock_files.locked import Locked, LockFile, UnknownForm, lines

_LINE = re2.compile(r"(\S+) (v[^\s/]+)(/go\.mod)? (h1:[A-Za-z0-9+/]{43}=)")
_THE_PROXY = "the configured proxy"


def read_go_sum(written: str) -> LockFile:
    """Raises UnknownForm."""
    found = list(_found(written))
    if not found:
        raise UnknownForm("no package is seen")
    built = [
        Locked(name, version, _THE_PROXY, frozenset({h}), content=h) for name, version, alone, h in found if not alone
    ]
    pinned = {f"go.mod of {name} {version}": h for name, version, alone, h in found if alone}
    return LockFile(frozenset(built), {}, pinned=pinned)


def _found(written: str) -> Iterator[tuple[str, str, bool, str]]:
    for line in lines(written):
        match = _LINE.fullmatch(line)
        if match is not None:
            yield match[1], match[2], match[3] is not None, match[4]
        elif line.strip():
            raise UnknownForm(f"{line[:80]!r} is no checksum of a module")
