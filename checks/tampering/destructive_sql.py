"""SQL that takes data away, in migrations and other SQL files, read by a parser and not by words.

Only statements that begin with a word that can take data away are parsed, so that a file of many megabytes of INSERTs
costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

# It would write every statement that it does not know, hostile as it is, into the log.
sqlglot.parser.logger.disabled = True

MOST_STATEMENTS = 200  # of one file that are parsed; a file with more is called destructive as it is
LONGEST_STATEMENT = 8_000  # characters

# A statement's parts up to the semicolon, with comments and texts as one token each; no alternative looks back.
_PART = re.compile(
    r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|`[^`]*(?:`|\Z)|"
    r"\$\$(?:[^$]|\$(?!\$))*(?:\$\$|\Z)|;|[^;'\"`$/\-]+|.",
    re.DOTALL,
)
_MAY_DESTROY = re.compile(r"\s*(?:DROP|TRUNCATE|DELETE|ALTER|UPDATE)\b", re.IGNORECASE)


def destructive_statements(sql: str) -> Iterator[tuple[int, str, str]]:
    """Line, statement and what it takes away, for every statement that does. Never raises."""
    parsed = 0
    for line, statement in _statements(sql):
        if _MAY_DESTROY.match(statement) is None:
            continue
        parsed += 1
        if parsed > MOST_STATEMENTS:
            yield line, statement[:LONGEST_STATEMENT], f"more than {MOST_STATEMENTS} statements that may take data away"
            return
        what = _destroys(statement)
        if what is not None:
            yield line, statement, what


def _statements(sql: str) -> Iterator[tuple[int, str]]:
    """Statements without comments, with the line on which each begins."""
    parts: list[str] = []
    line = begin = 1
    for part in _PART.findall(sql):
        text = part if parts else part.lstrip()
        if part == ";":
            yield begin, "".join(parts).strip()
            parts = []
        elif text and not text.startswith(("--", "/*")):
            begin = begin if parts else line + part.count("\n") - text.count("\n")
            parts.append(text)
        line += part.count("\n")
    yield begin, "".join(parts).strip()


def _destroys(statement: str) -> str | None:
    tree = _parsed(statement[:LONGEST_STATEMENT])
    if isinstance(tree, exp.Drop) and tree.args.get("kind") in _HOLDS_DATA:
        return f"drops a {tree.args['kind'].lower()}"
    if isinstance(tree, exp.TruncateTable):
        return "empties a table"
    if isinstance(tree, exp.Delete) and tree.args.get("where") is None:
        return "deletes every row"
    if isinstance(tree, exp.Alter) and any(_drops_column(action) for action in tree.args.get("actions") or ()):
        return "drops a column"
    return _by_words(statement) if tree is None else None


_HOLDS_DATA = frozenset({"TABLE", "DATABASE", "SCHEMA", "TABLESPACE", "KEYSPACE"})


def _drops_column(action: object) -> bool:
    return isinstance(action, exp.Drop) and action.args.get("kind") in ("COLUMN", None)


def _parsed(statement: str) -> exp.Expr | None:
    """In the first dialect that knows it; None for what none of them can read."""
    for dialect in _DIALECTS:
        try:
            tree = sqlglot.parse_one(statement, dialect=dialect)
        except (SqlglotError, RecursionError):
            continue
        if not isinstance(tree, exp.Command):
            return tree
    return None


_DIALECTS = ("postgres", "mysql", "tsql")


def _by_words(statement: str) -> str | None:
    """For what no dialect reads: rather once too often."""
    return "takes data away" if _WORDS.match(statement) else None


_WORDS = re.compile(
    r"\s*(?:DROP\s+(?:TABLE|DATABASE|SCHEMA)|TRUNCATE|DELETE\s+FROM(?!.*\bWHERE\b)|ALTER\s+TABLE\b.*\bDROP\s+COLUMN)\b",
    re.IGNORECASE | re.DOTALL,
)
