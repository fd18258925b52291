"""What the newest green runs of a branch ran, and up to which commit of it the gate has looked for such runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.store.database import Connection
from app.store.stored import json, text

SAVE = """
insert into baselines (repository_id, ref, workflow, facts) values (%s, %s, %s, %s)
on conflict (repository_id, ref, workflow) do update set facts = excluded.facts, recorded_at = now()
"""
LOOKED = """
insert into baseline_looks (repository_id, ref, sha) values (%s, %s, %s)
on conflict (repository_id, ref) do update set sha = excluded.sha
"""


async def save(connection: Connection, repository_id: int, ref: str, facts: Mapping[str, Any]) -> None:
    """`facts` are JSON values by the path of their workflow file; each takes the place of the one before."""
    for workflow in sorted(facts):
        await connection.execute(SAVE, (repository_id, text(ref), text(workflow), json(facts[workflow])))


async def of_branch(connection: Connection, repository_id: int, ref: str) -> list[Any]:
    """The facts of every workflow file, in the order of their paths."""
    cursor = await connection.execute(
        "select facts from baselines where repository_id = %s and ref = %s order by workflow",
        (repository_id, text(ref)),
    )
    return [row[0] for row in await cursor.fetchall()]


async def note_look(connection: Connection, repository_id: int, ref: str, sha: str) -> None:
    """The runs on this commit, the branch's tip, are known now."""
    await connection.execute(LOOKED, (repository_id, text(ref), sha))


async def looked_at(connection: Connection, repository_id: int, ref: str) -> str | None:
    cursor = await connection.execute(
        "select sha from baseline_looks where repository_id = %s and ref = %s", (repository_id, text(ref))
    )
    row = await cursor.fetchone()
    return None if row is None else str(row[0])
