"""A cache of builds of other CI systems, by the check run that links to them, so that their logs are fetched once."""

from __future__ import annotations

from typing import Any

from app.store.database import Connection
from app.store.stored import json, text

SAVE = """
insert into ci_builds (repository_id, check_run_id, stamp, facts) values (%s, %s, %s, %s)
on conflict (repository_id, check_run_id) do update set
  stamp = excluded.stamp, facts = excluded.facts, recorded_at = now()
"""


async def save(connection: Connection, repository_id: int, check_run_id: int, stamp: str, facts: Any) -> None:
    """`facts` is a JSON value. `stamp` is all that would be another one if the check run spoke of another build."""
    await connection.execute(SAVE, (repository_id, check_run_id, text(stamp), json(facts)))


async def find(connection: Connection, repository_id: int, check_run_id: int, stamp: str) -> Any | None:
    """The facts of exactly this state of the check run, or None when they must be fetched."""
    cursor = await connection.execute(
        "select facts from ci_builds where repository_id = %s and check_run_id = %s and stamp = %s",
        (repository_id, check_run_id, text(stamp)),
    )
    row = await cursor.fetchone()
    return None if row is None else row[0]
