"""The statements of an SQL file, without its comments, as every common database would cut them.

What one database takes for a comment or the end of a text is code to another, so the file is cut in each way in which
it can be read: https://dev.mysql.com/doc/refman/8.4/en/comments.html,
https://dev.mysql.com/doc/refman/8.4/en/string-literals.html,
https://www.postgresql.org/docs/current/sql-syntax-lexical.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A statement's parts up to the semicolon, with comments and texts as one token each; no alternative looks back.
_COMMENTS = r"--[^\n\r]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|"
_REST = r"`[^`]*(?:`|\Z)|\$\$(?:[^$]|\$(?!\$))*(?:\$\$|\Z)|;|[^;'\"`$/\-]+|."
_PART = re.compile(_COMMENTS + r"'(?:[^']|'')*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|" + _REST, re.DOTALL)
# MySQL: a backslash takes the meaning of the quotation mark after it.
_ESCAPING_PART = re.compile(_COMMENTS + r"'(?:[^'\\]|''|\\.)*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)|" + _REST, re.DOTALL)
_ESCAPED_QUOTE = re.compile(r"\\['\"]")
# MySQL and MariaDB carry out what stands in such a comment.
_EXECUTED = re.compile(r"/\*M?!\d{0,6}((?:[^*]|\*(?!/))*)(?:\*/|\Z)")
_HASH_LINE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)


def statements(sql: str) -> Iterator[tuple[int, str]]:
    """Each with the line on which it begins, in every reading once."""
    text = _EXECUTED.sub(r" \1 ", sql.removeprefix("\ufeff"))
    readings = [(text, _PART)]
    if _ESCAPED_QUOTE.search(text) is not None:
        readings.append((text, _ESCAPING_PART))
    if _HASH_LINE.search(text) is not None:
        readings += [(_HASH_LINE.sub("", one), part) for one, part in readings]
    seen: set[tuple[int, str]] = set()
    for one, part in readings:
        for found in _cut(one, part):
            if found not in seen:
                seen.add(found)
                yield found


def _cut(sql: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    parts: list[str] = []
    line = begin = 1
    for part in pattern.findall(sql):
        text = part if parts else part.lstrip()
        if part == ";":
            yield begin, "".join(parts).strip()
            parts = []
        elif text.startswith(("--", "/*")):
            parts += [" "] if parts else []  # it keeps words apart as a blank does
        elif text:
            begin = begin if parts else line + part.count("\n") - text.count("\n")
            parts.append(text)
        line += part.count("\n")
    yield begin, "".join(parts).strip()
