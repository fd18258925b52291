"""The test reports of completed workflow runs, kept beside their other facts so that archives are fetched once."""

from __future__ import annotations

from typing import Any

from app.store.database import Connection
from app.store.stored import json

FIND = """
select reports from ci_runs
where repository_id = %s and run_id = %s and attempt = %s and reports_by = %s and reports is not null
"""
SAVE = """
update ci_runs set reports = %s, reports_by = %s where repository_id = %s and run_id = %s and attempt = %s
"""
NEWEST = """
select distinct on (run_id) facts, reports from ci_runs
where repository_id = %s and facts ->> 'head_sha' = %s
order by run_id, attempt desc
"""


async def find(connection: Connection, repository_id: int, run: tuple[int, int], by: str) -> Any | None:
    """The reports of a run (id, attempt), if they were read by the same patterns."""
    cursor = await connection.execute(FIND, (repository_id, *run, by))
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def save(connection: Connection, repository_id: int, run: tuple[int, int], by: str, reports: Any) -> None:
    """`reports` is a JSON value. A run that is not kept itself keeps no reports either."""
    await connection.execute(SAVE, (json(reports), by, repository_id, *run))


async def runs_on(connection: Connection, repository_id: int, head_sha: str) -> list[tuple[Any, Any | None]]:
    """Facts and reports of every run that is kept on a commit, each at its newest attempt, by their ids."""
    cursor = await connection.execute(NEWEST, (repository_id, head_sha))
    return [(row[0], row[1]) for row in await cursor.fetchall()]
