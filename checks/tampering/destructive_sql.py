"""SQL that takes data away, in migrations and other SQL files, read by a parser and not by words.

Only statements that begin with a word that can take data away are parsed, so that a file of many megabytes of INSERTs
costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.simplify import simplify

from checks.tampering.sql_statements import statements

# It would write every statement that it does not know, hostile as it is, into the log.
sqlglot.parser.logger.disabled = True

MOST_STATEMENTS = 200  # of one file that are parsed; a file with more is called destructive as it is
LONGEST_STATEMENT = 8_000  # characters

_MAY_DESTROY = re.compile(
    r"\s*(?:DROP|TRUNCATE|DELETE|ALTER|UPDATE|CREATE\s+OR\s+REPLACE|WITH\b(?=.*\b(?:DELETE|UPDATE)\b)|"
    r"(?:DO|BEGIN|DECLARE|IF|WHILE|EXEC|EXECUTE|EXPLAIN|PREPARE|SET)\b(?=.*\b(?:DROP|TRUNCATE|DELETE|ALTER|UPDATE)\b))\b",
    re.IGNORECASE | re.DOTALL,
)


def destructive_statements(sql: str) -> Iterator[tuple[int, str, str]]:
    """Line, statement and what it takes away, for every statement that does. Never raises."""
    parsed = 0
    for line, statement in statements(sql):
        if _MAY_DESTROY.match(statement) is None:
            continue
        parsed += 1
        if parsed > MOST_STATEMENTS:
            yield line, statement[:LONGEST_STATEMENT], f"more than {MOST_STATEMENTS} statements that may take data away"
            return
        what = _destroys(statement)
        if what is not None:
            yield line, statement, what


def _destroys(statement: str) -> str | None:
    if _RUNS_OTHERS.match(statement) is not None:
        return _of_block(statement[:LONGEST_STATEMENT])
    tree = _parsed(statement[:LONGEST_STATEMENT])
    if tree is None:
        return _by_words(statement)
    if isinstance(tree, exp.Alter):
        return next(filter(None, map(_of_action, tree.args.get("actions") or ())), None)
    return _of_table(tree)


# Statements that carry out others, which stand in them as code or as text.
_RUNS_OTHERS = re.compile(r"\s*(?:DO|BEGIN|DECLARE|IF|WHILE|EXEC|EXECUTE|EXPLAIN|PREPARE|SET)\b", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?<!\bON )(?<!\bFOR )(?<!\bBEFORE )(?<!\bAFTER )(?<!\bOR )\b(?:DROP|TRUNCATE|DELETE|ALTER|UPDATE)\b[^;'$]*",
    re.IGNORECASE,
)


def _of_block(statement: str) -> str | None:
    found = _WITHIN.findall(" ".join(statement.split()))[:_MOST_WITHIN]
    return next(filter(None, map(_by_words, found)), None)


_MOST_WITHIN = 50


def _of_table(tree: exp.Expr) -> str | None:
    if isinstance(tree, exp.Drop) and tree.args.get("kind") in _HOLDS_DATA:
        return f"drops a {tree.args['kind'].lower()}"
    if isinstance(tree, exp.Drop) and tree.args.get("cascade") and tree.args.get("kind") in _HOLDS_COLUMNS:
        return f"drops a {tree.args['kind'].lower()} and the columns that depend on it"
    if isinstance(tree, exp.TruncateTable):
        return "empties a table"
    if isinstance(tree, exp.Create) and tree.args.get("replace") and tree.args.get("kind") in _HOLDS_DATA:
        return f"replaces a {tree.args['kind'].lower()}"
    for change in tree.find_all(exp.Delete, exp.Update):  # also below `WITH`
        if _takes_every_row(change):
            return "deletes every row" if isinstance(change, exp.Delete) else "overwrites every row"
    return None


_HOLDS_DATA = frozenset({"TABLE", "DATABASE", "SCHEMA", "TABLESPACE", "KEYSPACE"})
_HOLDS_COLUMNS = frozenset({"TYPE", "DOMAIN", "EXTENSION"})
_MOST_NODES = 300  # of a condition that is worked out


def _takes_every_row(tree: exp.Expr) -> bool:
    """Without a condition, or with one that says nothing about the rows, such as `1 = 1`."""
    where = tree.args.get("where")
    if where is None:
        return True
    condition = where.this.unnest()
    if isinstance(condition, exp.EQ) and condition.left == condition.right:
        return True
    return _always_holds(condition)


def _always_holds(condition: exp.Expr) -> bool:
    """What names no column holds for every row or for none; which one is worked out where that can be done."""
    if sum(1 for _ in islice(condition.walk(), _MOST_NODES)) == _MOST_NODES:
        return False
    try:
        worked_out = simplify(condition.copy())
    except (SqlglotError, RecursionError, ArithmeticError, ValueError):  # its authors promise nothing
        return False
    if isinstance(worked_out, exp.Boolean | exp.Literal):
        return worked_out.this not in (False, "0")
    return worked_out.find(exp.Column, exp.Table) is None


def _of_action(action: exp.Expr) -> str | None:
    if isinstance(action, exp.Drop) and action.args.get("kind") in ("COLUMN", None):
        return "drops a column"
    if isinstance(action, exp.ModifyColumn):
        return _narrows(action.this.args.get("kind"))
    return _narrows(action.args.get("dtype")) if isinstance(action, exp.AlterColumn) else None


def _narrows(kind: exp.Expr | None) -> str | None:
    """What a column held before is not known here, so that only the widest types lose nothing for certain."""
    if kind is None or (isinstance(kind, exp.DataType) and kind.this in _WIDEST and not kind.expressions):
        return None
    return "changes a column's type, which cuts or loses what does not fit"


_KINDS = exp.DataType.Type
_WIDEST = frozenset(
    {
        _KINDS.TEXT,
        _KINDS.LONGTEXT,
        _KINDS.VARCHAR,
        _KINDS.BIGINT,
        _KINDS.DOUBLE,
        _KINDS.DECIMAL,
        _KINDS.JSON,
        _KINDS.JSONB,
    }
    | {_KINDS.LONGBLOB, _KINDS.VARBINARY, _KINDS.TIMESTAMPTZ}
)


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
    r"\s*(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|OWNED)|TRUNCATE|DELETE\s+FROM(?!.*\bWHERE\b)|UPDATE\b(?!.*\bWHERE\b)|"
    r"ALTER\s+TABLE\b.*\b(?:DROP\s+(?:COLUMN|PARTITION)|TRUNCATE\s+PARTITION|MODIFY|ALTER\s+COLUMN\b.*\bTYPE))\b",
    re.IGNORECASE | re.DOTALL,
)
