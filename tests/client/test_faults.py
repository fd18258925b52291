"""What each answer of GitHub's becomes, and what is never done about it."""

from __future__ import annotations

import asyncio
import gzip
import traceback
from collections.abc import AsyncIterator

import httpx
import pytest

from app.github.client import GitHubClient
from app.github.errors import (
    BadCredentials,
    Conflict,
    GitHubDown,
    GitHubError,
    NotFound,
    NotMergeable,
    RateLimited,
    Refused,
    TooLarge,
    UnexpectedAnswer,
)
from app.github.personal import PersonalClient
from app.secret import SecretStr
from tests.client.double import LONG, SHORT, GitHubDouble, Thing

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"
COMMENTS = "/repos/o/r/issues/1/comments"


async def read(client: GitHubClient) -> Thing:
    return await client.get(PULL, purpose="read", model=Thing)


async def write(client: GitHubClient) -> Thing:
    return await client.post(COMMENTS, purpose="comments", model=Thing, json={"body": "x"})


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, UnexpectedAnswer),
        (401, BadCredentials),
        (403, Refused),
        (404, NotFound),
        (405, NotMergeable),
        (409, Conflict),
        (410, NotFound),
        (418, UnexpectedAnswer),
        (422, Refused),
        (429, RateLimited),
        (451, Refused),
        (500, GitHubDown),
        (502, GitHubDown),
        (503, GitHubDown),
        (504, GitHubDown),
    ],
)
async def test_each_status_has_one_error(github: GitHubDouble, status: int, error: type[GitHubError]) -> None:
    github.get(PULL).respond(status, json={"message": "GitHub's own words"})
    with pytest.raises(GitHubError) as caught:
        await read(github.client())
    assert type(caught.value) is error


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_write_that_failed_at_github_is_not_sent_again(github: GitHubDouble, status: int) -> None:
    route = github.post(COMMENTS).respond(status)
    with pytest.raises(GitHubDown) as caught:
        await write(github.client())
    assert route.call_count == 1
    assert caught.value.may_have_happened


async def test_a_read_that_failed_did_not_happen(github: GitHubDouble) -> None:
    github.get(PULL).respond(502)
    with pytest.raises(GitHubDown) as caught:
        await read(github.client())
    assert not caught.value.may_have_happened


@pytest.mark.parametrize(
    ("fault", "may_have_happened"),
    [
        (httpx.ConnectError("no route"), False),
        (httpx.ConnectTimeout("slow"), False),
        (httpx.PoolTimeout("busy"), False),
        (httpx.ReadError("reset"), True),
        (httpx.ReadTimeout("slow"), True),
        (httpx.RemoteProtocolError("cut"), True),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_broken_connection(github: GitHubDouble, fault: httpx.HTTPError, may_have_happened: bool) -> None:
    route = github.post(COMMENTS).mock(side_effect=fault)
    with pytest.raises(GitHubDown, match=type(fault).__name__) as caught:
        await write(github.client())
    assert route.call_count == 1
    assert caught.value.may_have_happened is may_have_happened


async def test_a_server_that_never_answers_costs_the_time_limit_only(github: GitHubDouble) -> None:
    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise AssertionError("not reached")

    github.get(PULL).mock(side_effect=hang)
    async with asyncio.timeout(5):
        with pytest.raises(GitHubDown, match=r"no complete answer within 0\.05 s"):
            await read(github.client(timeout=0.05))


async def test_a_body_that_trickles_is_cut_off_too(github: GitHubDouble) -> None:
    github.get(PULL).mock(return_value=httpx.Response(200, stream=_Stream()))
    async with asyncio.timeout(5):
        with pytest.raises(GitHubDown, match="no complete answer"):
            await read(github.client(timeout=0.05))


class _Stream(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.01)


async def test_a_refusal_names_the_permission_that_is_missing(github: GitHubDouble) -> None:
    wanted = {"x-accepted-github-permissions": "administration=write"}
    github.get(PULL).respond(403, headers=wanted, json={"message": "Resource not accessible by integration"})
    with pytest.raises(Refused, match=r"not accessible by integration.*administration=write") as caught:
        await read(github.client())
    assert (caught.value.status, caught.value.wanted) == (403, "administration=write")
    assert "grant it to the App and accept it in the installation" in str(caught.value)


async def test_a_permission_that_a_person_s_own_token_lacks_is_no_matter_of_the_app() -> None:
    wanted = {"x-accepted-github-permissions": "contents=write"}
    answer = httpx.Response(403, headers=wanted, json={"message": "Resource not accessible by personal access token"})
    client = PersonalClient(SecretStr("t"), "https://api.github.test", inner=httpx.MockTransport(lambda _: answer))
    with pytest.raises(Refused, match=r"GitHub accepts: contents=write; use a token that has it") as caught:
        await client.get("/repos/o/r", purpose="read", model=dict)
    assert "App" not in str(caught.value)
    await client.aclose()


async def test_a_validation_error_names_the_field(github: GitHubDouble) -> None:
    error = {"resource": "CheckRun", "field": "conclusion", "code": "invalid"}
    github.post(COMMENTS).respond(422, json={"message": "Validation Failed", "errors": [error, "a plain sentence"]})
    with pytest.raises(Refused, match="Validation Failed; CheckRun conclusion invalid; a plain sentence"):
        await write(github.client())


@pytest.mark.parametrize("body", [b"", b"<html>Unicorn!</html>", b"[]", b'"text"', b'{"message": null}', b"\xff\xfe"])
async def test_an_error_without_a_readable_body_is_still_that_error(github: GitHubDouble, body: bytes) -> None:
    github.get(PULL).respond(404, content=body)
    with pytest.raises(NotFound, match="404"):
        await read(github.client())


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"number": "x"}', b"\xff"])
async def test_an_answer_in_another_shape_is_unexpected(github: GitHubDouble, body: bytes) -> None:
    github.get(PULL).respond(200, content=body)
    with pytest.raises(UnexpectedAnswer, match=r"GET /repos/o/r/pulls/1.*not as GitHub documents it"):
        await read(github.client())


async def test_an_unexpected_answer_names_fields_and_not_values(github: GitHubDouble) -> None:
    github.get(PULL).respond(json={"number": "private words"})
    with pytest.raises(UnexpectedAnswer) as caught:
        await read(github.client())
    assert "number" in str(caught.value)
    assert "private" not in str(caught.value)


async def test_a_body_over_the_limit_is_not_read_to_its_end(github: GitHubDouble) -> None:
    sent = 0

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            nonlocal sent
            while True:
                sent += 1000
                yield b"x" * 1000

    github.get(PULL).mock(return_value=httpx.Response(200, stream=Endless()))
    with pytest.raises(TooLarge, match="longer than 10000 bytes"):
        await read(github.client(answer_bytes=10_000))
    assert sent <= 12_000


async def test_the_limit_counts_what_a_compressed_body_unpacks_to(github: GitHubDouble) -> None:
    packed = gzip.compress(b" " * 50_000_000)
    assert len(packed) < 100_000
    github.get(PULL).respond(content=packed, headers={"content-encoding": "gzip"})
    with pytest.raises(TooLarge):
        await read(github.client(answer_bytes=1_000_000))


async def test_the_limit_holds_for_error_bodies_too(github: GitHubDouble) -> None:
    github.get(PULL).respond(500, content=b"x" * 10_001)
    with pytest.raises(TooLarge):
        await read(github.client(answer_bytes=10_000))


@pytest.mark.parametrize("token", [SHORT, LONG], ids=["short", "several KB"])
@pytest.mark.parametrize("fault", ["echo", "timeout", "cut", "shape"])
async def test_no_error_shows_a_token(github: GitHubDouble, token: str, fault: str) -> None:
    github.tokens = [token, token]
    answers: dict[str, httpx.Response | Exception] = {
        "echo": httpx.Response(403, json={"message": f"the token {token} may not do this"}),
        "timeout": httpx.ReadTimeout("slow"),
        "cut": httpx.RemoteProtocolError(f"peer closed {token}"),
        "shape": httpx.Response(200, json={"number": token}),
    }
    answer = answers[fault]
    github.get(PULL).mock(side_effect=answer if isinstance(answer, Exception) else [answer])
    client = github.client()
    with pytest.raises(GitHubError) as caught:
        await read(client)
    error = caught.value
    assert error.__cause__ is None
    assert not isinstance(error.__context__, httpx.HTTPError)
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error)) + repr(vars(client))
    assert token not in shown
    assert token[8:40] not in shown


async def test_the_client_shows_no_private_key(github: GitHubDouble) -> None:
    client = github.client()
    await client.token("git", repository="r")
    assert "PRIVATE KEY" not in repr(client.identity)
    assert "ghs_" not in repr(await client.token("git", repository="r"))


@pytest.mark.parametrize("text", ["ghs_" + "a" * 600, "ghp_" + "1" * 36, "github_pat_11ABC_" + "x" * 30, LONG])
def test_a_message_hides_every_form_of_credential(text: str) -> None:
    error = NotFound(f"GET /x?token={text}", f"said {text}.")
    assert text[:24] not in str(error)
    assert "[redacted]" in str(error)


def test_a_message_is_one_line_of_bounded_length() -> None:
    error = NotFound("GET /x", "line\nbreak\x1b[31m " + "word " * 10_000)
    assert "\n" not in str(error)
    assert len(error.because) <= 500
