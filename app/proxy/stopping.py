"""Stopping a session for good: ended in the store, everything under way over, and the branch read again afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.github import reads
from app.github.clients import GitHubApp
from app.github.errors import GitHubError
from app.proxy import ledger, sessions
from app.proxy.ledger import Entry
from app.proxy.sessions import Session
from app.proxy.wire import ZERO
from app.store.database import Database

LOOK = 0.25  # seconds between looks at what is under way
PATIENCE = 60.0  # seconds
# GitHub may still finish a push whose connection broke after its last byte.
AFTERWARDS = 3.0
RECENT = timedelta(minutes=1)
MAY_FOLLOW = "A push of it had broken off, and GitHub may still end it: look at the branch again in a while."


@dataclass(frozen=True, slots=True)
class Stop:
    """What is known after a stop. `oid` is where the branch is, None when there is none or it could not be read.

    `confirmed` means: nothing of the session is under way, and the branch was read after that. `may_follow`: a push had
    broken off, and the branch is still where that push would move it from, so that GitHub may end it at any time.
    """

    session: Session
    was_live: bool
    confirmed: bool
    oid: str | None
    because: str
    may_follow: bool = False

    @property
    def sentence(self) -> str:
        branch = self.session.grant.branch
        if not self.confirmed:
            return f"Session {self.session.grant.session} is ended, but this is not confirmed: {self.because}."
        where = f"is at {self.oid}" if self.oid else "does not exist"
        said = f"Session {self.session.grant.session} is stopped: nothing of it is under way and {branch} {where}."
        return f"{said} {MAY_FOLLOW}" if self.may_follow else said


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
    unsure = await ledger.unsure(database, session_id, RECENT)
    if unsure:
        await asyncio.sleep(AFTERWARDS)
    return await _read(courier, session, was_live, unsure)


async def _read(courier: GitHubApp, session: Session, was_live: bool, unsure: Sequence[Entry]) -> Stop:
    grant = session.grant
    try:
        client = courier.installation(grant.installation_id)
        found = await reads.git_ref(client, grant.owner, grant.repository, grant.branch)
    except GitHubError as wrong:
        return Stop(session, was_live, False, None, f"the branch could not be read ({wrong})")
    oid = None if found is None else found.object.sha
    return Stop(session, was_live, True, oid, "", may_follow=any(_may_move(entry, oid) for entry in unsure))


def _may_move(entry: Entry, oid: str | None) -> bool:
    """git moves a ref only from where the push says that it is."""
    return entry.old_oid == (oid or ZERO) != entry.new_oid
