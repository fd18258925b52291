"""githubkit, unmodified, over a real socket: its own App authentication, typed calls and paging."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from githubkit import AppInstallationAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.exception import RequestFailed

from tests.github.server import SimulatedGitHub
from tests.simulator.shop import pull, shop

pytestmark = pytest.mark.anyio


async def served(hub: SimulatedGitHub) -> str:
    await pull(hub, await shop(hub))
    return await hub.start() + "/api/v3"


async def test_an_installation_reads_what_the_story_left(hub: SimulatedGitHub) -> None:
    url = await served(hub)
    app, key = hub.register_app("gate", {"pull_requests": "write", "contents": "read", "issues": "write"}, [])
    installation = hub.install(app, "acme")
    auth = AppInstallationAuthStrategy(app.id, key, installation.id)
    await hub.review("acme/shop", 1, "bob")
    async with GitHub(auth, base_url=url, auto_retry=False, http_cache=False, timeout=10) as api:
        change = (await api.rest.pulls.async_get("acme", "shop", 1)).parsed_data
        assert (change.head.ref, change.mergeable, change.stack) == ("change", True, None)
        reviews = (await api.rest.pulls.async_list_reviews("acme", "shop", 1)).parsed_data
        assert [r.state for r in reviews] == ["APPROVED"]
        comment = (await api.rest.issues.async_create_comment("acme", "shop", 1, body="Hello")).parsed_data
        assert comment.user is not None
        assert comment.user.login == "gate[bot]"
        files = (await api.rest.pulls.async_list_files("acme", "shop", 1)).parsed_data
        assert [f.filename for f in files] == ["change"]
        held = (await api.rest.apps.async_list_repos_accessible_to_installation()).parsed_data
        assert held.total_count == 1
        with pytest.raises(RequestFailed) as refused:
            await api.rest.repos.async_create_or_update_file_contents("acme", "shop", "x", message="m", content="eA==")
        assert refused.value.response.status_code == 403


async def test_a_person_pages_through_comments(hub: SimulatedGitHub) -> None:
    url = await served(hub)
    for n in range(7):
        await hub.comment("acme/shop", 1, "bob", f"{n}")
    auth = TokenAuthStrategy(hub.user_token("ada"))
    async with GitHub(auth, base_url=url, auto_retry=False, http_cache=False, timeout=10) as api:
        list_comments = api.rest.issues.async_list_comments
        pages = api.rest.paginate(list_comments, owner="acme", repo="shop", issue_number=1, per_page=3)
        assert [comment.body async for comment in pages] == [str(n) for n in range(7)]


async def test_many_callers_at_once(hub: SimulatedGitHub) -> None:
    """Forty pull requests opened and read concurrently; numbers are unique and nothing is lost."""

    url = await served(hub)
    for n in range(20):
        await hub.push("acme/shop", f"b{n}", {f"f{n}": "x"}, author="ada")
    headers = {"authorization": f"Bearer {hub.user_token('ada')}"}
    async with httpx.AsyncClient(base_url=f"{url}/repos/acme/shop", headers=headers, timeout=60) as api:
        bodies = [{"head": f"b{n}", "base": "main", "title": f"{n}"} for n in range(20)]
        made = await asyncio.gather(*(api.post("/pulls", json=body) for body in bodies))
        assert sorted(m.json()["number"] for m in made) == list(range(2, 22))
        listed = await api.get("/pulls?per_page=100")
    assert len(listed.json()) == 21
