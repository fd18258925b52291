"""The morning's list of what waits for people: what is uncertain first, and no more than twenty minutes of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from policies.tickets.escalation import Cause
from policies.tickets.escalation_pushes import Hours
from policies.tickets.texts import TEXTS
from policies.tickets.words import Language

MINUTES = 20
RISKS = ("critical", "high", "medium", "low")
READING = (12, 8, 4, 2)  # minutes, in that order
ANSWER = 3  # minutes
OF_USE = timedelta(hours=4)  # what is said in the afternoon is no digest of the morning


@dataclass(frozen=True, slots=True)
class Item:
    """Something that waits for a person. `cause` is None for a result that passed and is to be looked at, and for a
    question (`asks`) of which nobody is told at once.

    `uncertain`: its evidence is not a clear pass. `minutes`: how long it takes to decide about it.
    """

    ticket: int
    risk: str
    since: datetime
    minutes: int
    uncertain: bool
    cause: Cause | None = None
    asks: bool = False


def digest_day(hours: Hours, at: time, since: datetime | None, now: datetime) -> date | None:
    """The day whose digest is due, from its hour on and as long as it is of use; `since` when there is a board."""
    day = hours.day(now)
    due = datetime.combine(day, at, hours.zone).astimezone(UTC)
    if day.weekday() not in hours.days or since is None or since >= due:
        return None
    return day if due <= now < due + OF_USE else None


def minutes_for(risk: str, *, asks: bool) -> int:
    """How long it takes to decide: a question reads fast, a result as long as its risk is grave."""
    return ANSWER if asks else READING[_rank(risk)]


def reading_order(items: Sequence[Item]) -> list[Item]:
    """Uncertain before confident, then grave before slight, then old before new."""
    return sorted(items, key=lambda one: place(one.risk, one.since, one.ticket, uncertain=one.uncertain))


def place(risk: str, since: datetime, ticket: int, *, uncertain: bool) -> tuple[bool, int, datetime, int]:
    """Where something stands among what waits for people: the smallest is read first."""
    return (not uncertain, _rank(risk), since, ticket)


def sized(items: Sequence[Item], minutes: int = MINUTES) -> list[Item]:
    """As many of the first as fit, and the first one always."""
    kept: list[Item] = []
    spent = 0
    for one in reading_order(items):
        spent += one.minutes
        if kept and spent > minutes:
            break
        kept.append(one)
    return kept


def digest_text(items: Sequence[Item], language: Language) -> str:
    """Markdown for one comment; the first line says how much it is."""
    words, kept = TEXTS[language], sized(items)
    if not kept:
        return words["digest_none"]
    head = words["digest"].format(count=len(items), minutes=sum(one.minutes for one in kept))
    lines = [f"**{head}**", ""]
    lines += [f"{ordinal}. {_line(one, language)}" for ordinal, one in enumerate(kept, 1)]
    if len(items) > len(kept):
        lines += ["", words["more"].format(count=len(items) - len(kept))]
    return "\n".join(lines)


def _line(one: Item, language: Language) -> str:
    words = TEXTS[language]
    other = words["h_needs"] if one.asks else words["h_mergeable"]
    what = other if one.cause is None else words[one.cause]
    return " · ".join([f"#{one.ticket}", what, one.risk, *([words["uncertain"]] if one.uncertain else [])])


def _rank(risk: str) -> int:
    """What is not known is grave."""
    return RISKS.index(risk) if risk in RISKS else 0
