"""What is kept of sessions: as long as the finding `origin` leans on it, whatever its age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.proxy import ledger, sessions
from app.proxy.grant import Grant
from app.proxy.used_identities import UsedIdentity
from app.store.database import Database
from app.store.prune import Periods, prune_all
from tests.proxy.build import wanted

pytestmark = pytest.mark.anyio
HEAD = "a" * 40
PULL = """
insert into pulls (repository_id, number, installation_id, head_sha, head_ref, base_ref, open, kind)
values (42, %s, 7, %s, %s, 'refs/heads/main', %s, 'agent')
"""


async def _ended_long_ago(database: Database, branch: str, head: str | None = None) -> Grant:
    """A session of three years ago, which pushed `head` if one is given."""
    _, grant = await sessions.open_session(database, wanted(branch=branch))
    if head is not None:
        entry = await ledger.begin(database, grant, ledger.PUSH, ref=branch, new_oid=head)
        assert isinstance(entry, int)
        await ledger.end(database, entry, "done")
    await sessions.revoke(database, grant.session, "done")
    await database.query(
        "update sessions set opened_at = now() - interval '3 years', expires_at = now() - interval '3 years', "
        "ended_at = now() - interval '3 years' where id = %s",
        (grant.session,),
    )
    await database.query(
        "update ledger set began_at = now() - interval '3 years', alive_until = now() - interval '3 years' "
        "where session_id = %s",
        (grant.session,),
    )
    return grant


async def _left(database: Database) -> set[str]:
    return {one.grant.branch for one in await sessions.listed(database, every=True)}


async def _pruned(database: Database) -> None:
    for _ in range(2):  # what hangs on a row goes first
        await prune_all(database, Periods())


async def test_what_an_open_pull_request_leans_on_stays(database: Database) -> None:
    """The push that brought its head, and the session to which its branch belongs though the head came past it."""
    names = [f"refs/heads/agent/{name}" for name in ("brought", "past", "closed", "gone")]
    for name in names:
        await _ended_long_ago(database, name, HEAD if name.endswith("brought") else "b" * 40)
    for number, (name, head) in enumerate(zip(names, (HEAD, "c" * 40, "d" * 40, ""), strict=True), 1):
        if head:
            await database.query(PULL, (number, head, name, not name.endswith("closed")))
    await _pruned(database)
    assert await _left(database) == {"refs/heads/agent/brought", "refs/heads/agent/past"}
    async with database.transaction() as connection:
        assert len(await ledger.pushes_of(connection, 42, "refs/heads/agent/brought", HEAD)) == 1


async def test_live_sessions_and_writes_under_way_stay_and_lost_ones_go(database: Database) -> None:
    await sessions.open_session(database, wanted(branch="refs/heads/agent/live"))
    lost = await _ended_long_ago(database, "refs/heads/agent/lost", HEAD)
    await database.query("update ledger set ended_at = null, outcome = null where session_id = %s", (lost.session,))
    _, writing = await sessions.open_session(database, wanted(branch="refs/heads/agent/writing"))
    entry = await ledger.begin(database, writing, ledger.PUSH, ref=writing.branch, new_oid="e" * 40)
    await _pruned(database)
    assert await _left(database) == {"refs/heads/agent/live", "refs/heads/agent/writing"}
    assert [one.id for one in await ledger.under_way(database, writing.session)] == [entry]


async def test_a_used_identity_is_remembered_beyond_its_own_end(database: Database) -> None:
    now = datetime.now(UTC)
    for number, expires in enumerate((now + timedelta(hours=1), now - timedelta(hours=1), now - timedelta(days=500))):
        identity = UsedIdentity(bytes([number]) * 32, expires)
        await sessions.open_session(database, wanted(branch=f"refs/heads/agent/{number}"), identity)
    await _pruned(database)
    rows = await database.query("select digest from used_identities order by digest")
    assert [bytes(row[0])[0] for row in rows] == [0, 1]
