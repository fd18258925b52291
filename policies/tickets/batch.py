"""Batches: one ticket as a template, and a table of rows that makes its children alike but for their words.

The template is an issue's body with a section `Rows`, which holds one Markdown table. `{column}` in the template stands
for the row's word. What all children share is the template's digest, so nobody can make one of them drift unseen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import re2

from checks.tickets.sections import NO_RESPONSE, TooLong, read_sections
from checks.tickets.words import HEADINGS, folded

ROWS = ("Rows", "行", "数据行")
MOST_ROWS = 200
MOST_COLUMNS = 20
LONGEST_WORD = 500
_ROWS_FOLDED = frozenset(folded(word) for word in ROWS)
_COLUMN = re2.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")
_RULE = re2.compile(r":?-+:?")
_PLACE = re2.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,29})\}")


class NoBatch(ValueError):
    """Why no children can be made; the message says what to write otherwise."""


@dataclass(frozen=True, slots=True)
class Child:
    """One child: its title and body, which is a ticket of its own."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Batch:
    """`template` is the digest of what all children share."""

    template: str
    children: tuple[Child, ...]


def batch_of(title: str, body: str) -> Batch:
    """The children of a template, in the order of their rows. Raises NoBatch."""
    shared, rows = _cut(body)
    columns, words = _table(rows)
    named = set(_PLACE.findall(f"{title}\n{shared}"))
    if named != set(columns):
        missing = ", ".join(sorted(named ^ set(columns)))
        raise NoBatch(f"columns and `{{places}}` must be the same; these stand on one side only: {missing}")
    digest = "sha256:" + hashlib.sha256(f"{title}\0{shared}".encode("utf-8", "surrogatepass")).hexdigest()
    children = tuple(_child(title, shared, dict(zip(columns, row, strict=True))) for row in words)
    if len({child.body for child in children}) != len(children):
        raise NoBatch("two rows are the same; take one of them out")
    return Batch(digest, children)


def _cut(body: str) -> tuple[str, str]:
    """The body put together again without its section of rows, and that section's text."""
    try:
        sections = read_sections(body)
    except TooLong as wrong:
        raise NoBatch(str(wrong)) from None
    if sections.twice:
        raise NoBatch("a heading stands there more than once")
    rows = [text for heading, text in sections.notes.items() if folded(heading) in _ROWS_FOLDED]
    if len(rows) != 1:
        raise NoBatch("a batch has one section `### Rows` with a table; write one")
    kept = [(HEADINGS[name][0], text or NO_RESPONSE) for name, text in sections.fields.items()]
    kept += [(heading, text) for heading, text in sections.notes.items() if folded(heading) not in _ROWS_FOLDED]
    return "\n\n".join(f"### {heading}\n\n{text}" for heading, text in kept), rows[0]


def _table(rows: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    lines = [_cells(line) for line in rows.split("\n") if line.strip()]
    if len(lines) < 3 or not all(_RULE.fullmatch(cell) for cell in lines[1]):
        raise NoBatch("the rows are a Markdown table: a line of columns, a line of dashes, and one line a child")
    columns, words = lines[0], lines[2:]
    if len(columns) > MOST_COLUMNS or len(words) > MOST_ROWS:
        raise NoBatch(f"a batch has at most {MOST_ROWS} rows of at most {MOST_COLUMNS} columns")
    if len(set(columns)) != len(columns) or not all(_COLUMN.fullmatch(column) for column in columns):
        raise NoBatch("each column has a name of its own: letters, digits and `_`")
    uneven = next((number for number, row in enumerate(words, start=1) if len(row) != len(columns)), None)
    if uneven is not None:
        raise NoBatch(f"row {uneven} has {len(words[uneven - 1])} words for {len(columns)} columns")
    if any(not word or len(word) > LONGEST_WORD for row in words for word in row):
        raise NoBatch(f"each word of a row has 1 to {LONGEST_WORD} characters")
    return columns, tuple(words)


def _cells(line: str) -> tuple[str, ...]:
    """`\\|` within a cell is a bar: https://github.github.com/gfm/#tables-extension-"""
    bare = line.strip().replace("\\|", "\0").removeprefix("|").removesuffix("|")
    return tuple(cell.strip().replace("\0", "|") for cell in bare.split("|"))


def _child(title: str, shared: str, words: Mapping[str, str]) -> Child:
    return Child(_filled(title, words), _filled(shared, words))


def _filled(text: str, words: Mapping[str, str]) -> str:
    """Every place filled once: a row's word is never read for places again."""
    pieces, end = [], 0
    for place in _PLACE.finditer(text):
        pieces += [text[end : place.start()], words[place.group(1)]]
        end = place.end()
    return "".join([*pieces, text[end:]])
