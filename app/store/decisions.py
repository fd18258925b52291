# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Decisions: what was seen, what followed from it, what was planned, and what it cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.rows import class_row, kwargs_row

from app.store.database import Connection
from app.store.stored import deflate, inflate, json, text

# A value as JSON has it: objects, lists, strings, numbers, booleans, null.
Json = Any


@dataclass(frozen=True, slots=True)
class Decision:
    """`snapshot` is bytes as the caller wrote them, `requests` counts GitHub requests by purpose.

    `policy` is the digest of a row of `decided_policies`, `gated` whether the branch was gated by the default branch's
    word; None for both where an earlier version recorded it. `id` and `decided_at` are given by the database; leave
    them None when recording.
    """

    key: str
    repository_id: int
    head_sha: str
    verdict_key: str
    verdict: Json
    snapshot: bytes
    plan: Json
    requests: Mapping[str, int]
    policy: str | None = None
    gated: bool | None = None
    id: int | None = None
    decided_at: datetime | None = None


COLUMNS = "id, key, repository_id, head_sha, verdict_key, verdict, snapshot, plan, requests, policy, gated, decided_at"
RECORD = """
insert into decisions (key, repository_id, head_sha, verdict_key, verdict, snapshot, plan, requests, policy, gated)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) returning id
"""


async def record(connection: Connection, decision: Decision) -> int:
    """Keep a decision; its id."""
    cursor = await connection.execute(
        RECORD,
        (
            text(decision.key),
            decision.repository_id,
            text(decision.head_sha),
            text(decision.verdict_key),
            json(decision.verdict),
            deflate(decision.snapshot),
            json(decision.plan),
            json(dict(decision.requests)),
            decision.policy,
            decision.gated,
        ),
    )
    rows = await cursor.fetchall()
    return int(rows[0][0])


async def find(connection: Connection, decision_id: int) -> Decision | None:
    found = await _select(connection, "id = %s", (decision_id,))
    return found[0] if found else None


async def latest(connection: Connection, key: str) -> Decision | None:
    """The newest decision about a key."""
    found = await _select(connection, "key = %s order by id desc limit 1", (key,))
    return found[0] if found else None


async def of_key(connection: Connection, key: str, limit: int = 50) -> list[Decision]:
    """The decisions about a key, the newest first."""
    return await _select(connection, "key = %s order by id desc limit %s", (key, limit))


@dataclass(frozen=True, slots=True)
class Past:
    """A decision without what was seen."""

    id: int
    decided_at: datetime
    verdict: Json


async def history(connection: Connection, key: str, limit: int) -> list[Past]:
    """The decisions about a key, the newest first, without their snapshots."""
    cursor = connection.cursor(row_factory=class_row(Past))
    sql = "select id, decided_at, verdict from decisions where key = %s order by id desc limit %s"
    await cursor.execute(sql, (key, limit))
    return await cursor.fetchall()


async def verdicts_of_heads(
    connection: Connection, key: str, heads: Collection[str], evidence: Literal["passed", "failed"]
) -> dict[str, Json]:
    """The newest verdict on each of these heads whose evidence came out so, by head."""
    cursor = await connection.execute(
        "select distinct on (head_sha) head_sha, verdict from decisions where key = %s and head_sha = any(%s) "
        "and verdict #>> '{evidence,status}' = %s order by head_sha, id desc",
        (key, sorted(heads), evidence),
    )
    return dict(await cursor.fetchall())


async def of_head(connection: Connection, repository_id: int, head_sha: str, limit: int = 50) -> list[Decision]:
    """The decisions about a head commit, for whatever key, the newest first."""
    where = "repository_id = %s and head_sha = %s order by id desc limit %s"
    return await _select(connection, where, (repository_id, head_sha, limit))


async def _select(connection: Connection, where: str, parameters: tuple[object, ...]) -> list[Decision]:
    cursor = connection.cursor(row_factory=kwargs_row(_inflated))
    await cursor.execute(f"select {COLUMNS} from decisions where {where}", parameters)
    return await cursor.fetchall()


def _inflated(*, snapshot: bytes, **columns: Any) -> Decision:
    return Decision(snapshot=inflate(snapshot), **columns)
