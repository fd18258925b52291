# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""The serial queue's rows. Every change says what it changes from, so that one who looked too long ago changes nothing.

Times are the caller's, because the queue's limits are judged by the same clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text
from policies.serial import Entry

COLUMNS = (
    "repository_id, number, installation_id, target_ref, head_sha, asked_by, joined_at, since, state, priority, "
    "despite_freeze, trial_base, trial_sha, trial_ref, held_sha, reason, errored_since"
)
OWN = "repository_id = %s and number = %s"
# A branch that is left, and a commit where the check may be green, stay known until they have been seen to.
JOIN = """
insert into serial_entries (repository_id, number, installation_id, target_ref, head_sha, asked_by, joined_at, since,
  state, priority, despite_freeze)
values (%s, %s, %s, %s, %s, %s, %s, %s, 'waiting', %s, %s)
on conflict (repository_id, number) do update set
  installation_id = excluded.installation_id, target_ref = excluded.target_ref, head_sha = excluded.head_sha,
  asked_by = excluded.asked_by, joined_at = excluded.joined_at, since = excluded.since, state = 'waiting',
  priority = excluded.priority, despite_freeze = excluded.despite_freeze, trial_base = null, trial_sha = null,
  reason = '', errored_since = null
"""
# Whoever gives a turn or holds one waits for the other first: a condition on other rows alone sees them as they were.
LOCK = """
select from serial_entries where repository_id = %s
  and target_ref = (select target_ref from serial_entries where repository_id = %s and number = %s)
order by number for update
"""
GIVE_TURN = """
update serial_entries set state = 'turn', since = %(now)s, errored_since = null
where repository_id = %(repository)s and number = %(number)s and state = 'trying' and trial_sha = %(trial)s
  and not exists (
    select from serial_entries other
    where other.repository_id = %(repository)s and other.target_ref = serial_entries.target_ref
      and other.number <> %(number)s and (other.state = 'turn' or other.held_sha is not null))
"""


async def find(connection: Connection, repository_id: int, number: int) -> Entry | None:
    rows = await _read(connection, OWN, repository_id, number)
    return rows[0] if rows else None


async def of_target(connection: Connection, repository_id: int, target_ref: str) -> list[Entry]:
    return await _read(connection, "repository_id = %s and target_ref = %s", repository_id, target_ref)


async def of_repository(connection: Connection, repository_id: int) -> list[Entry]:
    return await _read(connection, "repository_id = %s", repository_id)


async def of_trial(connection: Connection, repository_id: int, sha: str) -> list[Entry]:
    """Entries whose trial is this commit."""
    return await _read(connection, "repository_id = %s and trial_sha = %s", repository_id, sha)


async def _read(connection: Connection, where: LiteralString, *parameters: int | str) -> list[Entry]:
    cursor = connection.cursor(row_factory=class_row(Entry))
    await cursor.execute(f"select {COLUMNS} from serial_entries where {where} order by joined_at, number", parameters)
    return await cursor.fetchall()


async def join(connection: Connection, entry: Entry) -> None:
    """Take a place, or another one: a new head has no claim to the place of the old one."""
    await connection.execute(
        JOIN,
        (
            *(entry.repository_id, entry.number, entry.installation_id, text(entry.target_ref), entry.head_sha),
            *(text(entry.asked_by), entry.joined_at, entry.since, entry.priority, entry.despite_freeze),
        ),
    )


async def leave(connection: Connection, repository_id: int, number: int, now: datetime) -> None:
    await connection.execute(
        f"update serial_entries set state = 'gone', since = %s where {OWN} and state <> 'gone'",
        (now, repository_id, number),
    )


async def hold(connection: Connection, repository_id: int, number: int, head_sha: str) -> bool:
    """About to make the check green on this head; false when it is not this head's turn any more."""
    cursor = await connection.execute(
        f"update serial_entries set held_sha = head_sha where {OWN} and head_sha = %s and state = 'turn' "
        "and (held_sha is null or held_sha = head_sha)",
        (repository_id, number, head_sha),
    )
    return cursor.rowcount == 1


async def release(connection: Connection, repository_id: int, number: int, sha: str) -> None:
    """The check is known not to be green on this commit."""
    await connection.execute(
        f"update serial_entries set held_sha = null where {OWN} and held_sha = %s", (repository_id, number, sha)
    )


async def begin_trial(connection: Connection, entry: Entry, now: datetime) -> bool:
    """Remember the trial of `entry` before it is made on GitHub; false when the entry has moved on meanwhile."""
    cursor = await connection.execute(
        "update serial_entries set state = 'trying', since = %s, trial_base = %s, trial_sha = %s, trial_ref = %s, "
        f"errored_since = null where {OWN} and head_sha = %s and state = 'waiting'",
        (
            *(now, entry.trial_base, entry.trial_sha, text(entry.trial_ref)),
            *(entry.repository_id, entry.number, entry.head_sha),
        ),
    )
    return cursor.rowcount == 1


async def take_back(connection: Connection, entry: Entry, now: datetime) -> None:
    """It waits again; what was tried stays known until another trial, for whoever asks what a landing was."""
    await connection.execute(
        "update serial_entries set state = 'waiting', since = %s, errored_since = null "
        f"where {OWN} and head_sha = %s and state in ('trying', 'turn')",
        (now, entry.repository_id, entry.number, entry.head_sha),
    )


async def give_turn(connection: Connection, entry: Entry, now: datetime) -> bool:
    """False while another one of the target has the turn, or may still be green."""
    await connection.execute(LOCK, (entry.repository_id, entry.repository_id, entry.number))
    cursor = await connection.execute(
        GIVE_TURN,
        {"now": now, "repository": entry.repository_id, "number": entry.number, "trial": entry.trial_sha},
    )
    return cursor.rowcount == 1


async def refuse(connection: Connection, entry: Entry, reason: str, now: datetime) -> None:
    await connection.execute(
        f"update serial_entries set state = 'refused', since = %s, reason = %s where {OWN} and head_sha = %s "
        "and state in ('waiting', 'trying', 'turn')",
        (now, text(reason), entry.repository_id, entry.number, entry.head_sha),
    )


async def note_errored(connection: Connection, entry: Entry, since: datetime | None) -> None:
    await connection.execute(
        f"update serial_entries set errored_since = %s where {OWN} and head_sha = %s",
        (since, entry.repository_id, entry.number, entry.head_sha),
    )


async def forget_branch(connection: Connection, entry: Entry) -> None:
    """The branch of a trial is deleted."""
    await connection.execute(
        f"update serial_entries set trial_ref = '' where {OWN} and trial_ref = %s",
        (entry.repository_id, entry.number, entry.trial_ref),
    )


async def clear_away(connection: Connection, repository_id: int, numbers: Sequence[int]) -> None:
    """Drop those that have left and left nothing behind."""
    await connection.execute(
        "delete from serial_entries where repository_id = %s and number = any(%s) and state = 'gone' "
        "and held_sha is null and trial_ref = ''",
        (repository_id, sorted(numbers)),
    )
