"""Who brought the commits below a head, as their pushes were delivered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.gate.people import earlier_pushers
from app.store import pushes
from app.store.database import Database
from app.store.pushes import Push
from checks.accounts import Account, Commit
from checks.unread import Unread
from tests.policies.build import ADA, COURIER, HEAD, commit, snapshot

pytestmark = pytest.mark.anyio

FIRST, SECOND = "1" * 40, "2" * 40
QUEUE = Account("github-merge-queue[bot]", 118344674, "Bot")


def pushed(sha: str, by: Account, ref: str = "refs/heads/agent/12") -> Push:
    return Push(1, ref, sha, "0" * 40, by.login, by.id or 0, by.type)


def made_by_github(sha: str) -> Commit:
    return replace(commit(ADA), oid=sha, signature_valid=True, signed_by_github=True)


async def test_each_is_whose_push_came_first_to_any_branch(database: Database) -> None:
    async with database.transaction() as connection:
        await pushes.record(connection, [pushed(FIRST, ADA, "refs/heads/elsewhere"), pushed(HEAD, COURIER)])
    async with database.transaction() as connection:
        await pushes.record(connection, [pushed(FIRST, COURIER), pushed(SECOND, QUEUE), pushed("3" * 40, COURIER)])
    below = replace(commit(COURIER), oid=FIRST)
    seen = snapshot(commits=(below, made_by_github(SECOND), commit(COURIER)))
    assert await earlier_pushers(database, seen) == (ADA,)
    assert await earlier_pushers(database, snapshot(commits=(replace(commit(ADA), oid=SECOND),))) == (QUEUE,)
    assert await earlier_pushers(database, snapshot()) == ()
    assert await earlier_pushers(database, snapshot(commits=Unread("HTTP 502"))) == ()
