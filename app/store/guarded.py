"""What the gate last saw of the rules of each repository's default branch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class Guarded:
    """`since` is when the gate first looked; `gaps` are sentences, none where the branch is protected."""

    repository_id: int
    since: datetime
    rules_digest: str
    gaps: list[str]

    @property
    def protected(self) -> bool:
        return not self.gaps


async def find(connection: Connection, repository_id: int) -> Guarded | None:
    cursor = connection.cursor(row_factory=class_row(Guarded))
    await cursor.execute(
        "select repository_id, since, rules_digest, gaps from guarded_branches where repository_id = %s",
        (repository_id,),
    )
    return await cursor.fetchone()


async def save(connection: Connection, guarded: Guarded) -> None:
    """`since` stays what it was."""
    await connection.execute(
        "insert into guarded_branches (repository_id, since, rules_digest, gaps) values (%s, %s, %s, %s) "
        "on conflict (repository_id) do update set rules_digest = excluded.rules_digest, gaps = excluded.gaps",
        (guarded.repository_id, guarded.since, guarded.rules_digest, [text(gap) for gap in guarded.gaps]),
    )
