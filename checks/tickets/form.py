"""The fields of a ticket with their rules, its canonical form and its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import re2

from checks.paths import PathPatterns
from checks.tickets.sections import Sections, TooLong, read_sections
from checks.tickets.words import ANSWER_OF, ANSWERS, HEADINGS, FieldName, folded

_NUMBER = re2.compile(r"[0-9]{1,6}")
_ISSUE = re2.compile(r"#?([0-9]{1,9})")
_BULLET = re2.compile(r"(?:[-*+]|[0-9]{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
SHORTEST_GOAL, LONGEST_GOAL = 20, 2_000
MOST_LINES = 200
LONGEST_LINE = 500
MOST_ATTEMPTS = 5
MOST_MINUTES = 7 * 24 * 60
MOST_COST = Decimal(10_000)


@dataclass(frozen=True, slots=True)
class TicketForm:
    """A ticket as it was written, every field readable. None where a limit was left to the policy."""

    goal: str
    allowed_paths: tuple[str, ...]
    forbidden_paths: tuple[str, ...]
    done_when: tuple[str, ...]
    verify: tuple[str, ...]
    risk: str
    migration: str
    submit: str
    max_minutes: int | None
    max_attempts: int | None
    max_cost: str | None  # US dollars, with two digits after the point
    depends_on: tuple[int, ...]
    pool: str | None
    unsure: str

    @property
    def fields(self) -> dict[str, Any]:
        """The form as JSON has it: lists, strings, numbers, null."""
        return {name: list(held) if isinstance(held, tuple) else held for name, held in asdict(self).items()}

    @property
    def canonical(self) -> str:
        """JSON with sorted keys and without blanks; the same words always give the same."""
        return json.dumps(self.fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(self.canonical.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that must be written otherwise. `field` is None where it is about the whole."""

    field: FieldName | None
    reason: str

    def __str__(self) -> str:
        return self.reason if self.field is None else f"{HEADINGS[self.field][0]}: {self.reason}"


class Unreadable(ValueError):
    """Why one field is not as it must be."""


def parse_form(body: str) -> TicketForm | tuple[Miss, ...]:
    """The ticket in an issue's body, or everything that is wrong with how it is written."""
    try:
        sections = read_sections(body)
    except TooLong as wrong:
        return (Miss(None, str(wrong)),)
    values: dict[FieldName, Any] = {}
    misses = [Miss(name, "the heading stands there more than once") for name in sections.twice]
    for name, read in _READERS.items():
        try:
            values[name] = read(sections.fields.get(name, ""))
        except Unreadable as wrong:
            misses.append(Miss(name, str(wrong)))
    return tuple(misses) if misses else TicketForm(**values)


def is_ticket(sections: Sections) -> bool:
    """Whether a body is meant as a ticket: by its headings, whatever label or form it came with."""
    return "goal" in sections.fields and len(sections.fields) >= 3


def _goal(text: str) -> str:
    if not SHORTEST_GOAL <= len(text) <= LONGEST_GOAL:
        raise Unreadable(f"it has {len(text)} characters; write one outcome in {SHORTEST_GOAL} to {LONGEST_GOAL}")
    return text


def _lines(text: str) -> Iterator[str]:
    """Lines without blanks around them and without the fences of code."""
    lines = [line.strip() for line in text.split("\n")]
    kept = [line for line in lines if line and not line.startswith(("```", "~~~"))]
    if len(kept) > MOST_LINES or any(len(line) > LONGEST_LINE for line in kept):
        raise Unreadable(f"write at most {MOST_LINES} lines of at most {LONGEST_LINE} characters")
    return iter(kept)


def _patterns(text: str) -> tuple[str, ...]:
    patterns = tuple(dict.fromkeys(_unquoted(line) for line in _items(text)))
    try:
        PathPatterns(patterns)
    except ValueError as wrong:
        raise Unreadable(str(wrong)) from None
    return patterns


def _unquoted(line: str) -> str:
    return line[1:-1].strip() if len(line) > 2 and line[0] == line[-1] == "`" else line


def _items(text: str) -> Iterator[str]:
    for line in _lines(text):
        bullet = _BULLET.fullmatch(line)
        yield bullet.group(1).strip() if bullet else line


def _allowed(text: str) -> tuple[str, ...]:
    patterns = _patterns(text)
    if not patterns:
        raise Unreadable("name at least one path or pattern, one a line")
    return patterns


def _list(text: str) -> tuple[str, ...]:
    return tuple(item for item in _items(text) if item.strip("-*+"))


def _done_when(text: str) -> tuple[str, ...]:
    items = _list(text)
    if not items:
        raise Unreadable("write at least one line that can be checked")
    return items


def _commands(text: str) -> tuple[str, ...]:
    return tuple(_unquoted(line) for line in _lines(text))


def _choice(name: FieldName, default: str | None) -> Callable[[str], str]:
    def read(text: str) -> str:
        kept = ANSWER_OF[name].get(folded(text))
        if kept is not None:
            return kept
        if not text and default is not None:
            return default
        shown = ", ".join(list(ANSWERS[name])[: len(set(ANSWERS[name].values()))])
        raise Unreadable(f"choose one of: {shown}")

    return read


def _whole(least: int, most: int) -> Callable[[str], int | None]:
    def read(text: str) -> int | None:
        if not text:
            return None
        if _NUMBER.fullmatch(text) is None or not least <= int(text) <= most:
            raise Unreadable(f"write a whole number from {least} to {most}")
        return int(text)

    return read


def _cost(text: str) -> str | None:
    if not text:
        return None
    try:
        amount = Decimal(text.removeprefix("$").strip()) if len(text) <= 12 else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 < amount <= MOST_COST:
        raise Unreadable(f"write an amount in US dollars up to {MOST_COST}, for example 8 or 8.50")
    return f"{amount:.2f}"


def _issues(text: str) -> tuple[int, ...]:
    words = text.replace(",", " ").replace("、", " ").split()
    found = [_ISSUE.fullmatch(word) for word in words]
    if len(words) > MOST_LINES or not all(found):
        raise Unreadable("write numbers of issues, for example #12, #13")
    return tuple(sorted({int(one.group(1)) for one in found if one is not None}))


def _pool(text: str) -> str | None:
    if len(text) > 100 or "\n" in text:
        raise Unreadable("write one name")
    return text or None


_READERS: Mapping[FieldName, Callable[[str], Any]] = {
    "goal": _goal,
    "allowed_paths": _allowed,
    "forbidden_paths": _patterns,
    "done_when": _done_when,
    "verify": _commands,
    "risk": _choice("risk", None),
    "migration": _choice("migration", "no"),
    "submit": _choice("submit", "standard"),
    "max_minutes": _whole(1, MOST_MINUTES),
    "max_attempts": _whole(1, MOST_ATTEMPTS),
    "max_cost": _cost,
    "depends_on": _issues,
    "pool": _pool,
    "unsure": _choice("unsure", "stop"),
}
