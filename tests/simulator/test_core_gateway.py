"""What surrounds every answer: validators, limits, versions, pages, headers, faults and the log."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from githubkit_schemas.v2026_03_10 import models
from starlette.types import Message

from tests.github.faults import Fault
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import as_user, client, pull, shop, valid

pytestmark = pytest.mark.anyio
SHOP = "/repos/acme/shop"


@pytest.fixture
async def api(hub: SimulatedGitHub) -> AsyncIterator[httpx.AsyncClient]:
    await pull(hub, await shop(hub))
    async with as_user(hub, "ada") as caller:
        yield caller


def used(answer: httpx.Response) -> int:
    return int(answer.headers["x-ratelimit-used"])


async def test_an_unchanged_answer_is_304_and_costs_nothing(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    first = await api.get(f"{SHOP}/pulls/1")
    again = await api.get(f"{SHOP}/pulls/1", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, used(again)) == (304, b"", used(first))
    assert again.headers["etag"] == first.headers["etag"]
    await hub.edit_pull("acme/shop", 1, "ada", title="Another")
    changed = await api.get(f"{SHOP}/pulls/1", headers={"if-none-match": first.headers["etag"]})
    assert (changed.status_code, used(changed)) == (200, used(first) + 1)
    assert [r.unchanged for r in hub.requests] == [False, True, False]


async def test_entity_tags_are_the_credential_s_own(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    tag = (await api.get(SHOP)).headers["etag"]
    async with as_user(hub, "bob") as other, as_user(hub, "ada") as second_token:
        assert (await other.get(SHOP, headers={"if-none-match": tag})).status_code == 200
        assert (await second_token.get(SHOP, headers={"if-none-match": tag})).status_code == 304
        hub.world.switches.etag_per_token = True
        tag = (await api.get(SHOP)).headers["etag"]
        assert (await second_token.get(SHOP, headers={"if-none-match": tag})).status_code == 200


async def test_headers_of_every_answer(api: httpx.AsyncClient) -> None:
    for path, status in ((SHOP, 200), ("/repos/acme/nowhere", 404)):
        answer = await api.get(path)
        assert answer.status_code == status
        assert answer.headers["vary"].startswith("Accept, Authorization, Cookie, X-GitHub-OTP")
        assert answer.headers["cache-control"] == "private, max-age=60, s-maxage=60"
        assert answer.headers["x-github-media-type"] == "github.v3; format=json"
        assert answer.headers["x-github-api-version-selected"] == "2026-03-10"
        assert re.fullmatch(r"[0-9A-F:]+", answer.headers["x-github-request-id"])
        assert answer.headers["x-ratelimit-resource"] == "core"
    raw = await api.get(f"{SHOP}/contents/README.md", headers={"accept": "application/vnd.github.raw+json"})
    assert (raw.content, raw.headers["x-github-media-type"]) == (b"A shop\n", "github.v3; format=raw")


async def test_an_error_says_its_status_as_text(api: httpx.AsyncClient) -> None:
    for method, path in (
        ("GET", "/nothing/here"),
        ("DELETE", SHOP),
        ("GET", f"{SHOP}/pulls/99"),
        ("GET", f"{SHOP}/pulls/x"),
    ):
        answer = await api.request(method, path)
        assert (answer.status_code, answer.json()["message"], answer.json()["status"]) == (404, "Not Found", "404")
    broken = await api.post(f"{SHOP}/issues", content=b"{")
    assert (broken.status_code, broken.json()["message"]) == (400, "Problems parsing JSON")


async def test_the_primary_limit(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    hub.rate_limits.exhaust("user:ada", reset_in=timedelta(minutes=10))
    refused = await api.get(SHOP)
    assert refused.status_code == 403
    assert refused.json()["message"].startswith("API rate limit exceeded")
    assert refused.headers["x-ratelimit-remaining"] == "0"
    overview = valid(models.RateLimitOverview, (await api.get("/rate_limit")).json())
    assert overview["resources"]["core"]["remaining"] == 0
    async with as_user(hub, "bob") as other:
        assert (await other.get(SHOP)).status_code == 200
    hub.world.clock_offset = timedelta(minutes=11)
    assert used(await api.get(SHOP)) == 1


@pytest.mark.parametrize("status", [403, 429])
async def test_a_secondary_limit(hub: SimulatedGitHub, api: httpx.AsyncClient, status: int) -> None:
    hub.rate_limits.refuse_next(1, retry_after=17, status=status)
    refused = await api.get(SHOP)
    assert (refused.status_code, refused.headers["retry-after"]) == (status, "17")
    assert "secondary rate limit" in refused.json()["message"]
    assert (await api.get(SHOP)).status_code == 200
    hub.rate_limits.refuse_next(1, retry_after=None)
    assert "retry-after" not in (await api.get(SHOP)).headers


async def test_what_the_newer_version_took_away(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    older = {"x-github-api-version": "2022-11-28"}
    path = f"{SHOP}/pulls/1"
    old, new = (await api.get(path, headers=older)).json(), (await api.get(path)).json()
    assert set(old) - set(new) == {"merge_commit_sha", "assignee"}
    assert old["merge_commit_sha"] == await hub.git(hub.repo("acme/shop")).rev_parse("refs/pull/1/merge")
    assert "has_downloads" in old["base"]["repo"]
    assert "has_downloads" not in new["base"]["repo"]
    assert "rate" in (await api.get("/rate_limit", headers=older)).json()
    assert "rate" not in (await api.get("/rate_limit")).json()
    assert (await api.get(path, headers={"x-github-api-version": "2020-01-01"})).status_code == 400


async def test_pages_and_their_links(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    for n in range(5):
        await hub.comment("acme/shop", 1, "bob", f"comment {n}")
    first = await api.get(f"{SHOP}/issues/1/comments?per_page=2")
    links = first.links
    assert set(links) == {"next", "last"}
    assert f"/repositories/{hub.repo('acme/shop').id}/issues/1/comments" in links["next"]["url"]
    second = await api.get(links["next"]["url"])
    assert [c["body"] for c in second.json()] == ["comment 2", "comment 3"]
    assert set(second.links) == {"prev", "next", "last", "first"}
    last = await api.get(second.links["last"]["url"])
    assert [c["body"] for c in last.json()] == ["comment 4"]
    assert set(last.links) == {"prev", "first"}
    assert (await api.get(f"{SHOP}/issues/1/comments?per_page=1000")).links == {}


async def test_both_mounts_answer_alike(api: httpx.AsyncClient) -> None:
    assert (await api.get(f"/api/v3{SHOP}/pulls/1")).json() == (await api.get(f"{SHOP}/pulls/1")).json()


async def test_the_log_names_caller_and_route(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    await api.get(f"/api/v3{SHOP}/pulls/1?x=1")
    [record] = hub.requests
    assert (record.template, record.path, record.actor) == (
        "/repos/{owner}/{repo}/pulls/{number}",
        f"{SHOP}/pulls/1",
        "ada",
    )
    assert str(record) == f"200 GET {SHOP}/pulls/1?x=1 by ada"


async def test_a_request_that_fails_has_no_effect(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    fault = hub.faults.add(Fault("fail", method="POST", path=r"/comments$", status=502))
    comments = f"{SHOP}/issues/1/comments"
    assert (await api.post(comments, json={"body": "one"})).status_code == 502
    assert (await api.get(comments)).json() == []
    assert (await api.post(comments, json={"body": "two"})).status_code == 201
    assert fault.hits == 1


async def test_a_request_that_fails_after_its_effect(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    hub.faults.add(Fault("fail_after", method="POST", path=r"/comments$", status=504))
    comments = f"{SHOP}/issues/1/comments"
    assert (await api.post(comments, json={"body": "one"})).status_code == 504
    assert [c["body"] for c in (await api.get(comments)).json()] == ["one"]


async def test_a_reading_that_lags(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    path = f"{SHOP}/pulls/1"
    old = (await api.get(path)).json()["title"]
    await hub.edit_pull("acme/shop", 1, "ada", title="Newer")
    hub.faults.add(Fault("lag", method="GET", path=r"/pulls/1$", count=2))
    titles = [(await api.get(path)).json()["title"] for _ in range(3)]
    assert titles == [old, old, "Newer"]


async def test_a_slow_answer(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    hub.faults.add(Fault("slow", path=SHOP, seconds=30))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await api.get(SHOP)
    assert (await api.get(SHOP)).status_code == 200


@pytest.mark.parametrize(("kind", "comments"), [("cut", 0), ("cut_after", 1)])
async def test_a_connection_that_is_cut(hub: SimulatedGitHub, kind: str, comments: int) -> None:
    """Over a real socket and in process alike the client sees the connection end within the answer."""
    await pull(hub, await shop(hub))
    url = await hub.start()
    token = hub.user_token("ada")
    hub.faults.add(Fault(kind, method="POST", path=r"/comments$", count=2))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers) as remote, client(hub, token) as local:
        for caller in (remote, local):
            with pytest.raises(httpx.RemoteProtocolError):
                await caller.post(f"{SHOP}/issues/1/comments", json={"body": "one"})
    assert len(hub.repo("acme/shop").issues[1].comments) == 2 * comments


async def test_faults_by_the_name_of_a_graphql_operation(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    async def ask(name: str) -> httpx.Response:
        return await api.post("/graphql", json={"query": f"query {name} {{ viewer {{ login }} }}"})

    hub.faults.add(Fault("fail", operation="Second", status=504))
    answers = [await ask(name) for name in ("First", "Second", "Second")]
    assert [a.status_code for a in answers] == [200, 504, 200]
    assert [r.operation for r in hub.requests] == ["First", "Second", "Second"]
    assert answers[0].headers["x-ratelimit-resource"] == "graphql"


async def test_a_fault_is_chosen_by_method_and_path(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    hub.faults.add(Fault("fail", method="POST", path=r"/issues$"))
    hub.faults.add(Fault("fail", path=r"^/repos/acme/shop/labels$", count=1000))
    assert (await api.get(f"{SHOP}/issues")).status_code == 200
    assert (await api.get(f"/api/v3{SHOP}/labels")).status_code == 502
    hub.faults.clear()
    assert (await api.get(f"{SHOP}/labels")).status_code == 200


async def test_who_is_gone_before_its_request_was_whole_has_asked_nothing(hub: SimulatedGitHub) -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError(f"nobody is there to hear {message}")

    path = "/repos/acme/shop/issues/1/comments"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    await hub.app({**scope, "headers": [], "server": ("test", 80), "scheme": "http"}, receive, send)
    assert (hub.crashes, hub.requests) == ([], [])
