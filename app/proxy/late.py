"""Pushes of which nobody heard what became, looked after for an hour: GitHub may end one long after it broke off.

What has arrived then is checked like any other push: what a session may not do is put back, also when it was its last
act. Whichever process looks takes an entry for itself, so it may be another than the one that sent the push, or one
that started since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from app.proxy import ledger, sessions
from app.proxy.forward import Forward
from app.proxy.grant import Right
from app.proxy.ledger import Entry
from app.proxy.wire import Command
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

EVERY = 5.0  # seconds


class Late:
    def __init__(self, database: Database, forward: Forward) -> None:
        self._database = database
        self._forward = forward

    async def watch(self) -> None:
        """Runs until it is cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.look()
            except DatabaseAway:
                pass
            except Exception:
                log.exception("pushes of which nothing was heard cannot be looked after")

    async def look(self) -> None:
        """One look at the branch of each session that has some that are due, for all of them."""
        by_session: dict[int, list[Entry]] = {}
        for entry in await ledger.due(self._database):
            by_session.setdefault(entry.session_id, []).append(entry)
        for session_id, entries in by_session.items():
            await self._look(session_id, entries)

    async def _look(self, session_id: int, entries: Sequence[Entry]) -> None:
        session = await sessions.session(self._database, session_id)
        if session is None or Right.FORCE in session.grant.rights:
            return
        pushes = [(entry, command) for entry in entries if (command := _forward_of(entry)) is not None]
        if not pushes:
            return
        moves = await self._forward.moves(session.grant, {command.old for _, command in pushes})
        for entry, command in pushes:
            outcome = await self._forward.arrived(session.grant, command, entry.began_at, moves)
            if outcome is not None:
                log.warning("a push of which nothing was heard arrived", session=session_id, outcome=outcome)
                await ledger.looked(self._database, entry.id, outcome)


def _forward_of(entry: Entry) -> Command | None:
    """The push, if it is one that must only add to its branch."""
    if entry.ref is None or entry.old_oid is None or entry.new_oid is None:
        return None
    command = Command(entry.old_oid, entry.new_oid, entry.ref.encode())
    return None if command.creates or command.deletes else command
