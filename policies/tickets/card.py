"""The one comment of the gate on a ticket: its first line says where it is and what is next. Pure.

It is written anew when something changes that a person decides by, not for every minute and cent: those are asked for
with `/status`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from policies.escape import code, inert
from policies.tickets.limits import Limits
from policies.tickets.states import State
from policies.tickets.words import WORDS, Language, Words

MOST_MISSES = 20
MOST_OVERLAPS = 10
LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class CardQuestion:
    """An open question; `safe` is what happens if nobody answers."""

    ordinal: int
    question: str
    options: tuple[str, ...]
    safe: str


@dataclass(frozen=True, slots=True)
class Card:
    """What the comment tells. `misses` are reasons why the issue as it reads now is not ready; logins are bare."""

    language: Language
    state: State
    reason: str  # of the newest change; empty where it says nothing new
    misses: tuple[str, ...] = ()
    edited: bool = False
    accepted_by: str | None = None
    digest: str | None = None
    revision: int = 0
    limits: Limits | None = None
    worst_together: Decimal | None = None  # with all accepted tickets
    overlaps: tuple[int, ...] = ()
    agent: str | None = None
    attempt: int = 0
    pull_number: int | None = None
    held_by: str | None = None
    paused: bool = False
    brake_by: str | None = None
    questions: tuple[CardQuestion, ...] = ()
    brought_up: str = ""  # Markdown of the gate's own matter that people must decide


def card_text(card: Card) -> str:
    """Markdown for GitHub. No line of it begins with a command, and nothing in it mentions anybody."""
    words = WORDS[card.language]
    return "\n".join([*_head(card, words), *_notes(card, words), *_body(card, words)])


def card_digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _head(card: Card, words: Words) -> Iterator[str]:
    verdict, following = words.states[card.state]
    if card.state is State.DRAFT and card.misses:
        verdict, following = words.unready[0].format(len(card.misses)), words.unready[1]
    elif card.state is State.DRAFT:
        verdict, following = words.ready
    yield f"**{verdict}.** {following}"
    if card.reason and card.state not in (State.DRAFT, State.WAITING):
        yield from ("", inert(card.reason, LONGEST_WORD))
    for miss in card.misses[:MOST_MISSES]:
        yield f"- {inert(miss)}"
    if len(card.misses) > MOST_MISSES:
        yield f"- +{len(card.misses) - MOST_MISSES}"


def _notes(card: Card, words: Words) -> Iterator[str]:
    notes = []
    if card.edited:
        notes.append(words.edited)
    if card.held_by is not None:
        notes.append(words.held.format(code(card.held_by)))
    if card.paused:
        notes.append(words.paused)
    if card.brake_by is not None:
        notes.append(words.brake.format(code(card.brake_by)))
    for note in notes:
        yield from ("", f"⚠️ {note}")


def _body(card: Card, words: Words) -> Iterator[str]:
    if card.brought_up:
        yield from ("", card.brought_up)
    yield from _questions(card, words)
    yield ""
    if card.limits is not None:
        held = card.limits
        yield f"- {words.limits}: {held.minutes} {words.minutes}, {held.attempts} {words.attempts}, {held.cost} USD"
    if card.limits is not None and card.worst_together is not None:
        yield f"- {words.worst.format(card.limits.cost, card.worst_together)}"
    if card.overlaps:
        yield f"- {words.overlaps}: {', '.join(f'#{number}' for number in card.overlaps[:MOST_OVERLAPS])}"
    if card.agent is not None:
        yield f"- {words.agent}: {code(card.agent)} ({card.attempt})"
    if card.pull_number is not None:
        yield f"- {words.pull}: #{card.pull_number}"
    if card.accepted_by is not None and card.digest is not None:
        yield f"- {words.snapshot}: {code(card.accepted_by)}, {card.revision}, {code(card.digest[:19])}"


def _questions(card: Card, words: Words) -> Iterator[str]:
    if card.questions:
        yield from ("", f"**{words.questions}**")
    for one in card.questions:
        yield f"{one.ordinal}. {inert(one.question)}"
        yield from (f"   - {inert(option, LONGEST_WORD)}" for option in one.options)
        yield f"   - `/answer {one.ordinal} …` · {inert(one.safe, LONGEST_WORD)}"
