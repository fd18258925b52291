"""T01 to T16 and T34 of the attack list, as bytes on a socket."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import statistics
import time
from typing import Any, LiteralString

import pytest

from app.proxy import listening
from app.proxy.application import NOTHING_HERE
from tests.proxy.scene import Scene

pytestmark = pytest.mark.anyio

ADVERTISEMENT = "/info/refs?service=git-upload-pack"


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


def request(
    method: str, target: str, *headers: str, body: bytes = b"", host: str | None = "proxy", token: str | None = None
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1"]
    lines += [] if host is None else [f"Host: {host}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += list(headers)
    lines += [f"Content-Length: {len(body)}"] if body and not any("ransfer-" in one for one in headers) else []
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def status(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.1 "), answer[:100]
    return int(answer.split(b" ", 2)[1])


async def ask(town: Scene, method: str, target: str, *headers: str, **more: object) -> bytes:
    more.setdefault("token", town.token)
    return await town.raw(request(method, target, *headers, **more))  # type: ignore[arg-type]


async def test_the_ordinary_request_gets_through(town: Scene) -> None:
    answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT)
    assert status(answer) == 200 and b"# service=git-upload-pack" in answer


async def test_t01_other_repositories_are_like_missing_ones(town: Scene) -> None:
    before = len(town.upstream)
    names = ("acme/other", "acme/public", "other/shop", "nobody/nothing", "acme/shop2", "acme/.git", "acme/sho")
    answers = {await ask(town, "GET", f"/git/{name}.git{path}") for name in names for path in (ADVERTISEMENT, "/HEAD")}
    (only,) = answers
    assert status(only) == 404 and only.endswith(NOTHING_HERE)
    assert len(town.upstream) == before


@pytest.mark.parametrize("name", ["acme/shop", "acme/shop.git", "ACME/Shop.git", "acme/SHOP"])
async def test_t02_the_repository_in_githubs_spellings(town: Scene, name: str) -> None:
    assert status(await ask(town, "GET", f"/git/{name}{ADVERTISEMENT}")) == 200


@pytest.mark.parametrize("name", ["acme/shop.git.git", "acme/shop.GIT", "acme/shop/.git", "acme/shop.git/"])
async def test_t02_other_spellings(town: Scene, name: str) -> None:
    before = len(town.upstream)
    assert status(await ask(town, "GET", f"/git/{name}{ADVERTISEMENT}")) in (400, 404)
    assert len(town.upstream) == before


BAD = [
    "/git/acme%2fshop.git/git-receive-pack",
    "/git/acme/other/%2e%2e/shop.git/git-receive-pack",
    "/git/acme/shop%252e/git-receive-pack",
    "/git/acme/shop%00.git/git-receive-pack",
    "/git/acme/shop.git/%67it-receive-pack",
    "/git/acme/shop.git/git-receive-pack;x=1",
    "/git/acme\\shop.git/git-receive-pack",
    "/git/acme//shop.git/git-receive-pack",
    "/git/acme/shop.git//git-receive-pack",
    "/git/acme/./shop.git/git-receive-pack",
    "/git/acme/sh\xf6p.git/git-receive-pack",
    "/git/acme/" + "x" * 8192 + "/git-receive-pack",
    "/git/acme/shop.git/git-receive-pack?x=1",
    "/git/acme/shop.git/info/refs",
    "/git/acme/shop.git/info/refs?service=git-upload-pack&service=git-receive-pack",
    "/git/acme/shop.git/info/refs?service=git-upload-pack&x=1",
    "/git/acme/shop.git/info/refs?Service=git-upload-pack",
    "/git/acme/shop.git/info/refs?service=git-upload-packx",
    f"/git/acme/shop.git/info/refs?service=git-upload-pack&token=mgs_{'0' * 49}",
]


@pytest.mark.parametrize("target", BAD)
async def test_t03_t04_addresses_that_could_be_read_in_two_ways(town: Scene, target: str) -> None:
    before = len(town.upstream)
    method = "GET" if "info/refs" in target else "POST"
    assert status(await ask(town, method, target)) in (400, 404)
    assert status(await ask(town, method, target)) == 400 or "x" * 100 in target
    assert len(town.upstream) == before


async def test_t05_the_upstream_is_always_the_same(town: Scene) -> None:
    before = len(town.upstream)
    path = "/git/acme/shop.git" + ADVERTISEMENT
    elsewhere = ("X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http", "X-Original-URL: /git/acme/other.git")
    assert status(await ask(town, "GET", path, *elsewhere, "Forwarded: host=evil.example", host="evil.example")) == 200
    assert status(await ask(town, "GET", "http://evil.example" + path)) == 200
    for one in town.upstream[before:]:
        assert one.headers["host"] == town.github.world.base_url.removeprefix("http://")
        assert "evil" not in str(one) and "other" not in str(one)
    assert status(await ask(town, "GET", path, host=None)) == 400
    assert status(await ask(town, "GET", path, "Host: other")) == 400
    assert status(await ask(town, "CONNECT", "github.com:443")) in (400, 404)


@pytest.mark.parametrize(
    "path",
    [
        "/HEAD",
        "/objects/info/packs",
        f"/objects/aa/{'b' * 38}",
        "/archive/main.zip",
        "/raw/main/README.md",
        "/info/lfs/locks/verify",
        "",
    ],
)
async def test_t06_nothing_but_the_smart_protocol(town: Scene, path: str) -> None:
    before = len(town.upstream)
    assert status(await ask(town, "GET", f"/git/acme/shop.git{path}")) == 404
    assert status(await ask(town, "GET", f"/git/acme/shop.wiki.git{ADVERTISEMENT}")) == 404
    assert status(await ask(town, "GET", f"/git/gist.github.com/acme/1{ADVERTISEMENT}")) == 404
    assert len(town.upstream) == before


PUSH = "/git/acme/shop.git/git-receive-pack"
TYPE = "Content-Type: application/x-git-receive-pack-request"


@pytest.mark.parametrize(
    "raw",
    [
        request("POST", PUSH, TYPE, "Content-Length: 4", "Transfer-Encoding: chunked", body=b"4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", "Content-Length: 4", body=b"0000"),
        request("POST", PUSH, TYPE, "Content-Length: 4", "Content-Length: 5", body=b"0000"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: gzip, chunked", body=b"4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: xchunked", body=b"4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: identity", body=b"4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding : chunked", body=b"4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", body=b"4\n0000\n0\n\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", body=b"0x4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", body=b"-4\r\n0000\r\n0\r\n\r\n"),
        request("POST", PUSH, TYPE, "Content-Length: +4", body=b"0000"),
        request("POST", PUSH, TYPE, "Content-Length: 4", "X: a", " folded", body=b"0000"),
    ],
)
async def test_t08_bodies_with_two_lengths(town: Scene, raw: bytes) -> None:
    before = len(town.upstream)
    signed = raw.replace(b"Host: proxy", f"Host: proxy\r\nAuthorization: Bearer {town.token}".encode(), 1)
    answer = await town.raw(signed)
    assert status(answer) == 400 and b"connection: close" in answer.lower()
    assert len(town.upstream) == before


async def test_t08_trailers_end_the_connection_and_chunk_extensions_stay_here(town: Scene) -> None:
    probe = request("POST", PUSH, TYPE, f"Authorization: Bearer {town.token}", "Transfer-Encoding: chunked")
    extended = await town.raw(probe + b"4;evil=1\r\n0000\r\n0\r\n\r\n")
    assert status(extended) == 200
    trailed = await town.raw(probe + b"4\r\n0000\r\n0\r\nAuthorization: Bearer other\r\n\r\n")
    assert trailed == b"" or status(trailed) in (200, 400)
    assert not any("evil" in str(one) for one in town.upstream)


async def test_t11_t12_the_clients_headers_stay_here(town: Scene) -> None:
    before = len(town.upstream)
    path = "/git/acme/shop.git" + ADVERTISEMENT
    theirs = (
        "Cookie: a=secret1",
        "Proxy-Authorization: Basic secret2",
        "X-GitHub-Token: secret3",
        "Connection: Authorization, User-Agent, close",
        "User-Agent: evil\tagent secret4",
        "Git-Protocol: version=2; secret5",
        "Referer: secret6",
        "Range: bytes=0-10",
        "If-None-Match: secret7",
        "X-Hub-Signature: secret8",
    )
    assert status(await ask(town, "GET", path, *theirs)) == 200
    (reached,) = [one for one in town.upstream[before:] if "info/refs" in one.target]
    assert "secret" not in str(reached) and town.token not in str(reached)
    assert set(reached.headers) == {"host", "user-agent", "accept-encoding", "authorization"}
    assert reached.headers["authorization"].startswith("Basic ")
    second = await ask(town, "GET", path, "Authorization: Bearer other")
    assert status(second) == 400
    assert len([one for one in town.upstream[before:] if "info/refs" in one.target]) == 1


async def test_t15_nothing_is_promised_before_the_head_was_judged(town: Scene) -> None:
    answer = await ask(town, "POST", PUSH, TYPE, "Expect: 100-continue", body=b"0000")
    assert status(answer) == 417 and b"100 Continue" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Authorization: Basic",),
        ("Authorization: Basic !!!",),
        ("Authorization: Basic " + base64.b64encode(b"x:y").decode(),),
        ("Authorization: Basic " + base64.b64encode(b"x:\xff").decode(),),
        ("Authorization: Digest username=x",),
        ("Authorization: Negotiate YII=",),
        ("Authorization:",),
    ],
)
async def test_t34_without_a_valid_token(town: Scene, headers: tuple[str, ...]) -> None:
    before = len(town.upstream)
    for target in ("/git/acme/shop.git" + ADVERTISEMENT, "/git/acme/other.git" + ADVERTISEMENT):
        answer = await ask(town, "GET", target, *headers, token=None)
        assert status(answer) == 401 and b'www-authenticate: Basic realm="Mergegate"' in answer
    assert len(town.upstream) == before


async def test_t34_tokens_that_are_none(town: Scene) -> None:
    """git asks for a password after a 401, so a bearer token, which it did not ask for, gets a 403 with the reason."""
    before = len(town.upstream)
    unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY21lL3Nob3AifQ."
    flipped = town.token[:-1] + ("a" if town.token[-1] != "a" else "b")
    for token in (flipped, town.token[:-6], town.token + "x", "mgs_" + "0" * 49, unsigned, "x" * 5000, "a b"):
        answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)
        assert status(answer) == 403 and b"mergegate: The session token is not known here" in answer
        basic = "Authorization: Basic " + base64.b64encode(f"x:{token}".encode()).decode()
        answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, basic, token=None)
        assert status(answer) == 401 or len(basic) > 5000
    assert len(town.upstream) == before


async def test_t34_the_token_as_git_and_gh_send_it(town: Scene) -> None:
    for header in (
        "Authorization: Basic " + base64.b64encode(f"x:{town.token}".encode()).decode(),
        "Authorization: Basic " + base64.b64encode(f"{town.token}:".encode()).decode(),
        "Authorization: Basic " + base64.b64encode(f"{town.token}:x-oauth-basic".encode()).decode(),
        f"Authorization: token {town.token}",
        f"authorization: BEARER {town.token}",
    ):
        assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, header, token=None)) == 200


async def test_t13_slow_and_long_headers(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening.GuardedProtocol, "header_seconds", 0.1)
    assert status(await town.raw(b"GET /git/acme/shop HTTP/1.1\r\nHost: x\r\nX-Slow: ")) == 400
    reader, writer = await asyncio.open_connection("127.0.0.1", town.port)
    writer.write(request("GET", "/healthz"))
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\r\n")  # between two requests: it begins none, and ends the wait for the next
    async with asyncio.timeout(5):
        assert b"The headers took too long." in await reader.read()
    writer.close()
    monkeypatch.setattr(listening.GuardedProtocol, "header_seconds", 10.0)
    many = request("GET", "/healthz", *(f"X-{n}: {'x' * 1000}" for n in range(80)))
    assert status(await town.raw(many)) in (400, 431)
    endless = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 70_000
    assert status(await town.raw(endless)) in (400, 431)
    assert status(await ask(town, "GET", "/healthz")) == 200


async def test_t13_connections_are_counted(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening.GuardedProtocol, "most_connections", 5)
    idle = [await asyncio.open_connection("127.0.0.1", town.port) for _ in range(20)]
    refused = [reader for reader, _ in idle if not await _stays_open(reader)]
    for _, writer in idle:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    assert len(refused) >= 15
    monkeypatch.setattr(listening.GuardedProtocol, "most_connections", 1000)
    assert status(await ask(town, "GET", "/healthz")) == 200


async def _stays_open(reader: asyncio.StreamReader) -> bool:
    try:
        async with asyncio.timeout(0.1):
            return await reader.read(1) != b""
    except TimeoutError:
        return True
    except ConnectionError:
        return False


async def test_t01_takes_as_long_as_what_is_missing(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same work, and therefore the same time: medians of requests that take turns, so that load hits both alike."""
    asked: list[str] = []
    query = town.database.query

    async def noted(sql: LiteralString, *more: Any) -> Any:
        asked.append(sql)
        return await query(sql, *more)

    monkeypatch.setattr(town.database, "query", noted)
    before = len(town.upstream)
    spent: dict[str, list[float]] = {"other": [], "missing": []}
    work: dict[str, list[list[str]]] = {"other": [], "missing": []}
    for name in ["other", "missing"] * 60:
        begun, known = time.perf_counter(), len(asked)
        await ask(town, "GET", f"/git/acme/{name}.git" + ADVERTISEMENT)
        spent[name].append(time.perf_counter() - begun)
        work[name].append([sql for sql in asked[known:] if "token_hash = %s" in sql])
    assert work["other"] == work["missing"] and len(work["other"][0]) == 1
    assert len(town.upstream) == before
    there, missing = (statistics.median(times) for times in spent.values())
    assert 0.5 < there / missing < 2


async def test_t34_expired_and_stopped_sessions_and_a_token_in_the_address(town: Scene) -> None:
    before = len(town.upstream)
    path = "/git/acme/shop.git" + ADVERTISEMENT
    for number, (sql, said) in enumerate(
        (
            ("update sessions set expires_at = now() where id = %s", b"The session expired at "),
            ("update sessions set ended_at = now(), ended_because = 'enough' where id = %s", b"was stopped at "),
            ("delete from sessions where id = %s", b"The session token is not known here"),
        )
    ):
        token, grant = await town.open(branch=f"refs/heads/agent/dead{number}")
        assert status(await ask(town, "GET", "/session", token=token)) == 200
        await town.database.query(sql, (grant.session,))
        basic = "Authorization: Basic " + base64.b64encode(f"x:{token}".encode()).decode()
        for answer, code in (
            (await ask(town, "GET", path, token=token), 403),
            (await ask(town, "GET", path, basic, token=None), 401),
            (await ask(town, "GET", "/repos/acme/shop/pulls", token=token), 401),
            (await ask(town, "GET", "/session", token=token), 401),
        ):
            assert status(answer) == code and said in answer
    for target in (f"http://x:{town.token}@proxy{path}", f"{path}&access_token={town.token}"):
        assert status(await ask(town, "GET", target, token=None)) in (400, 401)
    assert len(town.upstream) == before
