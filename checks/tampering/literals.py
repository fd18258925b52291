"""Texts and numbers that stand in product code, and which of them a change takes away or sets to others.

An option, a route or a key of the settings has no name that a program defines: it is a text in quotes, or a key.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from checks.tampering.change import Change, Version
from checks.tampering.places import extension

_QUOTED = re.compile(rb"\"([^\"\n\\]{3,100}+)\"|'([^'\n\\]{3,100}+)'|`([^`\n\\]{3,100}+)`")
_KEY = re.compile(rb"(?m)^[ \t]*+[\"']?([\w.\-]{4,60}+)[\"']?[ \t]*+[:=]")
_SETTINGS = frozenset({"yml", "yaml", "toml", "ini", "cfg", "env", "properties", "conf"})
_OPTION = re.compile(r"-{1,2}\w[\w\-]*")
_LITERAL = re.compile(r"\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'|(?<![\w.])\d++(?:\.\d++)?+(?![\w.])")
# Plain words are everywhere (`"name"`); what has a sign in it, or is long, stands for one thing.
_TELLING = re.compile(r".*[-/_.:].*|.{12,}")
_LONGEST_LINE = 500  # characters
_SHORTEST = 4


def vanished_literals(changes: Sequence[Change]) -> frozenset[str]:
    """Of files that lost more lines than they got, and of no other changed file now."""
    shrunk = [change for change in changes if _lines(change.before) > _lines(change.after)]
    before = frozenset().union(*(_literals(change.before) for change in shrunk))
    return before.difference(*(_literals(change.after) for change in changes)) if before else before


def is_of(text: str, literals: frozenset[str]) -> bool:
    """Whether a text of a test is one of the literals, or a path or option with one as its beginning or end."""
    if text in literals or text.partition("=")[0] in literals:
        return True
    text = text.partition("?")[0].rstrip("/")
    starts = (text[:at] for at in range(_SHORTEST, len(text) + 1) if text[at : at + 1] in "/")
    ends = (text[at:] for at in range(1, len(text) - _SHORTEST) if text[at] == "/")
    return text[:1] == "/" and any(part in literals for part in (*starts, *ends))


def has_other_constants(before: Iterable[str], after: Iterable[str]) -> bool:
    """Whether one line became another by nothing but other numbers or texts in it."""
    old: dict[str, set[str]] = defaultdict(set)
    for line in _short(before):
        old[_LITERAL.sub("\0", line)].add(line)
    return any("\0" in (form := _LITERAL.sub("\0", line)) and old.get(form, set()) - {line} for line in _short(after))


def _short(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if len(line) <= _LONGEST_LINE)


def _lines(side: Version | None) -> int:
    return 0 if side is None or side.data is None else side.data.count(b"\n")


def _literals(side: Version | None) -> frozenset[str]:
    if side is None or side.data is None:
        return frozenset()
    texts = [next(filter(None, match.groups(b""))) for match in _QUOTED.finditer(side.data)]
    keys = _KEY.findall(side.data) if extension(side.path) in _SETTINGS or side.path.endswith(".env") else []
    telling = filter(_TELLING.fullmatch, (text.decode("utf-8", "replace") for text in texts))
    found = [*telling, *(key.decode() for key in keys)]
    # `--dry-run/--no-dry-run` of click, `-f, --force` of others
    options = [option for text in found if text[0] == "-" for option in _OPTION.findall(text)]
    return frozenset(text for text in (*found, *options) if len(text) >= _SHORTEST)
