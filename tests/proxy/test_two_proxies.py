"""Two proxies on one database: sessions push through both at once, one is stopped in the middle, one tries everything.

Each proxy has its own connections, tokens and clock of looks, as two processes have. 50 commits each under
MERGEGATE_SOAK=1.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from app.github.clients import GitHubApp
from app.proxy import ledger
from app.proxy.grant import Grant
from app.proxy.running import proxying
from app.proxy.stopping import stop
from app.store.database import Database
from tests.proxy.scene import Scene, serving

pytestmark = pytest.mark.anyio
COMMITS = 50 if os.environ.get("MERGEGATE_SOAK") == "1" else 4
EVERYWHERE = (
    *("+HEAD:main", "HEAD:refs/tags/v9", "+HEAD:agent/a", "HEAD:refs/notes/x", ":refs/heads/agent/a", ":main"),
    *("+HEAD:agent/b", "HEAD:refs/replace/" + "1" * 40, "HEAD:agent/c/d", "HEAD:agent"),
)


async def _pushes(town: Scene, url: str, name: str, token: str) -> list[str]:
    """Commit and push `COMMITS` times; the commits whose push git called a success."""
    clone = town.folder / name
    await town.git("clone", "-q", url, str(clone), token=token)
    done = []
    for number in range(COMMITS):
        commit = await town.commit(clone, f"{name}{number}.txt")
        code, _ = await town.attempt("push", "origin", f"HEAD:agent/{name}", cwd=clone, token=token)
        if code == 0:
            done.append(commit)
    return done


async def _tries(town: Scene, url: str, token: str) -> None:
    clone = town.folder / "greedy"
    await town.git("clone", "-q", url, str(clone), token=token)
    await town.commit(clone, "greedy.txt")
    for refspec in EVERYWHERE:
        code, said = await town.attempt("push", "origin", refspec, cwd=clone, token=token)
        assert code != 0 and "rejected]" in said, (refspec, said)


async def _stop_after(town: Scene, grant: Grant, pushes: int) -> str | None:
    """Stop the session when it has pushed that often; where its branch is then."""
    while len(await ledger.of_session(town.database, grant.session)) < pushes:  # noqa: ASYNC110 - rows in a table
        await asyncio.sleep(0.01)
    app = GitHubApp(town.identity)
    try:
        stopped = await stop(town.database, app, grant.session, "enough")
    finally:
        await app.aclose()
    assert stopped is not None and stopped.confirmed, stopped
    return stopped.oid


async def test_afterwards_only_what_was_granted_has_changed(shared_town: Scene) -> None:
    town = shared_town
    first, first_grant = await town.open(branch="refs/heads/agent/a")
    second, second_grant = await town.open(branch="refs/heads/agent/b")
    third, _ = await town.open(branch="refs/heads/agent/c")
    before = town.refs()
    async with (
        Database.open(town.database.conninfo, Path("/nonexistent")) as database,
        proxying(database, town.identity) as other,
        serving(other) as port,
    ):
        pushed, cut, _, stopped_at = await asyncio.gather(
            _pushes(town, town.url, "a", first),
            _pushes(town, f"http://x:{second}@127.0.0.1:{port}/git/acme/shop.git", "b", second),
            _tries(town, town.url, third),
            _stop_after(town, second_grant, max(2, COMMITS // 2)),
        )
    after = town.refs()
    assert len(pushed) == COMMITS and after["refs/heads/agent/a"] == pushed[-1]
    assert 1 <= len(cut) < COMMITS
    # What was read after the stop is where it stays, and git told nobody of a push that is not there.
    assert after["refs/heads/agent/b"] == stopped_at
    assert {name for name in after if after[name] != before.get(name)} == {"refs/heads/agent/a", "refs/heads/agent/b"}
    assert set(before) <= set(after)
    assert await town.outcomes(first_grant) == ["done"] * COMMITS
    assert set(await town.outcomes(second_grant)) <= {"done", "failed", "unknown"}
