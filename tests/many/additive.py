"""What in a migration an earlier version of the program could not live with while both work on one database.

Read with sqlglot, so that neither a comment nor a text hides a statement; what it cannot read is a fault too.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

# Evaluated once for all rows; with any other default PostgreSQL would write the whole table anew under its lock.
CONSTANT = (exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.CurrentTimestamp, exp.Cast, exp.DataType)
GOES_ALONG = ("on delete cascade", "on delete set null")


def faults(sql: str) -> list[str]:
    """One sentence a fault; none when the migration only adds."""
    statements = [one for one in sqlglot.parse(sql, dialect="postgres") if one is not None]
    made = {_name(one.this) for one in statements if _makes(one, "TABLE")}
    return [fault for one in statements for fault in _of_statement(one, made)]


def _makes(statement: exp.Expr, kind: str) -> bool:
    return isinstance(statement, exp.Create) and statement.kind == kind and statement.expression is None


def _of_statement(statement: exp.Expr, made: set[str]) -> list[str]:
    if _makes(statement, "TABLE"):
        return _of_references(statement, made)
    if _makes(statement, "INDEX"):
        return _of_index(statement, made)
    if isinstance(statement, exp.Alter) and statement.kind == "TABLE":
        return _of_alteration(statement, made)
    if isinstance(statement, exp.Insert) and _name(statement.this) in made:
        return []
    return [f"{_said(statement)}: no table, column or index that is added"]


def _of_references(statement: exp.Expr, made: set[str]) -> list[str]:
    """An earlier program removes rows without knowing who refers to them."""
    return [
        f"{_said(one)}: an earlier program could not remove those rows; on delete cascade or set null"
        for one in statement.find_all(exp.Reference)
        if _name(one.this) not in made and not {str(option).lower() for option in one.args["options"]} & {*GOES_ALONG}
    ]


def _of_index(statement: exp.Expr, made: set[str]) -> list[str]:
    table = _name(statement.this.args["table"])
    if statement.args["unique"] and table not in made:
        return [f"{_said(statement)}: an earlier program may write what is not unique"]
    return []


def _of_alteration(statement: exp.Alter, made: set[str]) -> list[str]:
    table, found = _name(statement.this), list[str]()
    for action in statement.args["actions"]:
        if not isinstance(action, exp.ColumnDef):
            found += [] if table in made else [f"{_said(statement)}: not only a new column"]
        else:
            found += _of_column(action, made) if table not in made else _of_references(action, made)
    return found


def _of_column(column: exp.ColumnDef, made: set[str]) -> list[str]:
    """Of one that is added to a table with rows, into which an earlier program goes on writing."""
    kinds = [constraint.kind for constraint in column.constraints]
    defaults = [kind.this for kind in kinds if isinstance(kind, exp.DefaultColumnConstraint)]
    required = any(isinstance(kind, exp.NotNullColumnConstraint) for kind in kinds)
    allowed = (exp.NotNullColumnConstraint, exp.DefaultColumnConstraint, exp.Reference, exp.CheckColumnConstraint)
    found = _of_references(column, made)
    if required and not defaults:
        found.append(f"{_said(column)}: an earlier program writes rows without it")
    if any(not isinstance(part, CONSTANT) for one in defaults for part in one.walk()):
        found.append(f"{_said(column)}: its default is not the same for all rows")
    if any(not isinstance(kind, allowed) for kind in kinds):
        found.append(f"{_said(column)}: more than a type, a default, a check and a reference")
    if {one.name for one in column.find_all(exp.Column)} - {column.name}:
        found.append(f"{_said(column)}: its check is on columns that an earlier program writes")
    return found


def _name(table: exp.Expr) -> str:
    found = table if isinstance(table, exp.Table) else table.find(exp.Table)
    assert found is not None, table
    return found.name


def _said(statement: exp.Expr) -> str:
    return statement.sql(dialect="postgres")[:120]
