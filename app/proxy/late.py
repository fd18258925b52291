"""Pushes of which nobody heard what became, looked after for an hour: GitHub may end one long after it broke off.

What has arrived then is checked like any other push: what a session may not do is put back, also when it was its last
act. Whichever process looks takes an entry for itself, so it may be another than the one that sent the push, or one
that started since.
"""

from __future__ import annotations

import asyncio

import structlog

from app.proxy import ledger, sessions
from app.proxy.forward import Forward
from app.proxy.grant import Grant, Right
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
        """One look at each that is due."""
        for entry in await ledger.due(self._database):
            session = await sessions.session(self._database, entry.session_id)
            command = _forward_of(entry)
            if session is None or command is None or Right.FORCE in session.grant.rights:
                continue
            await self._look(entry, session.grant, command)

    async def _look(self, entry: Entry, grant: Grant, command: Command) -> None:
        outcome = await self._forward.arrived(grant, command, entry.began_at)
        if outcome is None:
            return
        log.warning("a push of which nothing was heard arrived", session=grant.session, outcome=outcome)
        await ledger.looked(self._database, entry.id, outcome)


def _forward_of(entry: Entry) -> Command | None:
    """The push, if it is one that must only add to its branch."""
    if entry.ref is None or entry.old_oid is None or entry.new_oid is None:
        return None
    command = Command(entry.old_oid, entry.new_oid, entry.ref.encode())
    return None if command.creates or command.deletes else command
