# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Comments of people that begin with a command: kept as they were delivered, and carried out once each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text

Source = Literal["comment", "review"]
Outcome = Literal["done", "refused", "unknown", "told", "ignored"]


@dataclass(frozen=True, slots=True)
class CommandComment:
    """A new comment or review whose first line is a command. `number` is the issue's or pull request's.

    `outcome` is None until it was carried out; `answer` is what is said to it, None for a reaction alone.
    """

    repository_id: int
    source: Source
    comment_id: int
    number: int
    author_login: str
    author_id: int
    body: str
    created_at: datetime
    outcome: Outcome | None = None
    answer: str | None = None


COLUMNS = "repository_id, source, comment_id, number, author_login, author_id, body, created_at, outcome, answer"
OWN = "repository_id = %s and source = %s and comment_id = %s"


async def record(connection: Connection, comments: Sequence[CommandComment]) -> None:
    """Keep those that are new; what a comment said first stands. In their keys' order, so that no writers deadlock."""
    ordered = sorted(comments, key=_key)
    if ordered:
        await connection.cursor().executemany(
            "insert into ticket_commands (repository_id, source, comment_id, number, author_login, author_id, body, "
            "created_at) values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
            [
                (*_key(one), one.number, text(one.author_login), one.author_id, text(one.body), one.created_at)
                for one in ordered
            ],
        )


async def waiting(connection: Connection, repository_id: int, number: int) -> list[CommandComment]:
    """Those of an issue or pull request that were not carried out yet, in the order they were written."""
    return await _read(connection, "done_at is null", repository_id, number)


async def unanswered(connection: Connection, repository_id: int, number: int) -> list[CommandComment]:
    """Those that were carried out and not acknowledged on GitHub yet."""
    return await _read(connection, "done_at is not null and reacted_at is null", repository_id, number)


async def known(connection: Connection, repository_id: int, comment_ids: Collection[int]) -> set[int]:
    """Those of these comments (not reviews) that are kept already."""
    cursor = await connection.execute(
        "select comment_id from ticket_commands where repository_id = %s and source = 'comment' "
        "and comment_id = any(%s)",
        (repository_id, sorted(comment_ids)),
    )
    return {row[0] for row in await cursor.fetchall()}


async def answered_within(connection: Connection, one: CommandComment, within: timedelta) -> list[CommandComment]:
    """Others on the same issue or pull request that were answered in words within that time."""
    cursor = connection.cursor(row_factory=class_row(CommandComment))
    await cursor.execute(
        f"select {COLUMNS} from ticket_commands where repository_id = %s and number = %s and answer is not null "
        "and reacted_at > clock_timestamp() - %s::interval and (source, comment_id) <> (%s, %s)",
        (one.repository_id, one.number, within, one.source, one.comment_id),
    )
    return await cursor.fetchall()


async def take(connection: Connection, one: CommandComment) -> bool:
    """Hold a comment until the transaction ends; false when somebody carried it out before."""
    cursor = await connection.execute(
        f"select true from ticket_commands where {OWN} and done_at is null for update", _key(one)
    )
    return await cursor.fetchone() is not None


async def done(connection: Connection, one: CommandComment, outcome: Outcome, answer: str | None) -> None:
    """In the transaction of what it did, so that it never happens twice."""
    await connection.execute(
        f"update ticket_commands set done_at = clock_timestamp(), outcome = %s, answer = %s where {OWN}",
        (outcome, None if answer is None else text(answer), *_key(one)),
    )


async def reacted(connection: Connection, one: CommandComment) -> None:
    await connection.execute(f"update ticket_commands set reacted_at = clock_timestamp() where {OWN}", _key(one))


def _key(one: CommandComment) -> tuple[int, str, int]:
    return one.repository_id, one.source, one.comment_id


async def _read(
    connection: Connection,
    where: Literal["done_at is null", "done_at is not null and reacted_at is null"],
    repository_id: int,
    number: int,
) -> list[CommandComment]:
    cursor = connection.cursor(row_factory=class_row(CommandComment))
    await cursor.execute(
        f"select {COLUMNS} from ticket_commands where repository_id = %s and number = %s and {where} "
        "order by created_at, comment_id limit 50",
        (repository_id, number),
    )
    return await cursor.fetchall()
