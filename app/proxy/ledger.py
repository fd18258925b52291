# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""What sessions wrote, noted before it is sent and completed afterwards.

An entry without an end is a write that may still happen. Beginning one takes a share of the session's row, so that an
ending session and a beginning write see each other in one order: either the write is refused, or whoever stops the
session sees it and waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, LiteralString

from psycopg.rows import class_row

from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.proxy.sessions import UNKNOWN, UNSAID, ended, frozen, prompt, session
from app.proxy.wire import Command
from app.store.database import Connection, Database
from app.store.stored import text

PUSH = "push"
ALIVE = timedelta(seconds=8)  # an entry that is not renewed for so long has lost its process

Outcome = Literal["done", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One write. `route` is `push`, or method and template such as `POST /repos/{owner}/{repo}/pulls`.

    For a push: `ref` (full), `old_oid`, `new_oid`, `bytes` of its body if all of it went to GitHub. For a write to the
    API: `number` of the issue or pull request, `object_id` of the comment, `node_id`. `outcome` is None while it may
    still happen, and `unknown` if the connection broke, so that GitHub may or may not have done it.
    """

    id: int
    session_id: int
    repository_id: int
    route: str
    ref: str | None
    old_oid: str | None
    new_oid: str | None
    bytes: int | None
    number: int | None
    object_id: int | None
    node_id: str | None
    began_at: datetime
    ended_at: datetime | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class Begun:
    """The id of a push's entry, when it began by the database's clock, and what the agent is to be told with its
    answer: ids and words, oldest first.
    """

    entry: int
    at: datetime
    words: Sequence[tuple[int, str]]


COLUMNS = (
    "id, session_id, repository_id, route, ref, old_oid, new_oid, bytes, number, object_id, node_id, began_at, "
    "ended_at, outcome"
)
BEGIN = """
insert into ledger (session_id, repository_id, route, ref, old_oid, new_oid, alive_until)
select id, repository_id, %s, %s, %s, %s, clock_timestamp() + interval '8 seconds' from sessions
where id = %s and ended_at is null and expires_at > clock_timestamp() and frozen_at is null for share
returning id, began_at
"""
# The same with what is to be said to the agent, so that a push takes one round trip.
BEGIN_PUSH = f"""
with begun as ({BEGIN})
select begun.id, begun.began_at, (
  select coalesce(json_agg(json_build_array(unsaid.id, unsaid.words) order by unsaid.id), '[]')
  from ({UNSAID}) as unsaid
) from begun
"""
# The write has happened and its entry is durable, so the end need not be waited for: one that is lost in a crash reads
# as unknown. A statement of its own is a transaction, for which the setting holds when it commits.
END = """
with at_ease as (select set_config('synchronous_commit', 'off', true))
update ledger set ended_at = clock_timestamp(), outcome = %s, bytes = %s, number = %s, object_id = %s, node_id = %s,
  look_at = case when %s = 'unknown' and route = 'push' then clock_timestamp() + interval '10 seconds' end
from at_ease where id = %s and ended_at is null
"""
RENEW = """
update ledger set alive_until = clock_timestamp() + interval '8 seconds' where id = any(%s) and ended_at is null
"""
OPEN = f"""
select {COLUMNS} from ledger
where session_id = %s and ended_at is null and alive_until > clock_timestamp() order by id
"""
LOST = """
update ledger set ended_at = clock_timestamp(), outcome = 'unknown',
  look_at = case when route = 'push' then clock_timestamp() end
where session_id = %s and ended_at is null and alive_until <= clock_timestamp() returning id
"""


# The process that sent it was killed, or has long not reached the store, so that it stopped what it had not sent whole.
LAPSED = """
update ledger set ended_at = alive_until, outcome = 'unknown',
  look_at = case when route = 'push' then clock_timestamp() end
where ended_at is null and alive_until <= clock_timestamp() - interval '1 minute'
"""
# GitHub may end a push whose connection broke at any time later: its branch is looked at ever more rarely for an hour.
DUE = f"""
update ledger set look_at = case when ended_at > clock_timestamp() - interval '1 hour' then clock_timestamp()
  + greatest(interval '10 seconds', least(clock_timestamp() - ended_at, interval '10 minutes')) end
where id in (
  select id from ledger where look_at <= clock_timestamp() order by look_at limit 200 for update skip locked
) returning {COLUMNS}
"""


async def begin(
    database: Database,
    grant: Grant,
    route: str,
    *,
    ref: str | None = None,
    old_oid: str | None = None,
    new_oid: str | None = None,
) -> int | Refusal:
    """Note a write that is about to be sent; the entry's id, or why the session may not write now.

    Call it before the first byte goes to GitHub, and `end` whatever happens. Raises DatabaseAway: then nothing may be
    sent.
    """
    # One statement, one round trip. Run a second time on a broken connection it may leave an entry that nobody ends,
    # which lapses and reads as unknown.
    async with prompt():
        rows = await database.query(BEGIN, (text(route), ref, old_oid, new_oid, grant.session))
        return rows[0][0] if rows else await _refusal(database, grant)


async def begin_push(database: Database, grant: Grant, command: Command) -> Begun | Refusal:
    """The same for a push to the session's branch."""
    asked = (PUSH, grant.branch, command.old, command.new, grant.session)
    async with prompt():
        rows = await database.query(BEGIN_PUSH, (*asked, grant.session))
        if not rows:
            return await _refusal(database, grant)
    entry, at, unsaid = rows[0]
    return Begun(entry, at, [(number, words) for number, words in unsaid])


async def _refusal(database: Database, grant: Grant) -> Refusal:
    found = await session(database, grant.session)
    if found is None:
        return UNKNOWN
    return frozen(found.frozen_because) if found.live else ended(found)


async def end(
    database: Database,
    entry_id: int,
    outcome: Outcome,
    *,
    size: int | None = None,
    number: int | None = None,
    object_id: int | None = None,
    node_id: str | None = None,
) -> None:
    """Complete an entry. What GitHub made has a number, an object's id, a node id; a push has its size in bytes."""
    given = (outcome, size, number, object_id, None if node_id is None else text(node_id), outcome, entry_id)
    await database.query(END, given)


async def renew(database: Database, entry_ids: Sequence[int]) -> None:
    """Say that the process which sends these is alive, for eight more seconds."""
    await database.query(RENEW, (list(entry_ids),))


async def under_way(database: Database, session_id: int) -> list[Entry]:
    """Writes of a session that may still happen. Those whose process died are noted as unknown first."""
    await database.query(LOST, (session_id,))
    return await _entries(database, OPEN, (session_id,))


async def due(database: Database) -> list[Entry]:
    """Pushes of which nobody knows what became and whose branch is to be looked at now; each by one process alone.

    Those of processes that were killed are among them, whether or not anybody asks for their session.
    """
    await database.query(LAPSED)
    return await _entries(database, DUE, ())


async def looked(database: Database, entry_id: int, outcome: Outcome) -> None:
    """The end of looking after such a push."""
    await database.query("update ledger set look_at = null, outcome = %s where id = %s", (outcome, entry_id))


async def moved_alike(database: Database, grant: Grant, command: Command, since: datetime) -> int:
    """How many pushes to the branch, of whatever session, moved it just so since then, as GitHub said."""
    sql: LiteralString = (
        "select count(*) from ledger where repository_id = %s and ref = %s and old_oid = %s and new_oid = %s "
        "and route = 'push' and outcome = 'done' and ended_at >= %s"
    )
    ((number,),) = await database.query(sql, (grant.repository_id, grant.branch, command.old, command.new, since))
    return int(number)


async def of_session(database: Database, session_id: int, most: int = 1000) -> list[Entry]:
    """The newest writes of a session, newest first."""
    return await _entries(
        database, f"select {COLUMNS} from ledger where session_id = %s order by id desc limit %s", (session_id, most)
    )


async def written(database: Database, session_id: int, most: int) -> list[Entry]:
    """The newest writes of a session to the API, newest first. Pushes are left out, so that they cannot hide any."""
    sql: LiteralString = (
        f"select {COLUMNS} from ledger where session_id = %s and route <> 'push' order by id desc limit %s"
    )
    return await _entries(database, sql, (session_id, most))


async def unsure(database: Database, session_id: int, lately: timedelta) -> list[Entry]:
    """The writes of a session that ended lately of which nobody knows what became: GitHub may still do them."""
    sql: LiteralString = (
        f"select {COLUMNS} from ledger where session_id = %s and outcome = 'unknown' "
        "and ended_at > clock_timestamp() - %s::interval order by id"
    )
    return await _entries(database, sql, (session_id, lately))


async def made(database: Database, grant: Grant, *, number: int | None = None) -> list[Entry]:
    """What this session itself made by the API and GitHub confirmed, on one issue or pull request if wanted."""
    return await _entries(
        database,
        f"select {COLUMNS} from ledger where session_id = %s and outcome = 'done' and route <> 'push' "
        "and (%s::integer is null or number = %s) order by id",
        (grant.session, number, number),
    )


async def pushes_of(connection: Connection, repository_id: int, ref: str, oid: str) -> list[Entry]:
    """The pushes through the proxy that brought a commit to a ref (full name), oldest first: where it came from.

    GitHub said so, or had the whole push and was not heard. A push that only announces a commit, or moves the branch
    from it to itself, brings none: it could else vouch for what came to the branch by other ways.
    """
    cursor = connection.cursor(row_factory=class_row(Entry))
    await cursor.execute(
        f"select {COLUMNS} from ledger where repository_id = %s and ref = %s and new_oid = %s and route = 'push' "
        "and old_oid is distinct from new_oid and (outcome = 'done' or (outcome = 'unknown' and bytes is not null)) "
        "order by id",
        (repository_id, text(ref), text(oid)),
    )
    return await cursor.fetchall()


async def bringing(connection: Connection, repository_id: int, ref: str, oid: str) -> bool:
    """Whether a push that may bring this commit is under way: GitHub tells of it before it answers it."""
    cursor = await connection.execute(
        "select from ledger where repository_id = %s and ref = %s and new_oid = %s and route = 'push' "
        "and ended_at is null and alive_until > clock_timestamp() limit 1",
        (repository_id, text(ref), text(oid)),
    )
    return await cursor.fetchone() is not None


async def _entries(database: Database, sql: LiteralString, parameters: tuple[object, ...]) -> list[Entry]:
    return [Entry(*row) for row in await database.query(sql, parameters)]
