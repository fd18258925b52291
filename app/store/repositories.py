# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Repositories that an installation can see, as deliveries and the resync last named them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import records, text


@dataclass(frozen=True, slots=True)
class Repository:
    """`default_branch` is a branch name without `refs/heads/`; None when the source did not say it."""

    repository_id: int
    installation_id: int
    owner: str
    name: str
    default_branch: str | None = None


COLUMNS = "repository_id, installation_id, owner, name, default_branch"
# Nearly every delivery names its repository; the row is only written when that says something new.
SAVE = """
insert into repositories (repository_id, installation_id, owner, name, default_branch)
select repository_id, installation_id, owner, name, default_branch from rows from (json_to_recordset(%s)
  as (repository_id bigint, installation_id bigint, owner text, name text, default_branch text)) with ordinality
  as given (repository_id, installation_id, owner, name, default_branch, at)
order by at
on conflict (repository_id) do update set
  installation_id = excluded.installation_id, owner = excluded.owner, name = excluded.name,
  default_branch = coalesce(excluded.default_branch, repositories.default_branch), seen_at = now()
where (repositories.installation_id, repositories.owner, repositories.name)
      is distinct from (excluded.installation_id, excluded.owner, excluded.name)
   or coalesce(excluded.default_branch, repositories.default_branch) is distinct from repositories.default_branch
   or repositories.seen_at < now() - interval '1 hour'
"""


async def save(connection: Connection, repositories: Sequence[Repository]) -> None:
    """Remember them; the last of several with one id wins. In the order of ids, so that no two writers deadlock."""
    latest = {each.repository_id: each for each in repositories}
    rows = [
        {
            "repository_id": each.repository_id,
            "installation_id": each.installation_id,
            "owner": text(each.owner),
            "name": text(each.name),
            "default_branch": _branch(each),
        }
        for each in sorted(latest.values(), key=attrgetter("repository_id"))
    ]
    if rows:
        await connection.execute(SAVE, (records(rows),))


def _branch(repository: Repository) -> str | None:
    return None if repository.default_branch is None else text(repository.default_branch)


async def find(connection: Connection, repository_id: int) -> Repository | None:
    cursor = connection.cursor(row_factory=class_row(Repository))
    await cursor.execute(f"select {COLUMNS} from repositories where repository_id = %s", (repository_id,))
    return await cursor.fetchone()


async def named(connection: Connection, owner: str, name: str) -> Repository | None:
    """By name, in any case; the one seen last if a name was given to another repository."""
    cursor = connection.cursor(row_factory=class_row(Repository))
    await cursor.execute(
        f"select {COLUMNS} from repositories where lower(owner) = lower(%s) and lower(name) = lower(%s) "
        "order by seen_at desc, repository_id desc limit 1",
        (text(owner), text(name)),
    )
    return await cursor.fetchone()


async def remove(connection: Connection, repository_ids: Sequence[int]) -> None:
    """Forget repositories that the installation lost."""
    await connection.execute("delete from repositories where repository_id = any(%s)", (sorted(repository_ids),))


async def since_listing(connection: Connection, repository_id: int) -> tuple[timedelta | None, int]:
    """The time since the resync listed its open pull requests, None if it never did; and the pages that all the lists
    of its installation took, which share one budget."""
    cursor = await connection.execute(
        "select clock_timestamp() - own.listed_at, (select sum(greatest(each.listed_pages, 1)) from repositories each "
        "where each.installation_id = own.installation_id) from repositories own where own.repository_id = %s",
        (repository_id,),
    )
    since, pages = await cursor.fetchone() or (None, 0)
    return since, int(pages)


async def save_listing(connection: Connection, repository_id: int, pages: int) -> None:
    """The open pull requests were listed just now, in so many pages."""
    await connection.execute(
        "update repositories set listed_at = clock_timestamp(), listed_pages = %s where repository_id = %s",
        (pages, repository_id),
    )
