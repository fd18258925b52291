"""What of sessions goes into the audit log: that one was opened, frozen or stopped, and what it tried and may not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import structlog

from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.proxy.wire import Command
from app.store import audit
from app.store.audit import Entry, Kind
from app.store.database import Connection, Database, DatabaseAway
from policies.escape import clean

log = structlog.get_logger(__name__)

AGAIN = timedelta(hours=1)
"""The same refusal of a session is recorded so often at most: a loop of an agent's must not fill the log."""
MOST_REFS = 10  # that one record names
LONGEST_REF = 300  # characters of each; a session's own branch is shorter


def subject_of(session_id: int) -> str:
    return f"session:{session_id}"


async def opened(connection: Connection, grant: Grant, opened_by: str) -> None:
    """The last thing of its transaction."""
    data = {
        "repository": f"{grant.owner}/{grant.repository}",
        "branch": grant.branch,
        "agent": grant.agent,
        "operator": grant.operator,
        "ticket": grant.ticket,
        "rights": sorted(grant.rights),
        "opened_by": opened_by,
        "expires_at": grant.expires_at.isoformat(timespec="seconds"),
    }
    await audit.append(connection, [Entry("session-opened", subject_of(grant.session), grant.repository_id, data)])


async def ended(connection: Connection, sessions: Sequence[tuple[int, int]], because: str) -> None:
    """Ids of sessions and of their repositories. The last thing of its transaction."""
    data = {"because": because}
    entries = [Entry("session-ended", subject_of(session), repository, data) for session, repository in sessions]
    await audit.append(connection, entries)


async def frozen(connection: Connection, sessions: Sequence[tuple[int, int]], because: str | None) -> None:
    """Ids of sessions and of their repositories; without a reason they may write again. The last of its transaction."""
    kind: Kind = "session-thawed" if because is None else "session-frozen"
    data = {} if because is None else {"because": because}
    entries = [Entry(kind, subject_of(session), repository, data) for session, repository in sessions]
    await audit.append(connection, entries)


def _shown(ref: bytes) -> str:
    return clean(ref.decode("utf-8", "backslashreplace"), LONGEST_REF)


async def push_refused(database: Database, grant: Grant, commands: Sequence[Command], refusal: Refusal) -> None:
    """Whatever becomes of the record, the push stays refused."""
    refs = sorted({_shown(command.ref) for command in commands})[:MOST_REFS]
    data = {"because": refusal.because, "refs": refs, "agent": grant.agent, "operator": grant.operator}
    entry = Entry("push-refused", subject_of(grant.session), grant.repository_id, data)
    try:
        async with database.transaction() as connection:
            if not await audit.repeated(connection, entry, AGAIN):
                await audit.append(connection, [entry])
    except DatabaseAway as away:
        log.warning("a refused push is not in the audit log", session=grant.session, because=str(away))
