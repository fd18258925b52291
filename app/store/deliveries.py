"""Webhook deliveries: kept as they came, answered only when they and what they ask for are committed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Self

import psycopg
import structlog
from psycopg.rows import kwargs_row

from app.store import comment_approvals, pulls, pushes, repositories, reviews, work
from app.store.comment_approvals import CommentApproval, CommentWithdrawn
from app.store.database import Connection, Database, DatabaseAway
from app.store.pulls import PullBase
from app.store.pushes import Push
from app.store.repositories import Repository
from app.store.reviews import Review
from app.store.stored import deflate, inflate, records, text
from app.store.tickets import commands
from app.store.tickets.commands import CommandComment
from app.store.work import Mark

log = structlog.get_logger(__name__)

Fact = Repository | Push | Review | PullBase | CommentApproval | CommentWithdrawn | CommandComment

LARGE = 256 * 1024  # bytes; a larger body is compressed beside the event loop
MOST_ROWS = 128  # deliveries of one commit
MOST_BYTES = 16 * 1024 * 1024  # compressed bytes of one commit (one larger body is a commit of its own)
GATHERING = 0.002  # seconds before a commit that is not full: it costs nearly as much for one as for many
WAITING = 1024  # deliveries that may wait for a commit

# One statement for all of a commit.
RECORD = """
insert into deliveries (hook_id, delivery_id, event, action, installation_id, repository_id, keys, body)
select hook_id, delivery_id, event, action, installation_id, repository_id, keys, body
from rows from (
       json_to_recordset(%s) as (hook_id bigint, delivery_id text, event text, action text, installation_id bigint,
                                 repository_id bigint, keys text[]),
       unnest(%b::bytea[])
     ) with ordinality as given (hook_id, delivery_id, event, action, installation_id, repository_id, keys, body, at)
order by at on conflict do nothing
"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery with the raw body, the keys it asks a look at, and the facts that must not be lost.

    A repeat (same hook and delivery id) is not stored twice, but marks its keys again.
    """

    hook_id: int
    delivery_id: str
    event: str
    body: bytes
    action: str | None = None
    installation_id: int | None = None
    repository_id: int | None = None
    marks: tuple[Mark, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """A delivery as it is kept; `keys` are those that it marked when it first came."""

    hook_id: int
    delivery_id: str
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    received_at: datetime
    keys: list[str]
    body: bytes = field(repr=False)


async def record(connection: Connection, deliveries: Sequence[Delivery]) -> None:
    """Store deliveries, their facts and their marks in the caller's transaction; the last thing that it does."""
    await _record(connection, [_Row(each, deflate(each.body)) for each in deliveries])


async def find(connection: Connection, hook_id: int, delivery_id: str) -> Stored | None:
    """A delivery with its body as GitHub sent it."""
    cursor = connection.cursor(row_factory=kwargs_row(_inflated))
    await cursor.execute(
        "select hook_id, delivery_id, event, action, installation_id, repository_id, received_at, keys, body "
        "from deliveries where hook_id = %s and delivery_id = %s",
        (hook_id, delivery_id),
    )
    return await cursor.fetchone()


def _inflated(*, body: bytes, **columns: Any) -> Stored:
    return Stored(body=inflate(body), **columns)


async def unknown(connection: Connection, delivery_ids: Sequence[str]) -> list[str]:
    """Those of these delivery ids (GUIDs) that never arrived, in the order given."""
    cursor = await connection.execute(
        "select id from unnest(%s::text[]) with ordinality as given (id, at) "
        "where not exists (select 1 from deliveries d where d.delivery_id = given.id) order by at",
        (list(delivery_ids),),
    )
    return [row[0] for row in await cursor.fetchall()]


async def searched_until(connection: Connection) -> datetime | None:
    """Up to which delivery, by GitHub's time, lost ones were searched for; None when never."""
    row = await (await connection.execute("select searched_until from delivery_search")).fetchone()
    return None if row is None else row[0]


async def save_searched_until(connection: Connection, until: datetime) -> None:
    await connection.execute(
        "insert into delivery_search (searched_until) values (%s) "
        "on conflict (one) do update set searched_until = excluded.searched_until",
        (until,),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    delivery: Delivery
    body: bytes  # compressed

    def record(self) -> dict[str, object]:
        """The columns beside the body."""
        each = self.delivery
        return {
            "hook_id": each.hook_id,
            "delivery_id": text(each.delivery_id),
            "event": text(each.event),
            "action": None if each.action is None else text(each.action),
            "installation_id": each.installation_id,
            "repository_id": each.repository_id,
            "keys": sorted({text(mark.key) for mark in each.marks}),
        }


async def _record(connection: Connection, rows: Sequence[_Row]) -> None:
    """Tables and rows always in the same order, so that writers wait for each other but never in a circle."""
    if not rows:
        return
    facts = [fact for row in rows for fact in row.delivery.facts]
    await repositories.save(connection, [fact for fact in facts if isinstance(fact, Repository)])
    await pushes.record(connection, [fact for fact in facts if isinstance(fact, Push)])
    await reviews.record(connection, [fact for fact in facts if isinstance(fact, Review)])
    await pulls.note_bases(connection, [fact for fact in facts if isinstance(fact, PullBase)])
    await comment_approvals.record(connection, [fact for fact in facts if isinstance(fact, CommentApproval)])
    await comment_approvals.withdraw(connection, [fact for fact in facts if isinstance(fact, CommentWithdrawn)])
    await commands.record(connection, [fact for fact in facts if isinstance(fact, CommandComment)])
    ordered = sorted(rows, key=lambda row: (row.delivery.hook_id, row.delivery.delivery_id))
    await connection.execute(RECORD, (records([row.record() for row in ordered]), [row.body for row in ordered]))
    await work.mark(connection, [mark for row in rows for mark in row.delivery.marks])


@dataclass(frozen=True, slots=True)
class _Waiting:
    row: _Row
    committed: asyncio.Future[None]


class DeliveryWriter:
    """Commits the deliveries of many requests together: while one commit is under way the next ones gather.

    Use it as an async context manager for the life of the process; leaving it waits for what was accepted.
    """

    def __init__(self, db: Database, *, rows: int = MOST_ROWS, waiting: int = WAITING) -> None:
        self._db = db
        self._rows = rows
        self._places = asyncio.Semaphore(waiting)  # one for each delivery in the queue, wanted by anybody still or not
        self._queue: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writing is not None:
            await self._writing

    async def accept(self, delivery: Delivery) -> None:
        """Return when the delivery is committed; how long that may take (many may be waiting), the caller bounds.

        Raises DatabaseAway when it could not be; it may then still have been committed, which does no harm. Raises
        psycopg.DataError when this delivery cannot be stored at all, and psycopg's other errors for other refusals.
        """
        await self._places.acquire()
        try:
            row = _Row(delivery, await _deflated(delivery.body))
        except BaseException:
            self._places.release()
            raise
        await self._enqueue(row)

    async def _enqueue(self, row: _Row) -> None:
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(row, committed))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write(), name="write deliveries")
        await committed

    async def _write(self) -> None:
        while self._queue:
            if len(self._queue) < self._rows:
                await asyncio.sleep(GATHERING)
            batch = self._next_batch()
            try:
                await self._commit(batch)
            except Exception:
                log.exception("deliveries were not stored")
            finally:
                _settle(batch, DatabaseAway("the delivery was not stored"))  # those of whom nothing was said
                for _ in batch:
                    self._places.release()

    def _next_batch(self) -> list[_Waiting]:
        size = count = 0
        for waiting in self._queue[: self._rows]:
            size += len(waiting.row.body)
            if count and size > MOST_BYTES:
                break
            count += 1
        batch, self._queue = self._queue[:count], self._queue[count:]
        return batch

    async def _commit(self, batch: list[_Waiting]) -> None:
        try:
            # In a pipeline the statements do not wait for each other's answers.
            async with self._db.transaction() as connection, connection.pipeline():
                await _record(connection, [waiting.row for waiting in batch])
        except DatabaseAway as away:
            _settle(batch, away)
        except psycopg.Error as wrong:
            await self._commit_singly(batch, wrong)
        except BaseException as wrong:
            _settle(batch, DatabaseAway(f"the delivery was not stored: {type(wrong).__name__}"))
            raise
        else:
            _settle(batch, None)

    async def _commit_singly(self, batch: list[_Waiting], wrong: psycopg.Error) -> None:
        """One delivery that cannot be stored must not keep the others out."""
        if len(batch) == 1:
            _settle(batch, wrong)
            return
        for waiting in batch:
            await self._commit([waiting])


def _settle(batch: Sequence[_Waiting], error: Exception | None) -> None:
    for waiting in batch:
        if waiting.committed.done():  # the request was given up
            continue
        if error is None:
            waiting.committed.set_result(None)
        else:
            waiting.committed.set_exception(error)


async def _deflated(body: bytes) -> bytes:
    return await asyncio.to_thread(deflate, body) if len(body) > LARGE else deflate(body)
