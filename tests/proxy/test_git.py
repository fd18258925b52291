"""git itself, unchanged, through the proxy to the simulated GitHub's `git http-backend`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.proxy import ledger
from app.store.database import Database
from tests.proxy.scene import Scene, scene

pytestmark = pytest.mark.anyio


@pytest.fixture
async def town(tmp_path: Path, database: Database) -> AsyncIterator[Scene]:
    async with scene(tmp_path, database) as made:
        yield made


async def test_clone_commit_push_fetch(town: Scene) -> None:
    clone = await town.clone()
    before = town.refs()
    commit = await town.commit(clone)
    said = await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
    assert "[new branch]" in said
    assert town.refs() == before | {"refs/heads/agent/work": commit}
    second = await town.commit(clone, "more.txt")
    await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
    assert town.refs()["refs/heads/agent/work"] == second
    other = await town.clone("other", "--branch", "agent/work")
    assert (other / "more.txt").is_file()
    assert town.grant is not None
    entries = await ledger.of_session(town.database, town.grant.session)
    assert [(one.old_oid, one.new_oid, one.outcome) for one in entries] == [
        (commit, second, "done"),
        ("0" * 40, commit, "done"),
    ]
    assert all(one.ref == "refs/heads/agent/work" and (one.bytes or 0) > 100 for one in entries)
