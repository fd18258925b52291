"""Redirects: logs and archives come from another host without the token, objects never do."""

from __future__ import annotations

import pytest

from app.github.client import GitHubClient
from app.github.counts import counting
from app.github.errors import GitHubDown, NotFound, TooLarge, UnexpectedAnswer
from tests.client.double import API, GitHubDouble, Thing

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"
LOG = "/repos/o/r/actions/jobs/5/logs"
BLOBS = "https://blobs.example.net/log?sig=secret"


async def read(client: GitHubClient, path: str = PULL) -> Thing:
    return await client.get(path, purpose="read", model=Thing)


async def test_a_log_comes_from_another_host_without_the_token(github: GitHubDouble) -> None:
    github.get(LOG).respond(302, headers={"location": BLOBS})
    blobs = github.router.get(BLOBS).respond(content=b"the log")
    with counting("pull:7:1:1") as tally:
        assert await github.client().download(LOG, purpose="read:log", limit_bytes=100) == b"the log"
    assert "authorization" not in blobs.calls.last.request.headers
    assert tally.cost == 1


async def test_a_redirect_on_the_same_host_keeps_the_token(github: GitHubDouble) -> None:
    github.get(LOG).respond(302, headers={"location": "/storage/5"})
    stored = github.get("/storage/5").respond(content=b"the log")
    assert await github.client().download(LOG, purpose="read:log", limit_bytes=100) == b"the log"
    assert stored.calls.last.request.headers["authorization"].startswith("token ")


async def test_a_log_may_also_come_at_once(github: GitHubDouble) -> None:
    github.get(LOG).respond(content=b"the log")
    assert await github.client().download(LOG, purpose="read:log", limit_bytes=100) == b"the log"


@pytest.mark.parametrize(
    "location",
    [
        "",
        "http://blobs.example.net/log",
        "https://user:word@blobs.example.net/",
        "ftp://x/y",
        "file:///etc/passwd",
        "//",
    ],
)
async def test_an_unsafe_redirect_is_not_followed(github: GitHubDouble, location: str) -> None:
    github.get(LOG).respond(302, headers={"location": location})
    with pytest.raises(UnexpectedAnswer):
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)


@pytest.mark.parametrize(
    "location",
    [
        "https://[::1",
        "https://blobs.example.net:port/",
        "https://blobs.example.net/\x7f",
        "https://blobs.example.net/" + "x" * 70_000,
    ],
    ids=lambda value: value[:40],
)
async def test_a_redirect_to_no_address_is_an_error_of_ours(github: GitHubDouble, location: str) -> None:
    """httpx looks at the address by itself, so that some of these count as a broken answer."""
    github.get(LOG).respond(302, headers={"location": location})
    with pytest.raises((UnexpectedAnswer, GitHubDown)):
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)


@pytest.mark.parametrize("second", [BLOBS + "2", API + "/storage/2"])
@pytest.mark.parametrize("first", [BLOBS, API + "/storage/1"])
async def test_a_second_redirect_is_not_followed(github: GitHubDouble, first: str, second: str) -> None:
    github.get(LOG).respond(302, headers={"location": first})
    github.router.get(first).respond(302, headers={"location": second})
    reached = github.router.get(second).respond(content=b"x")
    with pytest.raises(UnexpectedAnswer):
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)
    assert reached.call_count == 0


@pytest.mark.parametrize("host", [BLOBS, API + "/storage/5"])
async def test_a_log_over_the_limit_is_too_large(github: GitHubDouble, host: str) -> None:
    github.get(LOG).respond(302, headers={"location": host})
    github.router.get(host).respond(content=b"x" * 101)
    with pytest.raises(TooLarge):
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)


@pytest.mark.parametrize(("status", "error"), [(404, NotFound), (410, NotFound), (403, GitHubDown), (503, GitHubDown)])
async def test_a_store_that_refuses(github: GitHubDouble, status: int, error: type[Exception]) -> None:
    github.get(LOG).respond(302, headers={"location": BLOBS})
    github.router.get(BLOBS).respond(status, content=b"<?xml?>")
    with pytest.raises(error) as caught:
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)
    assert "sig=" not in str(caught.value)


async def test_an_expired_log_is_not_found(github: GitHubDouble) -> None:
    github.get(LOG).respond(410, json={"message": "Gone"})
    with pytest.raises(NotFound):
        await github.client().download(LOG, purpose="read:log", limit_bytes=100)


async def test_a_renamed_repository_is_followed_once(github: GitHubDouble) -> None:
    github.get(PULL).respond(301, headers={"location": f"{API}/repositories/9/pulls/1"})
    github.get("/repositories/9/pulls/1").respond(json={"number": 1})
    assert (await read(github.client())).number == 1


async def test_an_object_is_never_read_from_another_host(github: GitHubDouble) -> None:
    github.get(PULL).respond(302, headers={"location": BLOBS})
    elsewhere = github.router.get(BLOBS).respond(json={"number": 1})
    with pytest.raises(UnexpectedAnswer):
        await read(github.client())
    assert elsewhere.call_count == 0
