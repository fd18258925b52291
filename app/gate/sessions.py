"""Which proxy session a pull request's branch belongs to, and whether the head came through it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from app.gate.effects import TellSession
from app.gate.gate import Gate
from app.gate.telling import PURPOSE
from app.proxy import ledger, sessions
from app.proxy.ledger import Entry
from app.proxy.sessions import Session
from app.store import notices
from app.store.notices import Notice
from checks.snapshot import BranchSession, Snapshot

PATIENCE, LOOK = 10.0, 0.25  # seconds


async def with_session(gate: Gate, snapshot: Snapshot) -> Snapshot:
    """The snapshot with the session that pushed the head, else the newest of the branch. A fork's branch has none."""
    if snapshot.is_fork:
        return snapshot
    repository_id, head = snapshot.repository.id, snapshot.head
    pushes = await pushes_bringing(gate, repository_id, head.ref, head.sha)
    if pushes:
        return _with(snapshot, await sessions.session(gate.database, pushes[-1].session_id), brought_head=True)
    found = await sessions.of_branch(gate.database, repository_id, head.ref)
    return _with(snapshot, found[0] if found else None, brought_head=False)


async def pushes_bringing(gate: Gate, repository_id: int, ref: str, sha: str) -> list[Entry]:
    """Those that brought the head. One that may is waited for, a little: its outcome is what counts."""
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while True:
        async with gate.database.transaction() as connection:
            coming = await ledger.bringing(connection, repository_id, ref, sha)
            pushes = await ledger.pushes_of(connection, repository_id, ref, sha)
        if pushes or not coming or loop.time() > until:
            return pushes
        await asyncio.sleep(LOOK)


def _with(snapshot: Snapshot, session: Session | None, *, brought_head: bool) -> Snapshot:
    if session is None:
        return snapshot
    grant = session.grant
    return replace(
        snapshot,
        session=BranchSession(grant.session, grant.agent, session.live, brought_head),
        session_agent=grant.agent if brought_head else None,
        operator=grant.operator,
    )


async def tell_session(gate: Gate, repository_id: int, effect: TellSession) -> None:
    """Once: what dies in between may say it twice, which hurts nobody, and never freezes without saying why."""
    await sessions.say(gate.database, effect.session, effect.words)
    if effect.freeze:
        await sessions.freeze(gate.database, effect.session, effect.words)
    notice = Notice(repository_id, effect.number, PURPOSE, effect.subject)
    async with gate.database.transaction() as connection:
        await notices.intend(connection, notice)
        await notices.posted(connection, notice, 0)
