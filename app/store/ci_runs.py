"""A cache of facts about completed workflow runs, so that a run's jobs and logs are fetched once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.store.database import Connection
from app.store.stored import json


@dataclass(frozen=True, slots=True)
class CiRun:
    """One attempt of a workflow run; `updated_at` is GitHub's text and only compared, `facts` is a JSON value."""

    repository_id: int
    run_id: int
    attempt: int
    updated_at: str
    facts: Any


SAVE = """
insert into ci_runs (repository_id, run_id, attempt, updated_at, facts) values (%s, %s, %s, %s, %s)
on conflict (repository_id, run_id, attempt) do update set
  updated_at = excluded.updated_at, facts = excluded.facts, recorded_at = now(), reports = null, reports_by = null
"""
FIND = """
select facts from ci_runs where repository_id = %s and run_id = %s and attempt = %s and updated_at = %s
"""


async def save(connection: Connection, run: CiRun) -> None:
    row = (run.repository_id, run.run_id, run.attempt, run.updated_at, json(run.facts))
    await connection.execute(SAVE, row)


async def find(connection: Connection, repository_id: int, run_id: int, attempt: int, updated_at: str) -> CiRun | None:
    """The facts of exactly this state of this attempt, or None when they must be fetched."""
    cursor = await connection.execute(FIND, (repository_id, run_id, attempt, updated_at))
    row = await cursor.fetchone()
    return None if row is None else CiRun(repository_id, run_id, attempt, updated_at, row[0])


async def unchanged(connection: Connection, repository_id: int, run_id: int, updated_at: str) -> Any | None:
    """The facts of the newest attempt known, if the run still has this `updated_at`; None when it must be fetched."""
    cursor = await connection.execute(
        "select facts from ci_runs where repository_id = %s and run_id = %s and updated_at = %s "
        "order by attempt desc limit 1",
        (repository_id, run_id, updated_at),
    )
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def of_head(connection: Connection, repository_id: int, head_sha: str) -> list[Any]:
    """The facts of the newest attempt of every completed run that was read on a commit."""
    cursor = await connection.execute(
        "select distinct on (run_id) facts from ci_runs where repository_id = %s and facts ->> 'head_sha' = %s "
        "order by run_id, attempt desc",
        (repository_id, head_sha),
    )
    return [row[0] for row in await cursor.fetchall()]


async def seen_on(connection: Connection, repository_id: int, head_sha: str) -> tuple[int, ...]:
    """Ids of the completed runs that were ever read on a commit."""
    cursor = await connection.execute(
        "select distinct run_id from ci_runs where repository_id = %s and facts ->> 'head_sha' = %s order by run_id",
        (repository_id, head_sha),
    )
    return tuple(row[0] for row in await cursor.fetchall())
