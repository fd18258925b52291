"""An issue's body cut at its headings, as a Markdown parser sees them: a heading within a code block is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

from checks.tickets.words import FIELD_OF, FieldName, folded

LONGEST = 65_536  # bytes, which is what GitHub lets an issue's body have
NO_RESPONSE = "_No response_"  # what GitHub writes for a field of a form that was left empty


class TooLong(ValueError):
    """The body is longer than GitHub lets it be."""


@dataclass(frozen=True, slots=True)
class Sections:
    """`fields` are texts by field; `notes` are unknown headings with theirs; `twice` are fields that came again."""

    fields: Mapping[FieldName, str]
    notes: Mapping[str, str]
    twice: tuple[FieldName, ...]


def read_sections(body: str) -> Sections:
    """Raises TooLong. Order does not matter; what stands before the first heading belongs to no field."""
    if len(body.encode("utf-8", "surrogatepass")) > LONGEST:
        raise TooLong(f"it is longer than {LONGEST} bytes")
    fields: dict[FieldName, str] = {}
    notes: dict[str, str] = {}
    twice: list[FieldName] = []
    for heading, text in _cut(body):
        name = FIELD_OF.get(folded(heading))
        if name is None:
            notes[heading] = text
        elif name in fields:
            twice.append(name)
        else:
            fields[name] = "" if text == NO_RESPONSE else text
    return Sections(fields, notes, tuple(twice))


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _cut(body: str) -> Iterator[tuple[str, str]]:
    """Headings written with `#` at the margin, each with the text up to the next one."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    lines = text.split("\n")
    tokens = _markdown().parse(text)
    starts = [
        (token.map[0], token.map[1], tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.markup.startswith("#") and token.map
    ]
    ends = [begin for begin, _, _ in starts] + [len(lines)]
    for number, (_, after, heading) in enumerate(starts, start=1):
        yield heading.strip(), "\n".join(lines[after : ends[number]]).strip()
