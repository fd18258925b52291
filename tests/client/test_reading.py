"""Conditional reads, joined reads, pages, and what each request carries."""

from __future__ import annotations

import asyncio
import json
import random

import httpx
import pytest

from app.github.client import GitHubClient
from app.github.counts import counting
from app.github.errors import GitHubDown, UnexpectedAnswer
from app.github.etags import EtagStore, Stored
from app.github.identity import AppIdentity
from tests.client.double import API, GitHubDouble, Thing, pem

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"


def conditional(request: httpx.Request) -> httpx.Response:
    if request.headers.get("if-none-match") == '"v1"':
        return httpx.Response(304, headers={"etag": '"v1"'})
    return httpx.Response(200, json={"number": 1}, headers={"etag": '"v1"'})


async def read(client: GitHubClient, path: str = PULL) -> Thing:
    return await client.get(path, purpose="read", model=Thing)


async def test_an_unchanged_object_comes_from_the_store(github: GitHubDouble) -> None:
    route = github.get(PULL).mock(side_effect=conditional)
    client = github.client()
    assert await read(client) == await read(client) == Thing(number=1)
    assert [call.response.status_code for call in route.calls] == [200, 304]


async def test_a_changed_object_replaces_the_stored_one(github: GitHubDouble) -> None:
    answers = [httpx.Response(200, json={"number": n}, headers={"etag": f'"v{n}"'}) for n in (1, 2)]
    route = github.get(PULL).mock(side_effect=[*answers, httpx.Response(304)])
    client = github.client()
    assert [(await read(client)).number for _ in range(3)] == [1, 2, 2]
    assert [call.request.headers.get("if-none-match") for call in route.calls] == [None, '"v1"', '"v2"']


async def test_a_304_that_was_not_asked_for_is_not_read_as_empty(github: GitHubDouble) -> None:
    github.get(PULL).respond(304)
    with pytest.raises(UnexpectedAnswer, match="304"):
        await read(github.client())


async def test_two_installations_share_no_answers(github: GitHubDouble) -> None:
    route = github.get(PULL).mock(side_effect=conditional)
    await read(github.client())
    await read(github.client())
    assert [call.response.status_code for call in route.calls] == [200, 200]


async def test_an_etag_of_one_purpose_is_not_offered_with_another_ones_token(github: GitHubDouble) -> None:
    route = github.get(PULL).mock(side_effect=conditional)
    client = github.client()
    await client.get(PULL, purpose="read:pull", model=Thing)
    await client.get(PULL, purpose="list", model=Thing)
    await client.get(PULL, purpose="read:other", model=Thing)
    assert [call.response.status_code for call in route.calls] == [200, 200, 304]


async def test_twenty_identical_reads_are_one_request(github: GitHubDouble) -> None:
    async def slow(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.02)
        return httpx.Response(200, json={"number": 1})

    route = github.get(PULL).mock(side_effect=slow)
    client = github.client()
    with counting("pull:7:1:1") as tally:
        await asyncio.gather(*[read(client) for _ in range(20)])
    assert route.call_count == 1
    assert tally.cost == 1


async def test_a_joined_read_survives_the_one_that_began_it(github: GitHubDouble) -> None:
    async def slow(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.03)
        return httpx.Response(200, json={"number": 1})

    github.get(PULL).mock(side_effect=slow)
    client = github.client()
    first, second = asyncio.create_task(read(client)), asyncio.create_task(read(client))
    await asyncio.sleep(0.01)
    first.cancel()
    assert (await second).number == 1


async def test_a_read_after_a_write_does_not_join_one_from_before(github: GitHubDouble) -> None:
    state = {"number": 1}

    async def slow(request: httpx.Request) -> httpx.Response:
        seen = dict(state)
        await asyncio.sleep(0.03)
        return httpx.Response(200, json=seen)

    def change(request: httpx.Request) -> httpx.Response:
        state["number"] = 2
        return httpx.Response(200, json=state)

    github.get(PULL).mock(side_effect=slow)
    github.router.patch(API + PULL).mock(side_effect=change)
    client = github.client()
    before = asyncio.create_task(read(client))
    await asyncio.sleep(0.01)
    await client.patch(PULL, purpose="reviews", model=Thing, json={})
    assert (await read(client)).number == 2
    assert (await before).number == 1


async def test_a_failed_read_is_asked_again(github: GitHubDouble) -> None:
    github.get(PULL).mock(side_effect=[httpx.Response(502), httpx.Response(200, json={"number": 1})])
    client = github.client()
    with pytest.raises(GitHubDown):
        await read(client)
    assert (await read(client)).number == 1


def noise(size: int) -> bytes:
    """Nothing that can be compressed."""
    return random.Random(7).randbytes(size)


def test_the_store_forgets_what_was_not_used_for_longest() -> None:
    store = EtagStore(limit_bytes=4400)
    for name in "abcd":
        store.put(name, Stored("", noise(1000), ""))
    store.get("a")
    store.put("e", Stored("", noise(1000), ""))
    assert [name for name in "abcde" if store.get(name)] == ["a", "c", "d", "e"]
    store.put("huge", Stored("", noise(1101), ""))
    assert store.get("huge") is None
    assert store.get("a") == Stored("", noise(1000), "")


def test_the_store_holds_more_than_its_size_of_what_github_says() -> None:
    store, answer = EtagStore(limit_bytes=4000), Stored('"1"', b'{"url": "https://api.github.com/repos"},' * 1000, "")
    store.put("a", answer)
    assert store.get("a") == answer


def test_an_object_that_grew_too_large_leaves_no_old_answer_behind() -> None:
    store = EtagStore(limit_bytes=4000)
    store.put("a", Stored('"1"', b"x", ""))
    store.put("a", Stored('"2"', noise(2000), ""))
    assert store.get("a") is None


def link(url: str) -> dict[str, str]:
    return {"link": f'<{API}/first>; rel="prev", <{url}>; rel="next", <{API}/last>; rel="last"'}


async def test_pages_follow_the_next_link(github: GitHubDouble) -> None:
    first = github.router.get(API + PULL, params={"per_page": 100})
    first.respond(json=[{"number": 1}], headers=link(f"{API}/repositories/9/x?page=2"))
    github.get("/repositories/9/x", params={"page": 2}).respond(json=[{"number": 2}])
    pages, complete = await github.client().pages(PULL, purpose="read", model=list[Thing])
    assert pages == [[Thing(number=1)], [Thing(number=2)]]
    assert complete
    assert len(github.minted) == 1


async def test_pages_end_at_the_limit_and_say_so(github: GitHubDouble) -> None:
    github.get(PULL).respond(json=[{"number": 1}], headers=link(f"{API}{PULL}?page=2"))
    pages, complete = await github.client().pages(PULL, purpose="read", model=list[Thing], most=3)
    assert len(pages) == 3
    assert not complete


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/x",
        "http://api.example.test/x",
        "https://api.example.test:8443/x",
        "https://api.example.test.evil/x",
    ],
)
async def test_a_next_page_elsewhere_never_sees_the_token(github: GitHubDouble, url: str) -> None:
    github.get(PULL).respond(json=[], headers=link(url))
    with pytest.raises(UnexpectedAnswer, match="another host"):
        await github.client().pages(PULL, purpose="read", model=list[Thing])


async def test_a_next_page_that_is_no_address(github: GitHubDouble) -> None:
    github.get(PULL).respond(json=[], headers=link("https://[::1"))
    with pytest.raises(UnexpectedAnswer):
        await github.client().pages(PULL, purpose="read", model=list[Thing])


async def test_an_etag_that_is_no_header_value_is_not_sent_back(github: GitHubDouble) -> None:
    etag = [(b"etag", '"ä"'.encode())]
    route = github.get(PULL).mock(side_effect=lambda _: httpx.Response(200, json={"number": 1}, headers=etag))
    client = github.client()
    await read(client)
    await read(client)
    assert "if-none-match" not in route.calls.last.request.headers


async def test_text_that_is_no_utf_8_is_written_with_question_marks(github: GitHubDouble) -> None:
    route = github.post("/repos/o/r/issues/1/comments").respond(201, json={"number": 1})
    body = {"body": "log: \udcff ä"}
    await github.client().post("/repos/o/r/issues/1/comments", purpose="comments", model=Thing, json=body)
    request = route.calls.last.request
    assert json.loads(request.content) == {"body": "log: ? ä"}
    assert request.headers["content-type"] == "application/json"


async def test_an_enterprise_server_keeps_its_prefix(github: GitHubDouble) -> None:
    server = "https://ghe.example/api/v3"
    expires = {"token": "ghs_x", "expires_at": "2999-01-01T00:00:00Z"}
    github.router.post(f"{server}/app/installations/7/access_tokens").respond(201, json=expires)
    github.router.get(server + PULL).respond(json={"number": 1})
    github.router.post("https://ghe.example/api/graphql").respond(json={"data": {"number": 2}})
    client = GitHubClient(AppIdentity("gate", 1, (pem(0),), server), 7, inner=github.transport())
    assert (await read(client)).number == 1
    answer = await client.graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    assert answer.number == 2


async def test_the_link_of_an_unchanged_page_is_followed(github: GitHubDouble) -> None:
    def first(request: httpx.Request) -> httpx.Response:
        if "if-none-match" in request.headers:
            return httpx.Response(304)
        return httpx.Response(200, json=[{"number": 1}], headers={"etag": '"p"', **link(f"{API}/next")})

    github.get(PULL).mock(side_effect=first)
    github.get("/next").respond(json=[{"number": 2}])
    client = github.client()
    for _ in range(2):
        pages, complete = await client.pages(PULL, purpose="read", model=list[Thing])
        assert len(pages) == 2
        assert complete


async def test_each_request_names_the_version_and_json(github: GitHubDouble) -> None:
    route = github.get(PULL).respond(json={"number": 1})
    await read(github.client())
    headers = route.calls.last.request.headers
    assert headers["x-github-api-version"] == "2026-03-10"
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["user-agent"] == "mergegate"


async def test_nested_counts_each_see_their_own(github: GitHubDouble) -> None:
    github.get(PULL).respond(json={"number": 1})
    client = github.client()
    with counting("outer") as outer:
        await read(client)
        with counting("inner") as inner:
            await read(client)
    await read(client)
    assert (outer.cost, inner.cost, client.counts["read"]) == (2, 1, 3)
