"""A cache of what the analysis of a difference said: neither side of it ever changes."""

from __future__ import annotations

from typing import Any

from app.store.database import Connection
from app.store.stored import json

SAVE = """
insert into analyses (repository_id, old_oid, new_oid, version, facts) values (%s, %s, %s, %s, %s)
on conflict (repository_id, old_oid, new_oid) do update set
  version = excluded.version, facts = excluded.facts, recorded_at = now()
"""
FIND = """
select facts from analyses where repository_id = %s and old_oid = %s and new_oid = %s and version = %s
"""


async def save(
    connection: Connection, repository_id: int, difference: tuple[str, str], version: str, facts: Any
) -> None:
    """`difference` are the object ids of both sides; `facts` is a JSON value."""
    await connection.execute(SAVE, (repository_id, *difference, version, json(facts)))


async def find(connection: Connection, repository_id: int, difference: tuple[str, str], version: str) -> Any | None:
    """The facts by exactly these rules, or None when it must be analysed."""
    cursor = await connection.execute(FIND, (repository_id, *difference, version))
    row = await cursor.fetchone()
    return None if row is None else row[0]
