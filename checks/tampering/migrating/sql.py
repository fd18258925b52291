"""Migrations in SQL: two sections of one file, or two files.

Sections: https://pressly.github.io/goose/documentation/annotations/, https://github.com/amacneil/dbmate (`migrate:up`),
https://github.com/rubenv/sql-migrate (`+migrate Up`). Files: golang-migrate and diesel (`…up.sql`, `…down.sql`),
https://documentation.red-gate.com/flyway (`V2__x.sql`, `U2__x.sql`), and Prisma, which has none of its own but says
how to make a `down.sql`: https://www.prisma.io/docs/orm/prisma-migrate/workflows/generating-down-migrations.
"""

from __future__ import annotations

from collections.abc import Mapping

import re2

from checks.tampering.migrating.missing import Missing, at

_UP = re2.compile(r"(?im)^[ \t]*--[ \t]*(?:\+goose[ \t]+up|migrate:up|\+migrate[ \t]+up)\b.*$")
_DOWN = re2.compile(r"(?im)^[ \t]*--[ \t]*(?:\+goose[ \t]+down|migrate:down|\+migrate[ \t]+down)\b.*$")
_COMMENT = re2.compile(r"--[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/")
# A transaction around nothing, and the placeholder of `goose create`.
_IDLE = re2.compile(r"(?i)\b(?:begin(?:\s+transaction)?|commit|rollback|end|select\s+'[^']*'|select\s+1)\s*;")
_PAIRED = re2.compile(r"(?:.*/)?(?:[^/]*\.up\.sql|(?:migrations?|sqls)/(?:[^/]+/)*(?:[^/]*-)?up\.sql)")
_VERSIONED = re2.compile(r"((?:.*/)?)V(\d[\d._]*)__[^/]*\.sql")
_PRISMA = re2.compile(r"(?:.*/)?migrations/[^/]+/migration\.sql")


def missing(path: str, data: bytes, others: Mapping[str, bytes | None]) -> Missing | None:
    """None where there is a way back, or no migration. `others` are the files of the same side of the change."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    up = _UP.search(text)
    if up is not None:
        return _within(text, up.end())
    backs = _ways_back(path, others)
    if backs is None or _is_idle(text):
        return None
    if not backs:
        return Missing(1, text.partition("\n")[0], "No file of the change takes it back.")
    if any(others[back] is None or not _is_idle(_text(others[back])) for back in backs):
        return None
    return Missing(1, text.partition("\n")[0], f"`{backs[0]}`, which should take it back, does nothing.")


def _within(text: str, begin: int) -> Missing | None:
    down = _DOWN.search(text, begin)
    forth = text[begin : down.start()] if down else text[begin:]
    if _is_idle(forth):
        return None
    if down is None:
        return at(text, begin - 1, "Nothing follows that takes it back.")
    return at(text, down.start(), "Its way back is empty.") if _is_idle(text[down.end() :]) else None


def _ways_back(path: str, others: Mapping[str, bytes | None]) -> list[str] | None:
    """Those of the paths that take this migration back; None where its name is no migration's."""
    if _PAIRED.fullmatch(path):
        return [back for back in (path.removesuffix("up.sql") + "down.sql",) if back in others]
    if _PRISMA.fullmatch(path):
        return [back for back in (path.removesuffix("migration.sql") + "down.sql",) if back in others]
    versioned = _VERSIONED.fullmatch(path)
    if versioned is None:
        return None
    begin = f"{versioned.group(1)}U{versioned.group(2)}__"
    return [other for other in others if other.startswith(begin)]


def _is_idle(sql: str) -> bool:
    return not _IDLE.sub("", _COMMENT.sub("", sql)).strip(" \t\n\r;")


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
