"""Modules of Rust that a crate no longer names: their file is still there, but its tests are compiled no more.

https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version

_MODULE = re2.compile(rb"(?m)^[ \t]*((?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([^)\n]*\))? +)?mod +(\w+) *;)")


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Of kind `test-uncollected`: a module for tests without the line that made it one of the crate."""
    gone = {change.before.path for change in changes if change.before is not None and change.after is None}
    gone |= {change.before.path for change in changes if change.before and change.after and len(change.paths) > 1}
    for change in changes:
        if change.before is None or change.after is None or not change.before.path.endswith(".rs"):
            continue
        named = _modules(change.after)
        for name, line in _modules(change.before).items():
            files = (f"{name}.rs", f"{name}/mod.rs")
            if name not in named and "test" in line and not any(path.endswith(files) for path in gone):
                reason = f"The module `{name}` is no part of the crate any more, so that tests in it are not compiled."
                yield Alteration(
                    "test-uncollected", change.after.path, None, line, "", reason, Weight.FAILED, subject=name
                )


def _modules(side: Version) -> dict[str, str]:
    """Names of modules in files of their own, each with its declaration."""
    found = _MODULE.findall(side.data or b"")
    return {name.decode("utf-8", "replace"): line.decode("utf-8", "replace")[:300] for line, name in found}
