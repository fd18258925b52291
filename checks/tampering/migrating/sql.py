"""Migrations in SQL: two sections of one file, or two files.

Sections: https://pressly.github.io/goose/documentation/annotations/, https://github.com/amacneil/dbmate (`migrate:up`),
https://github.com/rubenv/sql-migrate (`+migrate Up`). Files: golang-migrate and diesel (`…up.sql`, `…down.sql`),
https://documentation.red-gate.com/flyway (`V2__x.sql`, `U2__x.sql`), and Prisma, which has none of its own but says
how to make a `down.sql`: https://www.prisma.io/docs/orm/prisma-migrate/workflows/generating-down-migrations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import re2

from checks.tampering.migrating.missing import Missing, at

_UP = re2.compile(r"(?im)^[ \t]*--[ \t]*(?:\+goose[ \t]+up|migrate:up|\+migrate[ \t]+up)\b.*$")
_DOWN = re2.compile(r"(?im)^[ \t]*--[ \t]*(?:\+goose[ \t]+down|migrate:down|\+migrate[ \t]+down)\b.*$")
_COMMENT = re2.compile(r"--[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/")
# A transaction around nothing, and the placeholder of `goose create`.
_IDLE = re2.compile(r"(?i)\b(?:begin(?:\s+transaction)?|commit|rollback|end|select\s+'[^']*'|select\s+1)\s*;")
_PAIRED = re2.compile(r"(?:.*/)?(?:[^/]*\.up\.sql|(?:migrations?|sqls)/(?:[^/]+/)*(?:[^/]*-)?up\.sql)")
_VERSIONED = re2.compile(r"((?:.*/)?)V(\d[\d._]*)__[^/]*\.sql")
_UNDO = re2.compile(r"((?:.*/)?U\d[\d._]*__)[^/]*\.sql")
_PRISMA = re2.compile(r"(?:.*/)?migrations/[^/]+/migration\.sql")


@dataclass(frozen=True, slots=True)
class Files:
    """The SQL files of one side of a change by path, and those that undo a version by the beginning of their path."""

    data: Mapping[str, bytes | None]
    undo: Mapping[str, str]


def files_of(data: Mapping[str, bytes | None]) -> Files:
    return Files(data, {found.group(1): path for path in data if (found := _UNDO.fullmatch(path)) is not None})


def missing(path: str, data: bytes, files: Files) -> Missing | None:
    """None where there is a way back, or no migration. `files` are of the same side of the change."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    up = _UP.search(text)
    if up is not None:
        return _within(text, up.end())
    back = _way_back(path, files)
    if back is None or _is_idle(text):
        return None
    if back not in files.data:
        return Missing(1, text.partition("\n")[0], "No file of the change takes it back.")
    content = files.data[back]
    if content is None or not _is_idle(content.decode("utf-8", "replace")):
        return None
    return Missing(1, text.partition("\n")[0], f"`{back}`, which should take it back, does nothing.")


def _within(text: str, begin: int) -> Missing | None:
    down = _DOWN.search(text, begin)
    forth = text[begin : down.start()] if down else text[begin:]
    if _is_idle(forth):
        return None
    if down is None:
        return at(text, begin - 1, "Nothing follows that takes it back.")
    return at(text, down.start(), "Its way back is empty.") if _is_idle(text[down.end() :]) else None


def _way_back(path: str, files: Files) -> str | None:
    """The path of what takes this migration back, whether or not it is there; None where its name is no migration's."""
    if _PAIRED.fullmatch(path):
        return path.removesuffix("up.sql") + "down.sql"
    if _PRISMA.fullmatch(path):
        return path.removesuffix("migration.sql") + "down.sql"
    versioned = _VERSIONED.fullmatch(path)
    return None if versioned is None else files.undo.get(f"{versioned.group(1)}U{versioned.group(2)}__", "")


def _is_idle(sql: str) -> bool:
    return not _IDLE.sub("", _COMMENT.sub("", sql)).strip(" \t\n\r;")
