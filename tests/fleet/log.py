"""The event log of a night as plain rows, read with statements of its own: what the recounts are made from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, LiteralString

from app.store.database import Database

CHANGES: LiteralString = "select number, from_state, to_state, event, attempt, at from ticket_transitions order by id"
RUNS: LiteralString = (
    "select number, attempt, claimed_at, started_at, ended_at, outcome, cost, cost_kind from ticket_runs order by id"
)
TICKETS: LiteralString = "select number, state, max_minutes, max_attempts, max_cost, pull_number from tickets"
# A question that went up bears its cause; one that did not is a question, and a matter of the gate's own is itself.
ASKED: LiteralString = """
select q.number, coalesce(e.cause, 'question'), q.fingerprint, q.asked_at from ticket_questions q
left join ticket_escalations e on (e.repository_id, e.number, e.ordinal) = (q.repository_id, q.number, q.ordinal)
union all select number, cause, matter, opened_at from ticket_escalations where ordinal is null order by 4
"""
SAID: LiteralString = (
    "select number, body, author_login, created_at from ticket_commands where outcome in ('done', 'told') "
    "order by done_at, comment_id"
)


@dataclass(frozen=True)
class Changed:
    number: int
    before: str
    after: str
    event: str
    attempt: int
    at: datetime


@dataclass(frozen=True)
class Tried:
    number: int
    attempt: int
    claimed_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    cost: Decimal | None
    cost_kind: str


@dataclass(frozen=True)
class Held:
    """A ticket as it stands; limits that a person set, else None."""

    number: int
    state: str
    minutes: int | None
    attempts: int | None
    cost: Decimal | None
    pull: int | None


@dataclass(frozen=True)
class Log:
    """`asked` has number, cause, what and time, `said` number, words, login and time. The oldest first."""

    changes: list[Changed]
    tries: list[Tried]
    tickets: dict[int, Held]
    asked: list[tuple[Any, ...]]
    said: list[tuple[Any, ...]]

    @cached_property
    def said_to(self) -> dict[int, list[tuple[str, datetime]]]:
        found: dict[int, list[tuple[str, datetime]]] = {}
        for number, words, _, at in self.said:
            found.setdefault(number, []).append((words, at))
        return found

    @cached_property
    def by_ticket(self) -> dict[int, list[Changed]]:
        found: dict[int, list[Changed]] = {number: [] for number in self.tickets}
        for one in self.changes:
            found[one.number].append(one)
        return found


async def read_log(database: Database) -> Log:
    held = [Held(*row) for row in await database.query(TICKETS)]
    return Log(
        [Changed(*row) for row in await database.query(CHANGES)],
        [Tried(*row) for row in await database.query(RUNS)],
        {one.number: one for one in held},
        await database.query(ASKED),
        await database.query(SAID),
    )
