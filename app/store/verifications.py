# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Verifier runs that the gate started. A row is written before GitHub is asked; its run is noted with the answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import json, text


@dataclass(frozen=True, slots=True)
class StartedVerification:
    """`run_id` is None until GitHub's answer is known; `refused` says why GitHub did not start it.

    `facts` is the completed run as JSON, None before.
    """

    id: str
    repository_id: int
    head_sha: str
    target_sha: str
    policy_digest: str
    order_digest: str
    restored: list[str]
    new_tests: list[str]
    run_id: int | None = None
    facts: Any = None
    refused: str | None = None
    started_at: datetime | None = None


_COLUMNS = (
    "id, repository_id, head_sha, target_sha, policy_digest, order_digest, restored, new_tests, run_id, facts, "
    "refused, started_at"
)


async def start(connection: Connection, row: StartedVerification) -> None:
    """Note that it will be started. The second time of one id counts from then."""
    await connection.execute(
        "insert into verifications (id, repository_id, head_sha, target_sha, policy_digest, order_digest, restored, "
        "new_tests) values (%s, %s, %s, %s, %s, %s, %s, %s) "
        "on conflict (id) do update set started_at = now(), refused = null",
        (
            *(row.id, row.repository_id, row.head_sha, row.target_sha, row.policy_digest, row.order_digest),
            *([text(path) for path in paths] for paths in (row.restored, row.new_tests)),
        ),
    )


async def started(connection: Connection, verification_id: str, run_id: int) -> None:
    await connection.execute("update verifications set run_id = %s where id = %s", (run_id, verification_id))


async def refused(connection: Connection, verification_id: str, because: str) -> None:
    await connection.execute("update verifications set refused = %s where id = %s", (text(because), verification_id))


async def completed(connection: Connection, verification_id: str, facts: Any) -> None:
    """Keep the completed run as a JSON value."""
    await connection.execute("update verifications set facts = %s where id = %s", (json(facts), verification_id))


async def of_head(connection: Connection, repository_id: int, head_sha: str) -> list[StartedVerification]:
    """In the order in which they were started."""
    cursor = connection.cursor(row_factory=class_row(StartedVerification))
    await cursor.execute(
        f"select {_COLUMNS} from verifications where repository_id = %s and head_sha = %s order by started_at, id",
        (repository_id, head_sha),
    )
    return await cursor.fetchall()


async def open_heads_at(connection: Connection, repository_id: int, target_sha: str) -> list[str]:
    """Heads with a verification on this target that has not been read to its end."""
    cursor = await connection.execute(
        "select distinct head_sha from verifications where repository_id = %s and target_sha = %s and facts is null "
        "order by head_sha",
        (repository_id, target_sha),
    )
    return [row[0] for row in await cursor.fetchall()]
