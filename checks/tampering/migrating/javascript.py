"""Migrations of knex, Sequelize and TypeORM, in JavaScript or TypeScript.

https://knexjs.org/guide/migrations.html, https://sequelize.org/docs/v6/other-topics/migrations/,
https://typeorm.io/docs/migrations/why: an `up` and a `down` each.
"""

from __future__ import annotations

from typing import Any

import re2

from checks.tampering.migrating.missing import Missing, at

# `exports.up =`, `up: …`, `module.exports = {up(…) {`, `public async up(…): … {`, `export const up: Type =`.
_HEAD = r"(?m)^[ \t]*(?:(?:module\.)?exports\.|(?:module\.exports|[\w={ \t])*[ \t{])?"
_UP, _DOWN = (re2.compile(rf"{_HEAD}{word}[ \t]*(?:[=:]|\([^)]*\)[^;\n{{]*\{{)") for word in ("up", "down"))
_BLANK = r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*+[^*/])*\*+/)*"
_IDLE = r"(?:(?:return|await)\s+Promise\.resolve\(\)\s*;?|return\s*;?|throw\b[^;}]*;?)?"
_IDLE_DOWN = re2.compile(
    r"\bdown[ \t]*(?:(?:(?::[^=\n]*)?=|:)\s*)?(?:async\s*)?(?:function\b\s*\w*\s*)?(?:\([^)]*\)|\w+)\s*"
    rf"(?:(?::[^{{=;\n]*)?(?:=>\s*)?\{{{_BLANK}{_IDLE}{_BLANK}\}}|=>\s*Promise\.resolve\(\))"
    r"|\bdown\s*[=:]\s*(?:null|false|undefined)\b"
)


def missing(data: bytes) -> Missing | None:
    """None where there is a way back, or no migration."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    up = _UP.search(text)
    if up is None:
        return None
    idle = _IDLE_DOWN.search(text)
    if idle is not None:
        return at(text, idle.start(), "Its `down` does nothing, or refuses.")
    return None if _DOWN.search(text) else at(text, _end(up), "It has an `up` and no `down`.")


def _end(found: Any) -> int:
    """Where `up` stands, which the match may lead to over blank lines."""
    end: int = found.end()
    return end - 1
