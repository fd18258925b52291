# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Check runs that we created, as we last wrote them. There may be several of one name on a commit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class CheckRun:
    """`external_id` carries the verdict key, `output_digest` is over the title, summary and annotations written."""

    repository_id: int
    check_run_id: int
    head_sha: str
    name: str
    external_id: str
    status: str
    conclusion: str | None
    output_digest: str


COLUMNS = "repository_id, check_run_id, head_sha, name, external_id, status, conclusion, output_digest"
SAVE = f"""
insert into check_runs ({COLUMNS}) values (%s, %s, %s, %s, %s, %s, %s, %s)
on conflict (repository_id, check_run_id) do update set
  head_sha = excluded.head_sha, name = excluded.name, external_id = excluded.external_id, status = excluded.status,
  conclusion = excluded.conclusion, output_digest = excluded.output_digest, updated_at = now()
"""


async def save(connection: Connection, run: CheckRun) -> None:
    await connection.execute(
        SAVE,
        (
            run.repository_id,
            run.check_run_id,
            run.head_sha,
            run.name,
            text(run.external_id),
            run.status,
            run.conclusion,
            run.output_digest,
        ),
    )


async def forget(connection: Connection, repository_id: int, check_run_id: int) -> None:
    """GitHub does not have this run any more."""
    await connection.execute(
        "delete from check_runs where repository_id = %s and check_run_id = %s", (repository_id, check_run_id)
    )


async def of_head(connection: Connection, repository_id: int, head_sha: str) -> list[CheckRun]:
    """All our runs on a commit, by name and age."""
    cursor = connection.cursor(row_factory=class_row(CheckRun))
    await cursor.execute(
        f"select {COLUMNS} from check_runs where repository_id = %s and head_sha = %s order by name, check_run_id",
        (repository_id, head_sha),
    )
    return await cursor.fetchall()


async def is_known(connection: Connection, repository_id: int, name: str) -> bool:
    """Whether a run of this name was ever written in a repository."""
    cursor = await connection.execute(
        "select true from check_runs where repository_id = %s and name = %s limit 1", (repository_id, name)
    )
    return await cursor.fetchone() is not None


async def unfinished(connection: Connection, untouched: timedelta, limit: int = 500) -> list[CheckRun]:
    """Runs that are not completed and that we have not written for so long, the oldest first."""
    cursor = connection.cursor(row_factory=class_row(CheckRun))
    await cursor.execute(
        f"select {COLUMNS} from check_runs where status <> 'completed' and updated_at <= now() - %s::interval "
        "order by updated_at, check_run_id limit %s",
        (untouched, limit),
    )
    return await cursor.fetchall()
