"""Stopping a session for good: ended in the store, everything under way over, and the branch read again afterwards."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from app.github import reads
from app.github.clients import GitHubApp
from app.github.errors import GitHubError
from app.proxy import ledger, sessions
from app.proxy.sessions import Session
from app.store.database import Database

LOOK = 0.25  # seconds between looks at what is under way
PATIENCE = 60.0  # seconds
# GitHub may still finish a push whose connection broke after its last byte.
AFTERWARDS = 3.0
RECENT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Stop:
    """What is known after a stop. `oid` is where the branch is, None when there is none or it could not be read.

    `confirmed` means: nothing of the session is under way, and the branch was read after that.
    """

    session: Session
    was_live: bool
    confirmed: bool
    oid: str | None
    because: str

    @property
    def sentence(self) -> str:
        branch = self.session.grant.branch
        if not self.confirmed:
            return f"Session {self.session.grant.session} is ended, but this is not confirmed: {self.because}."
        where = f"is at {self.oid}" if self.oid else "does not exist"
        return f"Session {self.session.grant.session} is stopped: nothing of it is under way and {branch} {where}."


async def stop(
    database: Database, courier: GitHubApp, session_id: int, because: str, *, patience: float = PATIENCE
) -> Stop | None:
    """End a session and wait for what that means; None when there is no such session.

    From the first moment on no request with its token begins. Raises DatabaseAway: then it is not ended.
    """
    was_live = await sessions.revoke(database, session_id, because)
    session = await sessions.session(database, session_id)
    if session is None:
        return None
    try:
        async with asyncio.timeout(patience):
            while await ledger.under_way(database, session_id):  # noqa: ASYNC110 - other processes end it
                await asyncio.sleep(LOOK)
    except TimeoutError:
        return Stop(session, was_live, False, None, f"a write was still under way after {patience:g} seconds")
    if await ledger.unsure(database, session_id, RECENT):
        await asyncio.sleep(AFTERWARDS)
    return await _read(courier, session, was_live)


async def _read(courier: GitHubApp, session: Session, was_live: bool) -> Stop:
    grant = session.grant
    try:
        client = courier.installation(grant.installation_id)
        found = await reads.git_ref(client, grant.owner, grant.repository, grant.branch)
    except GitHubError as wrong:
        return Stop(session, was_live, False, None, f"the branch could not be read ({wrong})")
    return Stop(session, was_live, True, None if found is None else found.object.sha, "")
