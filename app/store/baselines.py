"""What green runs ran that stand for a branch, and up to which commit of it the gate has looked for such runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.store.database import Connection
from app.store.stored import json, text

KEPT = 100  # of each workflow file on a branch, the newest

SAVE = """
insert into baselines (repository_id, ref, workflow, run_id, since, facts) values (%s, %s, %s, %s, %s, %s)
on conflict (repository_id, ref, workflow, run_id) do nothing
returning true
"""
FORGET = """
delete from baselines where repository_id = %s and ref = %s and workflow = %s and run_id in (
  select run_id from baselines where repository_id = %s and ref = %s and workflow = %s
  order by since desc, run_id desc offset %s)
"""
NEWEST = """
select facts from baselines where repository_id = %s and ref = %s and workflow = %s and since <= %s
order by since desc, run_id desc limit 1
"""
LOOKED = """
insert into baseline_looks (repository_id, ref, sha) values (%s, %s, %s)
on conflict (repository_id, ref) do update set sha = excluded.sha
"""


@dataclass(frozen=True, slots=True)
class Row:
    """`facts` is a JSON value; it stands for the branch from `since` on."""

    workflow: str
    run_id: int
    since: datetime
    facts: Any


async def save(connection: Connection, repository_id: int, ref: str, row: Row) -> bool:
    """Whether it was not known yet. A run is written down once; the oldest of many are forgotten."""
    place = (repository_id, text(ref), text(row.workflow))
    cursor = await connection.execute(SAVE, (*place, row.run_id, row.since, json(row.facts)))
    is_new = await cursor.fetchone() is not None
    await connection.execute(FORGET, (*place, *place, KEPT))
    return is_new


async def before(connection: Connection, repository_id: int, ref: str, workflow: str, moment: datetime) -> Any | None:
    """The facts that stood for the branch at that moment."""
    cursor = await connection.execute(NEWEST, (repository_id, text(ref), text(workflow), moment))
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def note_look(connection: Connection, repository_id: int, ref: str, sha: str) -> None:
    """The runs on this commit, the branch's tip, are known now."""
    await connection.execute(LOOKED, (repository_id, text(ref), sha))


async def looked_at(connection: Connection, repository_id: int, ref: str) -> str | None:
    cursor = await connection.execute(
        "select sha from baseline_looks where repository_id = %s and ref = %s", (repository_id, text(ref))
    )
    row = await cursor.fetchone()
    return None if row is None else str(row[0])
