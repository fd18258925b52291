"""SQL that a migration in a programming language runs as text: `op.execute("…")`, `RunSQL("…")`, `execute <<~SQL`,
`knex.raw("…")`, `queryRunner.query(`…`)`.

Alembic: https://alembic.sqlalchemy.org/en/latest/ops.html#alembic.operations.Operations.execute; Django:
https://docs.djangoproject.com/en/stable/ref/migration-operations/#runsql; Rails:
https://guides.rubyonrails.org/active_record_migrations.html#when-helpers-aren-t-enough; knex: https://knexjs.org/guide/raw.html.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

import re2

from checks.tampering.places import extension
from checks.tampering.python.source import parse

_SCRIPTS = frozenset({"rb", "js", "cjs", "mjs", "ts", "cts", "mts", "php"})
# What here-documents are called in practice; each ends at its own name alone.
_TAGS = ("SQL", "EOS", "EOF", "EOL", "END", "HEREDOC", "QUERY", "STATEMENT")
_HERE = "|".join(rf"<<[~-]?['\"]?{tag}['\"]?[^\n]*\n(?P<here_{tag}>.*?)\n[ \t]*{tag}\b" for tag in _TAGS)
# Texts of one line or more in quotes of every kind, and Ruby's `%q(…)`.
_TEXT = re2.compile(
    rf"(?s){_HERE}|%[qQ](?:\((?P<round>[^)]*)\)|\{{(?P<curly>[^}}]*)\}}|\[(?P<square>[^\]]*)\])"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>(?:[^'\\\n]|\\.)*)'|`(?P<back>(?:[^`\\]|\\.)*)`"
)
_MOST_TEXTS = 2_000  # of one file
_HOLE = "x"  # what stands for a value that is put in when it runs


def texts(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Line and text of everything that could be SQL. Never raises."""
    kind = extension(path)
    if kind == "py":
        yield from _of_python(data)
    elif kind in _SCRIPTS:
        yield from _of_script(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def _of_python(data: bytes) -> Iterator[tuple[int, str]]:
    source = parse(data)
    if source is None:
        return
    apart = {id(node) for parent in ast.walk(source.tree) for node in _no_text_by_itself(parent)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in apart:
            text = _text(node)
            if text is not None:
                yield node.lineno, text


def _no_text_by_itself(parent: ast.AST) -> Iterator[ast.AST]:
    """What Django's RunSQL runs only to go back, what documents, and the parts of a text that is put together."""
    match parent:
        case ast.Call(func=ast.Name(id="RunSQL") | ast.Attribute(attr="RunSQL"), args=args, keywords=keywords):
            back = (*args[1:2], *(one.value for one in keywords if one.arg == "reverse_sql"))
            yield from (node for value in back for node in ast.walk(value))
        case ast.JoinedStr(values=values):
            yield from values
        case ast.Expr(value=ast.Constant() as text):
            yield text


def _text(node: ast.Constant | ast.JoinedStr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    parts = (part.value if isinstance(part, ast.Constant) else _HOLE for part in node.values)
    return "".join(str(part) for part in parts)


def _of_script(text: str) -> Iterator[tuple[int, str]]:
    """Texts that are put together by `+` are one."""
    begin, end, parts = 0, 0, list[str]()
    for found in islice(_TEXT.finditer(text), _MOST_TEXTS):
        kind = found.lastgroup
        if parts and text[end : found.start()].strip() != "+":
            yield begin, "".join(parts)
            parts = []
        if not parts:
            begin = text.count("\n", 0, found.start()) + 1 + (1 if kind.startswith("here") else 0)
        parts.append(found.group(kind))
        end = found.end()
    if parts:
        yield begin, "".join(parts)
