# ruff: noqa: S608 - the statements are put together from the constants of this file alone
"""Sessions in the store: opened, found by their token, extended, frozen, ended. Every time is the database's clock."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, LiteralString

from psycopg.rows import TupleRow

from app.errors import ActionableError
from app.proxy import audited
from app.proxy.grant import Grant, Right
from app.proxy.refusal import Refusal
from app.proxy.session_token import new_token, token_hash, well_formed
from app.proxy.used_identities import UsedIdentity, use
from app.secret import SecretStr
from app.store.database import Connection, Database, DatabaseAway
from app.store.stored import text
from policies.tickets.states import WITH_SESSION

LONGEST = timedelta(days=7)
FEWEST_HOURS = 0.01  # less is no time at all to a clock of microseconds
PATIENCE = 10.0  # seconds
DEFAULT_RIGHTS = frozenset({Right.PUSH, Right.PULL_REQUEST, Right.COMMENT})
UNKNOWN = Refusal("The session token is not known here", "Ask the person who started this agent for a valid one")
OPEN_ANOTHER = "Ask the person who started this agent to open another one (`mergegate session open`)"


class CannotOpen(ActionableError, ValueError):
    """The session that was asked for may not be opened; the message says which rule and what to do."""


class IdentityUsed(CannotOpen):
    """The identity's token has become a session before."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new session shall be; `branch` and `base` are full refs, already checked against the policy."""

    installation_id: int
    repository_id: int
    owner: str
    repository: str
    branch: str
    base: str
    agent: str
    opened_by: str
    ticket: int | None = None
    operator: str | None = None
    rights: frozenset[Right] = DEFAULT_RIGHTS
    lasts: timedelta = timedelta(hours=8)


@dataclass(frozen=True, slots=True)
class Session:
    """A grant and what happened to it. It is live while it has neither ended nor expired."""

    grant: Grant
    opened_by: str
    opened_at: datetime
    ended_at: datetime | None
    ended_because: str | None
    frozen_at: datetime | None
    frozen_because: str | None
    live: bool


NAMES = (
    *(
        "id",
        "token_hash",
        "installation_id",
        "repository_id",
        "owner",
        "repository",
        "branch",
        "base",
        "ticket",
        "agent",
    ),
    *("operator", "rights", "opened_by", "opened_at", "expires_at", "ended_at", "ended_because", "frozen_at"),
    *("frozen_because", "live"),
)
COLUMNS = (
    "id, token_hash, installation_id, repository_id, owner, repository, branch, base, ticket, agent, operator, rights, "
    "opened_by, opened_at, expires_at, ended_at, ended_because, frozen_at, frozen_because, "
    "(ended_at is null and expires_at > clock_timestamp()) as live"
)
EXPIRE = """
update sessions set ended_at = expires_at, ended_because = 'it expired'
where repository_id = %s and branch = %s and ended_at is null and expires_at <= clock_timestamp()
"""
INSERT = f"""
insert into sessions (token_hash, installation_id, repository_id, owner, repository, branch, base, ticket, agent,
  operator, rights, opened_by, expires_at)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, clock_timestamp() + %s)
on conflict (repository_id, branch) where ended_at is null do nothing
returning {COLUMNS}
"""
TICKET = "select state from tickets where repository_id = %s and number = %s for share"
END = """
update sessions set ended_at = clock_timestamp(), ended_because = %s
where id = %s and ended_at is null and expires_at > clock_timestamp() returning id, repository_id
"""
EXTEND = f"""
update sessions set expires_at = clock_timestamp() + %s
where id = %s and ended_at is null and expires_at > clock_timestamp() returning {COLUMNS}
"""
FREEZE = """
update sessions set frozen_at = coalesce(frozen_at, clock_timestamp()), frozen_because = %s
where id = %s and ended_at is null returning id, repository_id
"""
THAW = "update sessions set frozen_at = null, frozen_because = null where id = %s returning id, repository_id"

UNSAID = "select id, words from session_words where session_id = %s and said_at is null order by id limit 20"


async def open_session(
    database: Database, wanted: Wanted, identity: UsedIdentity | None = None
) -> tuple[SecretStr, Grant]:
    """The token, which is shown this once, and the grant. Raises CannotOpen when the branch is another session's, or
    the ticket is in a state that allows none.

    `identity` is used up by it, or IdentityUsed raised; what opens no session leaves it as it was.
    """
    async with database.transaction() as connection:
        if identity is not None and not await use(connection, identity):
            raise IdentityUsed("this identity's token has opened a session before; ask its issuer for a new one")
        return await open_within(connection, wanted)


async def open_within(connection: Connection, wanted: Wanted) -> tuple[SecretStr, Grant]:
    """The same in the caller's transaction, so that a session and what it is for come together or not at all.

    The last thing in it: whoever adds to the audit log waits until it ends.
    """
    if not timedelta(0) < wanted.lasts <= LONGEST:
        raise CannotOpen(f"a session lasts up to {LONGEST.days} days; ask for less and extend it when it is needed")
    await _check_ticket(connection, wanted)
    token = new_token()
    await connection.execute(EXPIRE, (wanted.repository_id, text(wanted.branch)))
    cursor = await connection.execute(INSERT, _parameters(wanted, token))
    row = await cursor.fetchone()
    if row is None:
        raise CannotOpen(
            f"{wanted.branch} of {wanted.owner}/{wanted.repository} belongs to another live session; choose "
            "another branch, or revoke that one first (`mergegate session list`)"
        )
    grant = _session(row).grant
    await audited.opened(connection, grant, wanted.opened_by)
    return token, grant


async def _check_ticket(connection: Connection, wanted: Wanted) -> None:
    """The ticket's row is held until the session is there: a stop that comes now waits, and then ends it."""
    if wanted.ticket is None:
        return
    cursor = await connection.execute(TICKET, (wanted.repository_id, wanted.ticket))
    row = await cursor.fetchone()
    if row is not None and row[0] not in WITH_SESSION:
        raise CannotOpen(
            f"ticket #{wanted.ticket} is {row[0].replace('_', ' ')}, and only an agent that has claimed it may have a "
            "session for it; look at what its issue says next"
        )


def _parameters(wanted: Wanted, token: SecretStr) -> tuple[Any, ...]:
    return (
        token_hash(token.get_secret_value()),
        *(wanted.installation_id, wanted.repository_id, text(wanted.owner), text(wanted.repository)),
        *(text(wanted.branch), text(wanted.base), wanted.ticket, text(wanted.agent)),
        None if wanted.operator is None else text(wanted.operator),
        sorted(wanted.rights),
        text(wanted.opened_by),
        wanted.lasts,
    )


@contextlib.asynccontextmanager
async def prompt() -> AsyncIterator[None]:
    """What a request waits for. A database that is locked is away for it: raises DatabaseAway."""
    try:
        async with asyncio.timeout(PATIENCE):
            yield
    except TimeoutError:
        raise DatabaseAway(f"the database did not answer within {PATIENCE:g} seconds") from None


async def find(database: Database, token: str) -> Grant | Refusal:
    """The grant behind a token, as it stands now. To whoever holds no token that ever was one, every no is the same.

    Raises DatabaseAway, which a caller answers as "not now", never as a yes.
    """
    if not well_formed(token):
        return UNKNOWN
    wanted = token_hash(token)
    async with prompt():
        rows = await database.query(f"select {COLUMNS} from sessions where token_hash = %s", (wanted,))
    if not rows or not hmac.compare_digest(bytes(rows[0][NAMES.index("token_hash")]), wanted):
        return UNKNOWN
    session = _session(rows[0])
    return session.grant if session.live else ended(session)


def ended(session: Session) -> Refusal:
    """Why a session that is not live does nothing any more."""
    if session.ended_at is None or session.ended_because == "it expired":
        return Refusal(f"The session expired at {_minute(session.grant.expires_at)}", OPEN_ANOTHER)
    because = f": {session.ended_because}" if session.ended_because else ""
    return Refusal(f"The session was stopped at {_minute(session.ended_at)}{because}", OPEN_ANOTHER)


def frozen(because: str | None) -> Refusal:
    return Refusal(
        f"The session is frozen, it may read but not write: {because or 'no reason was given'}",
        "A person has to look at it first (`mergegate session show`)",
    )


async def session(database: Database, session_id: int) -> Session | None:
    rows = await database.query(f"select {COLUMNS} from sessions where id = %s", (session_id,))
    return _session(rows[0]) if rows else None


async def listed(database: Database, *, every: bool = False, most: int = 1000) -> list[Session]:
    """Live sessions, or `every` one, newest first."""
    live: LiteralString = "" if every else "where ended_at is null and expires_at > clock_timestamp() "
    rows = await database.query(f"select {COLUMNS} from sessions {live}order by id desc limit %s", (most,))
    return [_session(row) for row in rows]


async def live_in(database: Database, repository_id: int) -> list[Session]:
    """The live sessions of a repository."""
    sql: LiteralString = (
        f"select {COLUMNS} from sessions where repository_id = %s and ended_at is null "
        "and expires_at > clock_timestamp() order by id"
    )
    return [_session(row) for row in await database.query(sql, (repository_id,))]


async def of_branch(database: Database, repository_id: int, branch: str) -> list[Session]:
    """Every session that ever had a branch (full ref), newest first."""
    sql: LiteralString = f"select {COLUMNS} from sessions where repository_id = %s and branch = %s order by id desc"
    return [_session(row) for row in await database.query(sql, (repository_id, text(branch)))]


async def revoke(database: Database, session_id: int, because: str) -> bool:
    """End it. From the commit on no request begins; those under way end within a second. False: it was not live."""
    async with database.transaction() as connection:
        row = await (await connection.execute(END, (text(because), session_id))).fetchone()
        await audited.ended(connection, [] if row is None else [(row[0], row[1])], because)
    return row is not None


async def extend(database: Database, session_id: int, lasts: timedelta) -> Grant | None:
    """Let it expire `lasts` from now. None when it has ended: a token that was dead stays dead."""
    async with database.transaction() as connection:
        return await extend_within(connection, session_id, lasts)


async def extend_within(connection: Connection, session_id: int, lasts: timedelta) -> Grant | None:
    """The same in the caller's transaction."""
    if not timedelta(0) < lasts <= LONGEST:
        raise CannotOpen(f"a session can be extended by up to {LONGEST.days} days")
    row = await (await connection.execute(EXTEND, (lasts, session_id))).fetchone()
    return _session(row).grant if row else None


async def freeze(database: Database, session_id: int, because: str) -> bool:
    """It may go on reading, but writes nothing. False when it has ended."""
    async with database.transaction() as connection:
        row = await (await connection.execute(FREEZE, (text(because), session_id))).fetchone()
        await audited.frozen(connection, [] if row is None else [(row[0], row[1])], because)
    return row is not None


async def thaw(database: Database, session_id: int) -> bool:
    """Let it write again. False when there is none."""
    async with database.transaction() as connection:
        row = await (await connection.execute(THAW, (session_id,))).fetchone()
        await audited.frozen(connection, [] if row is None else [(row[0], row[1])], None)
    return row is not None


async def say(database: Database, session_id: int, words: str) -> None:
    """Tell the agent, in the answer to its next push."""
    await database.query("insert into session_words (session_id, words) values (%s, %s)", (session_id, text(words)))


async def unsaid(database: Database, session_id: int) -> list[tuple[int, str]]:
    """Ids and words, oldest first."""
    rows = await database.query(UNSAID, (session_id,))
    return [(row[0], row[1]) for row in rows]


async def said(database: Database, ids: list[int]) -> None:
    await database.query("update session_words set said_at = now() where id = any(%s)", (ids,))


async def of_ticket(connection: Connection, repository_id: int, ticket: int) -> list[Session]:
    """Every session that was ever opened for a ticket, the newest first."""
    cursor = await connection.execute(
        f"select {COLUMNS} from sessions where repository_id = %s and ticket = %s order by id desc",
        (repository_id, ticket),
    )
    return [_session(row) for row in await cursor.fetchall()]


async def ended_among(database: Database, session_ids: list[int]) -> set[int]:
    """Which of these sessions are not live any more."""
    rows = await database.query(
        "select id from sessions where id = any(%s) and (ended_at is not null or expires_at <= clock_timestamp())",
        (session_ids,),
    )
    return {row[0] for row in rows}


def _session(values: TupleRow) -> Session:
    row = dict(zip(NAMES, values, strict=True))
    grant = Grant(
        session=row["id"],
        rights=frozenset(Right(word) for word in row["rights"]),
        **{name: row[name] for name in _GRANT_COLUMNS},
    )
    return Session(grant, **{name: row[name] for name in _SESSION_COLUMNS})


_GRANT_COLUMNS = (
    *("installation_id", "repository_id", "owner", "repository", "branch", "base", "ticket", "agent", "operator"),
    "expires_at",
)
_SESSION_COLUMNS = (
    *("opened_by", "opened_at", "ended_at", "ended_because", "frozen_at", "frozen_because"),
    "live",
)


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
