"""Migrations of Rails: https://guides.rubyonrails.org/active_record_migrations.html (`change`, `up`, `down`)."""

from __future__ import annotations

import re2

from checks.tampering.migrating.missing import Missing, at

_COMMENT = re2.compile(r"(?m)^[ \t]*#.*$")
_REFUSED = re2.compile(r"\bIrreversibleMigration\b")
_UP = re2.compile(r"(?m)^\s*def (?:self\.)?up\b")
_DOWN = re2.compile(r"(?m)^\s*def (?:self\.)?down\b")
_IDLE_DOWN = re2.compile(r"(?m)^\s*def (?:self\.)?down\b(?:\s|;)*(?:(?:nil|true|return)\s)?\s*end\b")
_CHANGE = re2.compile(r"(?m)^\s*def change\b")
_BOTH_WAYS = re2.compile(r"\b(?:reversible|up_only|revert)\b")
# What `change` cannot turn round: raw SQL, a column's new type, a column without its type, a table without its columns.
_ONE_WAY = re2.compile(
    r"(?m)^\s*(?:\w+\.)?(?:execute[ (]|change_column[ (]|remove_columns?[ (][^,\n]*,[^,\n]*$|drop_table\b[^\n|{]*$)"
)


def missing(data: bytes) -> Missing | None:
    """None where there is a way back, or no migration."""
    if b"ActiveRecord::Migration" not in data:
        return None
    text = _COMMENT.sub("", data.decode("utf-8", "replace").replace("\r\n", "\n"))
    for pattern, reason in ((_REFUSED, "It says itself that it cannot go back."), (_IDLE_DOWN, "Its `down` is empty.")):
        if (found := pattern.search(text)) is not None:
            return _told(text, found, reason)
    up = _UP.search(text)
    if up is not None:
        return None if _DOWN.search(text) else _told(text, up, "It has an `up` and no `down`.")
    one_way = _ONE_WAY.search(text) if _CHANGE.search(text) and not _BOTH_WAYS.search(text) else None
    return None if one_way is None else _told(text, one_way, "Rails cannot turn this step of its `change` round.")


def _told(text: str, found: object, reason: str) -> Missing:
    """The line where the match ends, for it may begin with blank ones."""
    span: tuple[int, int] = found.span()  # type: ignore[attr-defined]  # re2 has no types
    matched = text[span[0] : span[1]]
    return at(text, span[0] + len(matched) - len(matched.lstrip()), reason)
