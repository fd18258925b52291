"""The audit log in the store: added to in the transaction of what it records, and read in the order of its numbers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from app.logging import LateLogger
from app.store.audit_chain import START, Broken, Head, Link, Verified, Verifier, canonical, digest_of
from app.store.database import Connection
from app.store.stored import storable

Kind = Literal[
    "verdict",
    "approval",
    "override",
    "landing",
    "bypass",
    "policy",
    "rules",
    "session-opened",
    "session-ended",
    "session-frozen",
    "session-thawed",
    "push-refused",
    "ticket",
    "configuration",
    "anchor",
    "checkpoint",
]
log = LateLogger(__name__)

PAGE = 2000  # records read at once
GRACE = timedelta(days=1)
WHOLE = "audit-log"  # the subject of what concerns the log itself

LOCK = """
insert into audit_head (seq, digest) values (0, %s) on conflict (one) do update set seq = audit_head.seq
returning seq, digest, clock_timestamp()
"""
ADD = """
insert into audit_log (seq, recorded_at, kind, repository_id, subject, record, digest)
values (%s, %s, %s, %s, %s, %s, %s)
"""

OLD = """
select digest, record, seq, kind, repository_id, subject, recorded_at from audit_log
where seq < coalesce((select min(seq) from audit_log where recorded_at >= now() - %(age)s::interval),
                     (select seq + 1 from audit_head))
  and exists (select from audit_log where recorded_at < now() - %(age)s::interval - %(grace)s::interval)
order by seq limit %(batch)s
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened. `subject` is what it happened to: `pull:7`, `refs/heads/main`, `session:7`, `gate`.

    `data` holds JSON values without floats; a name in it is ours and ASCII, what comes from outside is a value.
    """

    kind: Kind
    subject: str
    repository_id: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry as it stands in the log."""

    seq: int
    recorded_at: datetime
    entry: Entry


async def append(connection: Connection, entries: Sequence[Entry]) -> None:
    """Add them in the caller's transaction; the last thing that it does, for others who add wait until it ends."""
    if not entries:
        return
    row = await (await connection.execute(LOCK, (START,))).fetchone()
    assert row is not None
    seq, digest, now = int(row[0]), bytes(row[1]), row[2]
    for entry in entries:
        seq += 1
        record = _record(seq, now, entry)
        digest = digest_of(digest, record)
        place = (seq, now, entry.kind, entry.repository_id, storable(entry.subject))
        await connection.execute(ADD, (*place, record, digest))
    await connection.execute("update audit_head set seq = %s, digest = %s", (seq, digest))


def _record(seq: int, now: datetime, entry: Entry) -> str:
    record = {
        "at": now.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "data": entry.data,
        "kind": entry.kind,
        "repository": entry.repository_id,
        "seq": seq,
        "subject": entry.subject,
    }
    return canonical(storable(record))


def read_record(record: str) -> Recorded:
    """The entry that a record's text is of."""
    said = json.loads(record)
    entry = Entry(said["kind"], said["subject"], said["repository"], said["data"])
    return Recorded(said["seq"], datetime.fromisoformat(said["at"]), entry)


async def newest(connection: Connection, kind: Kind, repository_id: int | None, subject: str) -> Recorded | None:
    """The newest record of a kind about something."""
    cursor = await connection.execute(
        "select record from audit_log where kind = %s and repository_id is not distinct from %s and subject = %s "
        "order by seq desc limit 1",
        (kind, repository_id, storable(subject)),
    )
    row = await cursor.fetchone()
    return None if row is None else read_record(row[0])


async def repeated(connection: Connection, entry: Entry, within: timedelta) -> bool:
    """Whether the newest record of its kind about its subject says the same and is not older than that."""
    known = await newest(connection, entry.kind, entry.repository_id, entry.subject)
    if known is None or known.entry.data != storable(entry.data):
        return False
    row = await (await connection.execute("select now() - %s < %s", (known.recorded_at, within))).fetchone()
    return row is not None and bool(row[0])


async def data_of(
    connection: Connection, kind: Kind, repository_id: int, subjects: Sequence[str]
) -> list[Mapping[str, Any]]:
    """What the newest hundred records of a kind about these subjects tell, the newest first."""
    cursor = await connection.execute(
        "select record::jsonb -> 'data' from audit_log where kind = %s and repository_id = %s and subject = any(%s) "
        "order by seq desc limit 100",
        (kind, repository_id, list(subjects)),
    )
    return [row[0] for row in await cursor.fetchall()]


async def head(connection: Connection) -> Head:
    row = await (await connection.execute("select seq, digest from audit_head")).fetchone()
    return Head(0, START) if row is None else Head(int(row[0]), bytes(row[1]))


async def links(connection: Connection, *, since: datetime | None = None) -> AsyncIterator[Link]:
    """The records in the order of their numbers, a page at a time, so that a log of any length can be read."""
    async with connection.cursor(name="audit_log") as cursor:
        cursor.itersize = PAGE
        await cursor.execute(
            "select seq, record, digest, kind, repository_id, subject, recorded_at from audit_log "
            "where %(since)s::timestamptz is null or recorded_at >= %(since)s order by seq",
            {"since": since},
        )
        async for seq, record, digest, *columns in cursor:
            yield Link(int(seq), record, bytes(digest), _copied(record, (seq, *columns)))


def _copied(record: str, columns: tuple[Any, ...]) -> bool:
    """`columns`: number, kind, repository, subject, time."""
    try:
        said = read_record(record)
    except (ValueError, KeyError, TypeError):
        return False
    return columns == (
        said.seq,
        said.entry.kind,
        said.entry.repository_id,
        said.entry.subject,
        said.recorded_at,
    )


async def verify(connection: Connection, anchors: Sequence[Head] = ()) -> Verified | Broken:
    """Whether every record is there and as it was written, and whether the given anchors fit.

    The first thing in its transaction, which sees one state of the log from then on.
    """
    await connection.execute("set transaction isolation level repeatable read, read only")
    end = await head(connection)
    verifier = Verifier(await _checkpoint(connection), anchors)
    async for link in links(connection):
        verifier.take(link)
        if verifier.broken is not None:
            break
    return verifier.done(end)


async def _checkpoint(connection: Connection) -> Head | None:
    """The newest checkpoint that the log may begin after; that it is genuine is shown by the chain itself."""
    found = await newest(connection, "checkpoint", None, WHOLE)
    if found is None:
        return None
    return Head(int(found.entry.data["through"]), bytes.fromhex(found.entry.data["digest"]))


async def prune(connection: Connection, age: timedelta, batch: int) -> int:
    """Remove records older than `age`, at most `batch`; a checkpoint is recorded first, so that the rest can be proved.

    How many went. Whatever comes after one that is younger stays. Nothing goes until a day's records can go at once,
    because each checkpoint is a record too.
    """
    await connection.execute(LOCK, (START,))
    cursor = await connection.execute(OLD, {"age": age, "grace": GRACE, "batch": batch})
    old = await cursor.fetchall()
    if not old:
        return 0
    if not all(_copied(record, tuple(columns)) for _, record, *columns in old):
        log.error("audit alarm: nothing old goes, for records and their columns differ; run mergegate audit verify")
        return 0
    through, digest = old[-1][2], old[-1][0]
    gone = {"through": int(through), "digest": bytes(digest).hex(), "records": len(old)}
    await append(connection, [Entry("checkpoint", WHOLE, None, gone)])
    await connection.execute("delete from audit_log where seq <= %s", (through,))
    return len(old)
