"""Boards of any size: a ticket of every state in turn, at one moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from policies.tickets.board import Board, BoardRow, Progress
from policies.tickets.escalation import Cause
from policies.tickets.limits import Limits, Used
from policies.tickets.states import State

NOW = datetime(2026, 11, 30, 7, 42, tzinfo=UTC)
HOUR = timedelta(hours=1)
LIMITS = Limits(90, 3, Decimal("8.00"))
EMPTY = Board("en", "https://github.example/acme/shop", NOW, (), Decimal("41.2"), Decimal(120), Decimal(80))
ONE = BoardRow(12, State.RUNNING, NOW - HOUR, "low", LIMITS, Used(31.4, 1, Decimal("1.5")), "claude", 13)
ASKS = replace(
    ONE,
    state=State.NEEDS_HUMAN,
    cause=Cause.REQUIREMENT_CONFLICT,
    said="Round up or down?",
    address="https://github.example/acme/shop/issues/12#issuecomment-1",
)
STATES = [state for state in State if state is not State.DRAFT]


def row_of(number: int) -> BoardRow:
    """A ticket of a fleet, every state in turn."""
    state = STATES[number % len(STATES)]
    return BoardRow(
        number,
        state,
        NOW - timedelta(minutes=7 * number),
        ("low", "medium", "high", "critical")[number % 4],
        LIMITS,
        Used(number % 90, 1 + number % 3, Decimal(number % 8)),
        ("claude", "codex", None)[number % 3],
        number + 5_000 if number % 2 else None,
        _cause(number, state),
        "which of the two shall hold?" if state is State.NEEDS_HUMAN else "`pytest` fails",
        f"https://github.example/acme/shop/issues/{number}#issuecomment-{number}",
        uncertain=number % 5 == 0,
        progress=Progress(2, 7, 40, silent=number % 11 == 0),
        waits_for=(number - 1,) if number % 2 else (),
        title=f"Round prices of shop {number}",
    )


def _cause(number: int, state: State) -> Cause | None:
    if state is State.STOPPING:
        return Cause.STOP_UNCONFIRMED if number % 4 == 0 else None
    return (None, *Cause)[number % 5] if state is State.NEEDS_HUMAN else None


def fleet(count: int) -> Board:
    return replace(EMPTY, rows=tuple(row_of(number) for number in range(1, count + 1)))
