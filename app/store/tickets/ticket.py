# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""One row a ticket: the issue, where it is, and what is shown of it on GitHub."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import LiteralString

from psycopg.rows import kwargs_row

from app.keys import PullKey
from app.store.database import Connection
from app.store.stored import text
from policies.tickets.states import ACTIVE, ENDED, Position, State


@dataclass(frozen=True, slots=True)
class TicketRow:
    """A ticket as it stands.

    `number` is the issue's, `revision` that of the newest snapshot (0: it was never accepted), `attempts` counts those
    that began. The limits are those that a person set later, None where the snapshot's hold; costs are US dollars.
    `label` and `comment_id` are what the gate wrote on GitHub last.
    """

    repository_id: int
    number: int
    installation_id: int
    title: str
    state: State
    ends_as: State | None
    since: datetime
    first_seen_at: datetime
    form_digest: str | None
    revision: int
    pool: str | None
    attempts: int
    pull_number: int | None
    paused: bool
    stop_now: bool
    split: str | None
    held_by: str | None
    held_because: str | None
    max_minutes: int | None
    max_attempts: int | None
    max_cost: Decimal | None
    label: str | None
    comment_id: int | None
    comment_digest: str | None

    @property
    def position(self) -> Position:
        return Position(self.state, self.ends_as)

    @property
    def held(self) -> bool:
        return self.held_by is not None

    @property
    def pull_key(self) -> str | None:
        """The key under which decisions about its pull request are kept; None where it has none."""
        if self.pull_number is None:
            return None
        return str(PullKey(self.installation_id, self.repository_id, self.pull_number))


@dataclass(frozen=True, slots=True)
class SeenIssue:
    """An issue whose body is meant as a ticket. `form_digest` is None while it cannot be read as a form."""

    repository_id: int
    number: int
    installation_id: int
    title: str
    form_digest: str | None

    def is_kept_in(self, row: TicketRow) -> bool:
        """Whether `note` would change nothing."""
        kept = (row.installation_id, row.title, row.form_digest)
        return kept == (self.installation_id, text(self.title), self.form_digest)


COLUMNS = (
    "repository_id, number, installation_id, title, state, ends_as, since, first_seen_at, form_digest, revision, pool, "
    "attempts, pull_number, paused, stop_now, split, held_by, held_because, max_minutes, max_attempts, max_cost, "
    "label, comment_id, comment_digest"
)
OWN = "repository_id = %s and number = %s"
NOTE = """
insert into tickets (repository_id, number, installation_id, title, form_digest) values (%s, %s, %s, %s, %s)
on conflict (repository_id, number) do update set
  installation_id = excluded.installation_id, title = excluded.title, form_digest = excluded.form_digest
where (tickets.installation_id, tickets.title, tickets.form_digest)
  is distinct from (excluded.installation_id, excluded.title, excluded.form_digest)
"""


async def note(connection: Connection, seen: SeenIssue) -> None:
    """Remember what the issue says now; a new one is a draft."""
    digest = seen.form_digest
    await connection.execute(NOTE, (seen.repository_id, seen.number, seen.installation_id, text(seen.title), digest))


async def find(connection: Connection, repository_id: int, number: int) -> TicketRow | None:
    return await _one(connection, OWN, repository_id, number)


async def find_of_pull(connection: Connection, repository_id: int, pull_number: int) -> TicketRow | None:
    """The ticket that a pull request was made for."""
    return await _one(connection, "repository_id = %s and pull_number = %s", repository_id, pull_number)


async def lock(connection: Connection, repository_id: int, number: int) -> TicketRow | None:
    """The row, held until the transaction ends: whoever else wants to change this ticket waits."""
    return await _one(connection, f"{OWN} for update", repository_id, number)


async def in_states(connection: Connection, repository_id: int, states: Collection[State]) -> list[TicketRow]:
    """Tickets of a repository in any of these states, by number."""
    cursor = connection.cursor(row_factory=kwargs_row(_row))
    await cursor.execute(
        f"select {COLUMNS} from tickets where repository_id = %s and state = any(%s) order by number",
        (repository_id, sorted(states)),
    )
    return await cursor.fetchall()


async def ended_since(connection: Connection, repository_id: int, since: datetime) -> list[TicketRow]:
    """Tickets of a repository that came to their end since then, by number."""
    cursor = connection.cursor(row_factory=kwargs_row(_row))
    await cursor.execute(
        f"select {COLUMNS} from tickets where repository_id = %s and state = any(%s) and since >= %s order by number",
        (repository_id, sorted(ENDED), since),
    )
    return await cursor.fetchall()


async def looked_after(connection: Connection, repository_id: int, most: int = 2_000) -> list[int]:
    """Tickets at work or being stopped, and merged ones that may have stood long enough, the longest first."""
    cursor = await connection.execute(
        "select number from tickets where repository_id = %s and (state = any(%s) "
        "or state = 'merged' and since < now() - interval '1 day') order by since, number limit %s",
        (repository_id, sorted(ACTIVE | {State.STOPPING}), most),
    )
    return [row[0] for row in await cursor.fetchall()]


async def states_of(connection: Connection, repository_id: int, numbers: Collection[int]) -> dict[int, State]:
    """Where these tickets are; one that is not known is missing."""
    cursor = await connection.execute(
        "select number, state from tickets where repository_id = %s and number = any(%s)",
        (repository_id, sorted(numbers)),
    )
    return {number: State(state) for number, state in await cursor.fetchall()}


async def set_pull(connection: Connection, repository_id: int, number: int, pull_number: int) -> None:
    """The pull request of a ticket; a later one takes the place of an earlier one, never that of another ticket."""
    await connection.execute(
        f"update tickets set pull_number = %s where {OWN} and not exists (select from tickets other "
        "where other.repository_id = %s and other.pull_number = %s)",
        (pull_number, repository_id, number, repository_id, pull_number),
    )


async def set_pool(connection: Connection, repository_id: int, number: int, pool: str | None) -> None:
    await connection.execute(
        f"update tickets set pool = %s where {OWN}", (None if pool is None else text(pool), repository_id, number)
    )


async def set_paused(connection: Connection, repository_id: int, number: int, paused: bool) -> None:
    await connection.execute(f"update tickets set paused = %s where {OWN}", (paused, repository_id, number))


async def set_stop_now(connection: Connection, repository_id: int, number: int, now: bool) -> None:
    await connection.execute(f"update tickets set stop_now = %s where {OWN}", (now, repository_id, number))


async def set_split(connection: Connection, repository_id: int, number: int, template: str | None) -> None:
    """Digest of the template whose children are being made; None when they all are."""
    await connection.execute(f"update tickets set split = %s where {OWN}", (template, repository_id, number))


async def set_held(connection: Connection, repository_id: int, number: int, by: str | None, because: str = "") -> None:
    """Hold its pull request out of the queue; `by` None lets it go."""
    values = (None, None) if by is None else (text(by), text(because))
    await connection.execute(
        f"update tickets set held_by = %s, held_because = %s where {OWN}", (*values, repository_id, number)
    )


async def set_limits(
    connection: Connection,
    repository_id: int,
    number: int,
    *,
    minutes: int | None,
    attempts: int | None,
    cost: Decimal | None,
) -> None:
    """What a person set beside the snapshot; None leaves what was set before."""
    await connection.execute(
        "update tickets set max_minutes = coalesce(%s, max_minutes), max_attempts = coalesce(%s, max_attempts), "
        f"max_cost = coalesce(%s, max_cost) where {OWN}",
        (minutes, attempts, cost, repository_id, number),
    )


async def save_label(connection: Connection, repository_id: int, number: int, label: str | None) -> None:
    await connection.execute(f"update tickets set label = %s where {OWN}", (label, repository_id, number))


async def save_comment(connection: Connection, repository_id: int, number: int, comment_id: int, digest: str) -> None:
    await connection.execute(
        f"update tickets set comment_id = %s, comment_digest = %s where {OWN}",
        (comment_id, digest, repository_id, number),
    )


async def _one(connection: Connection, where: LiteralString, *parameters: int) -> TicketRow | None:
    cursor = connection.cursor(row_factory=kwargs_row(_row))
    await cursor.execute(f"select {COLUMNS} from tickets where {where}", parameters)
    return await cursor.fetchone()


def _row(*, state: str, ends_as: str | None, **columns: object) -> TicketRow:
    return TicketRow(state=State(state), ends_as=None if ends_as is None else State(ends_as), **columns)  # type: ignore[arg-type]
