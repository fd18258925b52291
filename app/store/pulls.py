# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What the gate remembers of pull requests and merge groups between two looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import class_row, dict_row

from app.store.database import Connection
from app.store.stored import json, records, text


@dataclass(frozen=True, slots=True)
class PullRow:
    """One pull request as last seen.

    `wants` is what its head's check runs should show because of it, as JSON; `errored_since` maps a check run's name to
    the ISO time since when it could not look; `enqueued_entry` is the queue entry that the gate made for
    `enqueued_head` and did not take back.
    """

    repository_id: int
    number: int
    installation_id: int
    head_sha: str
    head_ref: str
    base_ref: str
    open: bool
    kind: str = "agent"
    seen_at: datetime | None = None
    head_seen_at: datetime | None = None
    wants: list[dict[str, Any]] = field(default_factory=list)
    errored_since: dict[str, str] = field(default_factory=dict)
    enqueued_entry: str | None = None
    enqueued_head: str | None = None
    requests: int = 0
    judged: bool = False  # whether there was a verdict on this head towards this base
    head_repository_id: int | None = None  # given to `note_head`, not kept in the row
    changed_at: datetime | None = None  # GitHub's newest stamp as it was read
    target_sha: str | None = None  # the tip of the branch that it aims at


@dataclass(frozen=True, slots=True)
class Stamps:
    """What a listing is compared with. `changed_at` and `target_sha` are None where an older version looked last."""

    number: int
    head_sha: str
    base_ref: str
    seen_at: datetime
    changed_at: datetime | None
    target_sha: str | None
    queued: bool  # by the gate


@dataclass(frozen=True, slots=True)
class GroupRow:
    repository_id: int
    head_sha: str
    installation_id: int
    target_ref: str
    errored_since: dict[str, str] = field(default_factory=dict)
    first_seen_at: datetime | None = None
    looks_without: int = 0  # looks in a row at which the queue did not show it


@dataclass(frozen=True, slots=True)
class PullBase:
    """A pull request had this commit as its head while it aimed at this base (full ref).

    `head_repository_id` is None for a fork that was deleted.
    """

    repository_id: int
    number: int
    head_sha: str
    base_ref: str
    head_repository_id: int | None


_PULL = (
    "repository_id, number, installation_id, head_sha, head_ref, base_ref, open, kind, seen_at, head_seen_at, wants, "
    "errored_since, enqueued_entry, enqueued_head, requests, judged, changed_at, target_sha"
)
_GROUP = "repository_id, head_sha, installation_id, target_ref, errored_since, first_seen_at, looks_without"


async def find_pull(connection: Connection, repository_id: int, number: int) -> PullRow | None:
    cursor = connection.cursor(row_factory=class_row(PullRow))
    await cursor.execute(
        f"select {_PULL} from pulls where repository_id = %s and number = %s",
        (repository_id, number),
    )
    return await cursor.fetchone()


async def open_pulls_with_head(connection: Connection, repository_id: int, head_sha: str) -> list[PullRow]:
    """Open pull requests whose head is this commit, by number."""
    return await _open(connection, "head_sha = %s", repository_id, head_sha)


async def open_pulls_of_branch(connection: Connection, repository_id: int, ref: str) -> list[PullRow]:
    """Open pull requests into or from this branch (full ref), by number."""
    return await _open(connection, "(base_ref = %s or head_ref = %s)", repository_id, ref, ref)


async def open_pulls(connection: Connection, repository_id: int) -> list[PullRow]:
    return await _open(connection, "true", repository_id)


async def open_stamps(connection: Connection, repository_id: int) -> list[Stamps]:
    """Of the pull requests that are open as far as is known."""
    cursor = connection.cursor(row_factory=class_row(Stamps))
    await cursor.execute(
        "select number, head_sha, base_ref, seen_at, changed_at, target_sha, enqueued_entry is not null as queued "
        "from pulls where repository_id = %s and open",
        (repository_id,),
    )
    return await cursor.fetchall()


async def _open(connection: Connection, where: LiteralString, *parameters: int | str) -> list[PullRow]:
    cursor = connection.cursor(row_factory=class_row(PullRow))
    sql = f"select {_PULL} from pulls where repository_id = %s and open and {where} order by number"
    await cursor.execute(sql, parameters)
    return await cursor.fetchall()


async def note_head(connection: Connection, row: PullRow) -> None:
    """Remember which commit is whose head as soon as it is seen; what was judged stays only for the same head."""
    await note_bases(connection, [_base_of(row)])
    await connection.execute(
        "insert into pulls (repository_id, number, installation_id, head_sha, head_ref, base_ref, open, kind, "
        "changed_at, target_sha) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
        "on conflict (repository_id, number) do update set installation_id = excluded.installation_id, "
        "head_sha = excluded.head_sha, head_ref = excluded.head_ref, base_ref = excluded.base_ref, "
        "open = excluded.open, seen_at = now(), "
        "changed_at = excluded.changed_at, target_sha = excluded.target_sha, "
        "head_seen_at = case when pulls.head_sha = excluded.head_sha then pulls.head_seen_at else now() end, "
        "judged = pulls.judged and (pulls.head_sha, pulls.base_ref) = (excluded.head_sha, excluded.base_ref), "
        "wants = case when pulls.head_sha = excluded.head_sha then pulls.wants else '[]' end, "
        "errored_since = case when pulls.head_sha = excluded.head_sha then pulls.errored_since else '{}' end",
        (
            *(row.repository_id, row.number, row.installation_id, row.head_sha),
            *(row.head_ref, row.base_ref, row.open, row.kind, row.changed_at, row.target_sha),
        ),
    )


async def note_bases(connection: Connection, bases: Sequence[PullBase]) -> None:
    """Remember them for good, in the order of their keys, so that no two writers deadlock."""
    ordered = sorted(bases, key=lambda each: (each.repository_id, each.number, each.head_sha, each.base_ref))
    if not ordered:
        return
    rows = [
        {
            "repository_id": each.repository_id,
            "number": each.number,
            "head_sha": text(each.head_sha),
            "base_ref": text(each.base_ref),
            "head_repository_id": each.head_repository_id,
        }
        for each in ordered
    ]
    # One statement for many: nearly every delivery brings one.
    await connection.execute(
        "insert into pull_heads (repository_id, number, head_sha, base_ref, head_repository_id) "
        "select repository_id, number, head_sha, base_ref, head_repository_id from rows from (json_to_recordset(%s) "
        "as (repository_id bigint, number bigint, head_sha text, base_ref text, head_repository_id bigint)) "
        "with ordinality as given (repository_id, number, head_sha, base_ref, head_repository_id, at) order by at "
        "on conflict do nothing",
        (records(rows),),
    )


def _base_of(row: PullRow) -> PullBase:
    return PullBase(row.repository_id, row.number, row.head_sha, row.base_ref, row.head_repository_id)


async def numbers_with_other_base(connection: Connection, row: PullRow) -> tuple[int, ...]:
    """Pull requests, open or not, that ever had this head from the same repository and another base."""
    cursor = await connection.execute(
        "select distinct number from pull_heads where repository_id = %s and head_sha = %s "
        "and head_repository_id = %s and base_ref not in (%s, '') order by number",
        (row.repository_id, row.head_sha, row.head_repository_id, row.base_ref),
    )
    return tuple(found[0] for found in await cursor.fetchall())


async def save_judgement(
    connection: Connection,
    row: PullRow,
    *,
    kind: str,
    wants: list[dict[str, Any]],
    errored_since: dict[str, str],
    requests: int,
) -> bool:
    """Store what a verdict wants of this pull request's head, and what it cost; False when the head moved meanwhile."""
    cursor = await connection.execute(
        "update pulls set kind = %s, wants = %s, errored_since = %s, requests = requests + %s, seen_at = now(), "
        "judged = base_ref = %s "
        "where repository_id = %s and number = %s and head_sha = %s",
        (
            *(kind, json(wants), json(errored_since), requests, row.base_ref),
            *(row.repository_id, row.number, row.head_sha),
        ),
    )
    return cursor.rowcount == 1


async def save_enqueued(
    connection: Connection, repository_id: int, number: int, entry_id: str | None, head_sha: str | None
) -> None:
    """Remember the queue entry that the gate made; no entry yet when it is about to ask for one; None for both when
    it took the entry back."""
    await connection.execute(
        "update pulls set enqueued_entry = %s, enqueued_head = %s where repository_id = %s and number = %s",
        (entry_id, head_sha, repository_id, number),
    )


async def note_entries(connection: Connection, repository_id: int, entries: Sequence[tuple[int, str]]) -> None:
    """Entries (pull request number, entry) found in the queue, for the pull requests whose enqueueing was begun and
    never noted: the gate died in between. Entries that the gate did not ask for are not remembered."""
    await connection.cursor().executemany(
        "update pulls set enqueued_entry = %s "
        "where repository_id = %s and number = %s and enqueued_entry is null and enqueued_head is not null",
        [(entry_id, repository_id, number) for number, entry_id in sorted(entries)],
    )


async def earlier_heads(connection: Connection, repository_id: int, number: int) -> list[str]:
    """Commits that carry an open check run of ours, or a turn that was given to them, were a head of this pull request
    and are nobody's head now."""
    cursor = connection.cursor(row_factory=dict_row)
    await cursor.execute(
        "select distinct c.head_sha from check_runs c join pull_heads h "
        "on h.repository_id = c.repository_id and h.head_sha = c.head_sha "
        "where h.repository_id = %(repository)s and h.number = %(number)s "
        "and (c.status <> 'completed' or (c.name = 'mergegate/queue' and c.conclusion = 'success')) "
        "and not exists (select 1 from pulls p "
        "where p.repository_id = c.repository_id and p.head_sha = c.head_sha and p.open)",
        {"repository": repository_id, "number": number},
    )
    return [row["head_sha"] for row in await cursor.fetchall()]


async def find_group(connection: Connection, repository_id: int, head_sha: str) -> GroupRow | None:
    cursor = connection.cursor(row_factory=class_row(GroupRow))
    await cursor.execute(
        f"select {_GROUP} from merge_groups where repository_id = %s and head_sha = %s",
        (repository_id, head_sha),
    )
    return await cursor.fetchone()


async def note_group(connection: Connection, row: GroupRow) -> None:
    """Remember a group at first sight; what is known of it already stays."""
    await connection.execute(
        "insert into merge_groups (repository_id, head_sha, installation_id, target_ref) values (%s, %s, %s, %s) "
        "on conflict do nothing",
        (row.repository_id, row.head_sha, row.installation_id, row.target_ref),
    )


async def save_group_errors(
    connection: Connection, repository_id: int, head_sha: str, errored_since: dict[str, str]
) -> None:
    """Since when each check of the group could not look; empty when all could."""
    await connection.execute(
        "update merge_groups set errored_since = %s, seen_at = now() where repository_id = %s and head_sha = %s",
        (json(errored_since), repository_id, head_sha),
    )


async def note_group_look(connection: Connection, repository_id: int, head_sha: str, *, shown: bool) -> None:
    """Count the looks in a row at which the queue did not show the group."""
    await connection.execute(
        "update merge_groups set looks_without = case when %s then 0 else looks_without + 1 end "
        "where repository_id = %s and head_sha = %s",
        (shown, repository_id, head_sha),
    )
