"""Test files in languages that no adapter reads: only a person can tell what a change of one means.

New files, moved ones and pure additions of lines that do not look like a way out are let through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.languages import adapter_for
from checks.tampering.places import extension, is_test_path

_CODE = frozenset(
    (
        *(
            "php",
            "phpt",
            "kt",
            "kts",
            "scala",
            "swift",
            "c",
            "cc",
            "cpp",
            "cxx",
            "h",
            "hpp",
            "m",
            "mm",
            "ex",
            "exs",
            "erl",
        ),
        *(
            "pl",
            "pm",
            "t",
            "lua",
            "dart",
            "sh",
            "bash",
            "bats",
            "r",
            "jl",
            "clj",
            "cljs",
            "hs",
            "ml",
            "fs",
            "fsx",
            "vb",
        ),
        *("groovy", "nim", "zig", "d", "elm", "vue", "svelte", "feature", "robot", "tcl", "f90", "pas", "cr", "java"),
        *("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "rb", "cs"),
    )
)
_WAY_OUT = re2.compile(
    r"(?i)\b(?:skip\w*|mark\w*skip\w*|ignore\w*|disabled?|todo|pending|incomplete|only|return|exit|die|abort|xit|"
    r"x?describe|if|try|catch|rescue|false)\b|#\s*if|/\*|__END__|=begin|__halt_compiler"
)


def alterations(changes: Iterable[Change]) -> Iterator[Alteration]:
    for change in changes:
        before, after = change.before, change.after
        if before is None or before.data is None or not _is_foreign_test(before.path):
            continue
        if after is None:
            yield _alteration(before.path, "; ".join(_lines(before)), "")
        elif after.data is not None:
            yield from _changed(before, after)


def _is_foreign_test(path: str) -> bool:
    return is_test_path(path) and extension(path) in _CODE and adapter_for(path) is None


def _changed(before: Version, after: Version) -> Iterator[Alteration]:
    old, new = Counter(_lines(before)), Counter(_lines(after))
    gone, added = old - new, new - old
    ways_out = [line for line in added if _WAY_OUT.search(line)]
    if gone or ways_out or not is_test_path(after.path):
        yield _alteration(after.path, "; ".join(gone), "; ".join(ways_out))


def _lines(side: Version) -> list[str]:
    text = (side.data or b"").decode(errors="replace")
    return [line for line in map(str.strip, text.splitlines()) if line]


def _alteration(path: str, before: str, after: str) -> Alteration:
    reason = f"Tests in {path} are changed; their language is not analysed, so that a person has to look."
    before, after = before[:LONGEST_QUOTE], after[:LONGEST_QUOTE]
    return Alteration("test-file-unread", path, None, before, after, reason, Weight.PERSON, subject=path)
