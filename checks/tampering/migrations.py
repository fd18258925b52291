"""Database migrations that a change adds without their way back.

What is honest practice holds nothing by itself: it raises the risk, and `checks.rollback` asks how to go back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change, Version
from checks.tampering.migrating import javascript, python, ruby, sql
from checks.tampering.migrating.missing import Missing
from checks.tampering.places import extension, is_test_path

KIND = "migration-without-way-back"
_SCRIPTS = frozenset({"js", "cjs", "mjs", "ts", "cts", "mts"})
_READ = _SCRIPTS | {"py", "rb", "sql"}
_FOLDER = re2.compile(r"(?:.*/)?(?:migrations?|migrate)/.*")
_TOO_LARGE = Missing(1, "", "It is too large to be read, so that no way back is seen.")


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of weight RISK. Never raises for what a change holds."""
    return few_of_each(_alterations(changes))


def _alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    before, after = _sql([change.before for change in changes]), _sql([change.after for change in changes])
    for change in changes:
        found = _missing(change.after, after)
        if found is None or _missing(change.before, before) is not None:
            continue
        path, quote = change.paths[0], found.source[:LONGEST_QUOTE]
        yield Alteration(KIND, path, found.line, "", quote, found.reason, Weight.RISK, path, "migration")


def _sql(versions: Sequence[Version | None]) -> sql.Files:
    there = [each for each in versions if each is not None and extension(each.path) == "sql"]
    return sql.files_of({_plain(each.path): each.data for each in there})


def _missing(version: Version | None, files: sql.Files) -> Missing | None:
    kind = "" if version is None else extension(version.path)
    if version is None or kind not in _READ or is_test_path(version.path):
        return None
    path = _plain(version.path)
    in_folder = _FOLDER.fullmatch(path) is not None
    if version.data is None:
        return _TOO_LARGE if in_folder else None
    if kind in _SCRIPTS:
        return javascript.missing(version.data) if in_folder else None
    if kind == "sql":
        return sql.missing(path, version.data, files)
    return ruby.missing(version.data) if kind == "rb" else python.missing(version.data)


def _plain(path: str) -> str:
    """The engine takes no lone surrogates, and `.` ends at a line break."""
    return path.replace("\n", " ").encode("utf-8", "replace").decode()
