# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Pushes as delivered: who moved a ref. The first record of a push stands, so a later forgery changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import records, text


@dataclass(frozen=True, slots=True)
class Push:
    """`ref` is full, `refs/heads/…`; the SHAs are 40 zeros for a created or deleted ref. The sender is the pusher.

    `sender_type` is GitHub's: `User`, `Bot`, …
    """

    repository_id: int
    ref: str
    after_sha: str
    before_sha: str
    sender_login: str
    sender_id: int
    sender_type: str


COLUMNS = "repository_id, ref, after_sha, before_sha, sender_login, sender_id, sender_type"
# One statement for many: those of a commit of deliveries come together.
RECORD = f"""
insert into pushes ({COLUMNS})
select {COLUMNS} from rows from (json_to_recordset(%s)
  as (repository_id bigint, ref text, after_sha text, before_sha text, sender_login text, sender_id bigint,
      sender_type text)) with ordinality as given ({COLUMNS}, at)
order by at on conflict do nothing
"""


async def record(connection: Connection, pushes: Sequence[Push]) -> None:
    """Keep them, in the order of their keys, so that no two writers deadlock."""
    rows = sorted((_record(each) for each in pushes), key=itemgetter("repository_id", "ref", "after_sha", "before_sha"))
    if rows:
        await connection.execute(RECORD, (records(rows),))


def _record(push: Push) -> dict[str, object]:
    """The columns."""
    return {
        "repository_id": push.repository_id,
        "ref": text(push.ref),
        "after_sha": text(push.after_sha),
        "before_sha": text(push.before_sha),
        "sender_login": text(push.sender_login),
        "sender_id": push.sender_id,
        "sender_type": text(push.sender_type),
    }


async def first_of(connection: Connection, repository_id: int, shas: Sequence[str]) -> list[Push]:
    """For each of these commits the push that first brought it, as the newest commit, to any ref."""
    cursor = connection.cursor(row_factory=class_row(Push))
    await cursor.execute(
        f"select distinct on (after_sha) {COLUMNS} from pushes where repository_id = %s and after_sha = any(%s) "
        "order by after_sha, delivered_at, ref",
        (repository_id, sorted(shas)),
    )
    return await cursor.fetchall()


async def of_head(connection: Connection, repository_id: int, sha: str) -> list[Push]:
    """The pushes that brought this commit to a ref, first delivered first."""
    cursor = connection.cursor(row_factory=class_row(Push))
    await cursor.execute(
        f"select {COLUMNS} from pushes where repository_id = %s and after_sha = %s order by delivered_at, ref",
        (repository_id, sha),
    )
    return await cursor.fetchall()
