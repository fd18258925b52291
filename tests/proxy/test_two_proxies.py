"""Two proxies as processes of their own on one database: sessions push through both at once, one is stopped in the
middle of a push, one tries everything. 50 commits each under MERGEGATE_SOAK=1.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from app.github.clients import GitHubApp
from app.proxy import ledger
from app.proxy.grant import Grant
from app.proxy.stopping import stop
from tests.demo.service import free_port
from tests.proxy.scene import Scene
from tests.service.process import GateProcess
from tests.standby import SERVICE, standby

pytestmark = pytest.mark.anyio
COMMITS = 50 if os.environ.get("MERGEGATE_SOAK") == "1" else 4
EVERYWHERE = (
    *("+HEAD:main", "HEAD:refs/tags/v9", "+HEAD:agent/a", "HEAD:refs/notes/x", ":refs/heads/agent/a", ":main"),
    *("+HEAD:agent/b", "HEAD:refs/replace/" + "1" * 40, "HEAD:agent/c/d", "HEAD:agent"),
)
BY_API = (
    ("PUT", "/repos/acme/shop/contents/x", {"message": "x", "content": "eA==", "branch": "main"}),
    ("POST", "/repos/acme/shop/git/refs", {"ref": "refs/heads/x", "sha": "{main}"}),
    ("PATCH", "/repos/acme/shop/git/refs/heads/main", {"sha": "{main}", "force": True}),
    ("POST", "/repos/acme/shop/merges", {"base": "main", "head": "agent/a"}),
    ("POST", "/repos/acme/shop/merge-upstream", {"branch": "main"}),
    ("POST", "/repos/acme/shop/pulls", {"title": "x", "head": "agent/a", "base": "main"}),
    ("POST", "/repos/acme/shop/pulls", {"title": "x", "head": "agent/c", "base": "agent/a"}),
    ("PATCH", "/repos/acme/shop", {"default_branch": "agent/c"}),
    ("POST", "/repos/acme/shop/statuses/{main}", {"state": "success"}),
    ("POST", "/repos/acme/other/issues/1/comments", {"body": "x"}),
    ("POST", "/graphql", {"query": 'mutation { deleteRef(input: {refId: "x"}) { clientMutationId } }'}),
    ("POST", "/graphql", {"query": 'mutation { createRef(input: {name: "refs/heads/x"}) { clientMutationId } }'}),
)


@contextlib.asynccontextmanager
async def _processes(town: Scene, folder: Path, number: int) -> AsyncIterator[list[str]]:
    """The addresses of that many `mergegate proxy`, while the block lasts."""
    (folder / "courier.pem").write_text(town.identity.private_keys[0].get_secret_value(), encoding="ascii")
    made = [_process(town, folder, one) for one in range(number)]
    try:
        for one in made:
            await one.start()
        for one in made:
            await one.healthy()
        yield [f"127.0.0.1:{one.environment['MERGEGATE_PORT']}" for one in made]
        assert [(await one.stop())[0] for one in made] == [0] * number
    finally:
        for one in made:
            await one.cleanup()


def _process(town: Scene, folder: Path, number: int) -> GateProcess:
    port = str(free_port())
    settings = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_DATABASE_URL": town.database.conninfo,
        "MERGEGATE_GITHUB_API_URL": town.identity.api_url,
        "MERGEGATE_COURIER_APP_ID": str(town.identity.app_id),
        "MERGEGATE_COURIER_PRIVATE_KEY_FILE": str(folder / "courier.pem"),
        "MERGEGATE_PROXY_PORT": port,
        "MERGEGATE_PORT": port,
    }
    return GateProcess("proxy", sys.executable, settings, folder / f"proxy{number}.log", standby=standby(*SERVICE))


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
    await _tries_by_api(town, url.partition("@")[2].partition("/")[0], token)


async def _tries_by_api(town: Scene, address: str, token: str) -> None:
    main = town.refs()["refs/heads/main"]
    async with httpx.AsyncClient(base_url=f"http://{address}", trust_env=False) as client:
        for method, path, body in BY_API:
            given = {name: main if value == "{main}" else value for name, value in body.items()}
            headers = {"authorization": f"token {token}"}
            answer = await client.request(method, path.replace("{main}", main), json=given, headers=headers)
            assert answer.status_code in (403, 404, 422) or answer.json()["data"] is None, (path, answer.text)


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


async def test_afterwards_only_what_was_granted_has_changed(shared_town: Scene, tmp_path: Path) -> None:
    town = shared_town
    first, first_grant = await town.open(branch="refs/heads/agent/a")
    second, second_grant = await town.open(branch="refs/heads/agent/b")
    third, _ = await town.open(branch="refs/heads/agent/c")
    before, elsewhere = town.refs(), _elsewhere(town)
    async with _processes(town, tmp_path, 2) as (one, other):
        pushed, cut, _, stopped_at = await asyncio.gather(
            _pushes(town, f"http://x:{first}@{one}/git/acme/shop.git", "a", first),
            _pushes(town, f"http://x:{second}@{other}/git/acme/shop.git", "b", second),
            _tries(town, f"http://x:{third}@{one}/git/acme/shop.git", third),
            _stop_after(town, second_grant, max(2, COMMITS // 2)),
        )
    after = town.refs()
    assert len(pushed) == COMMITS and after["refs/heads/agent/a"] == pushed[-1]
    assert 1 <= len(cut) < COMMITS
    # What was read after the stop is where it stays, and git told nobody of a push that is not there.
    assert after["refs/heads/agent/b"] == stopped_at
    assert {name for name in after if after[name] != before.get(name)} == {"refs/heads/agent/a", "refs/heads/agent/b"}
    assert set(before) <= set(after)
    assert _elsewhere(town) == elsewhere
    assert await town.outcomes(first_grant) == ["done"] * COMMITS
    assert set(await town.outcomes(second_grant)) <= {"done", "failed", "unknown"}


def _elsewhere(town: Scene) -> list[object]:
    """What else a write could have changed: other repositories' refs; default branches, pull requests and issues."""
    found: list[object] = []
    for one in town.github.world.repositories.values():
        refs = {} if one is town.shop else town.refs(one)
        found += [one.full_name, one.default_branch, sorted(one.pulls), sorted(one.issues), refs]
    return found
