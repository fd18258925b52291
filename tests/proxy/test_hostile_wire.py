"""Requests that were cut, doubled, mixed and swollen, as bytes on the proxy's socket.

Whatever they are, GitHub is asked for nothing but the session's own repository, no ref moves but the session's branch,
nothing crashes, and no request or connection of it stays. Ten minutes of it under MERGEGATE_SOAK=1;
MERGEGATE_SOAK_SECONDS makes them fewer, MERGEGATE_SOAK_SEED repeats a run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import time
from pathlib import Path

import aiohttp
import pytest
import re2

from app.proxy.api.limits import Requests
from app.store.database import SIZE
from tests.proxy.lasting import SECONDS, SOAK
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import ADVERTISEMENT, request, status
from tests.proxy.test_attacks_push import PUSH, TYPE, pack_of
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio

FEW = 160
AT_ONCE = 16
PATIENCE = 0.1  # seconds for an answer; what was cut gets none
SETTLED = 60.0  # seconds
FETCH = "Content-Type: application/x-git-upload-pack-request"
JSON = "Content-Type: application/json"
OWN = re2.compile(
    r"/acme/shop\.git/(info/refs\?service=git-upload-pack|git-upload-pack|git-receive-pack|info/lfs/objects/batch)"
    r"|/repos/acme/shop(/[A-Za-z0-9._/-]*)?(\?[A-Za-z0-9_=&%.-]*)?|/graphql|/installation/token"
    r"|/app/installations/[0-9]+/access_tokens"
)


def usual(town: Scene) -> list[bytes]:
    """Requests as clients send them, and some that are refused."""
    token, main = town.token, town.refs()["refs/heads/main"]
    wants = b"0032want " + main.encode() + b"\n00000009done\n"
    create = command(old="0" * 40, new=main) + FLUSH + pack_of(main, town)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(create), create)
    asked = json.dumps({"query": '{ repository(owner: "acme", name: "shop") { name } }'}).encode()
    opened = json.dumps({"title": "t", "head": "agent/work", "base": "main"}).encode()
    return [
        request("GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token),
        request("GET", "/git/acme/shop.git/info/refs?service=git-receive-pack", token=token),
        request("GET", "/git/acme/other.git" + ADVERTISEMENT, token=token),
        request("POST", "/git/acme/shop.git/git-upload-pack", FETCH, body=wants, token=token),
        request("POST", PUSH, TYPE, body=create, token=token),
        request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", body=chunked, token=token),
        request("POST", PUSH, TYPE, body=command("refs/heads/main", new="0" * 40) + FLUSH, token=token),
        request("GET", "/repos/acme/shop/pulls?state=open", token=token),
        request("GET", "/api/v3/repos/acme/shop/commits/main/status", token=token),
        request("POST", "/graphql", JSON, body=asked, token=token),
        request("POST", "/repos/acme/shop/pulls", JSON, body=opened, token=token),
        request("GET", "/session", token=token),
    ]


PIECES = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"\t",
        b"\0",
        b"\x7f",
        b"\xff",
        b"%2f",
        b"%2e%2e",
        b"..",
        b"//",
        b"#",
        b"?",
        b"\\",
        b";",
    ),
    *(
        b"0",
        b"0\r\n\r\n",
        b"4\r\n0000\r\n",
        b"4;x=1\r\n0000\r\n",
        b"-1",
        b"0x4",
        b"99999999999999999999",
        b"0000",
        b"0001",
    ),
    *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding:\x0bchunked\r\n", b"Transfer-Encoding: gzip\r\n"),
    *(b"Content-Length: 4\r\n", b"Content-Length: 0\r\n", b"Content-Length: -1\r\n", b"Content-Encoding: gzip\r\n"),
    *(
        b"Host: evil.example\r\n",
        b"Connection: upgrade\r\nUpgrade: h2c\r\n",
        b"Expect: 100-continue\r\n",
        b" folded\r\n",
    ),
    *(b"X-HTTP-Method-Override: DELETE\r\n", b"X-Original-URL: /git/acme/other.git/git-receive-pack\r\n"),
    *(b"Authorization: Bearer mgs_x\r\n", b"acme/other", b"acme/shop", b"refs/heads/main", b"HTTP/1.0", b"HTTP/2.0"),
    *(
        b"http://evil.example",
        b"/../other.git",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /git/acme/other.git/HEAD HTTP/1.1",
    ),
]


def spoiled(chance: random.Random, requests: list[bytes]) -> bytes:
    """One or two requests behind each other, changed in up to four places."""
    raw = bytearray(b"".join(chance.choices(requests, k=chance.choice((1, 1, 1, 2)))))
    for _ in range(chance.randint(0, 4)):
        place = chance.randrange(len(raw) + 1)
        length = chance.choice((0, 0, 1, 2, 8, 40))
        match chance.randrange(5):
            case 0:
                raw[place:place] = chance.choice(PIECES)
            case 1:
                raw[place : place + length] = chance.choice(PIECES)
            case 2:
                del raw[place : place + length]
            case 3:
                raw[place:place] = raw[place : place + length] * chance.choice((1, 1, 200))
            case _:
                at_line = raw.find(b"\r\n", place)
                raw[at_line + 2 : at_line + 2] = chance.choice(PIECES)
    return bytes(raw)


async def sent(town: Scene, raw: bytes) -> bytes:
    """The bytes of the answers that came in time; in two pieces now and then, as a network does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", town.port)
    answer = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(PATIENCE):
            for piece in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):
                writer.write(piece)
                await writer.drain()
            while data := await reader.read(65536):
                answer += data
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return answer


async def quiet(town: Scene, before: int) -> None:
    """Until nothing is under way, no connection to GitHub is in use, and no more sockets are open than before.

    Beside those that are kept for what comes next: to GitHub, with both ends in this process, and to the database. A
    push that broke off takes a few seconds more.
    """
    session, flights = town.proxy._fetching._service.upstream._session, town.proxy._fetching._flights
    assert session is not None and session.connector is not None
    connector = session.connector
    async with asyncio.timeout(SETTLED):
        while flights.number or connector._acquired or sockets() > before + 2 * _kept(connector) + SIZE:  # noqa: ASYNC110 - numbers
            await asyncio.sleep(0.05)


def _kept(connector: aiohttp.BaseConnector) -> int:
    return sum(len(those) for those in connector._conns.values())


def sockets() -> int:
    """How many this process has open."""
    return sum(1 for one in Path("/proc/self/fd").iterdir() if _is_socket(one))


def _is_socket(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.readlink().name.startswith("socket:")
    return False


async def test_no_bytes_reach_what_was_not_granted(
    shared_town: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Requests, "take", lambda *_: None)  # or most of them would meet that limit and nothing else
    town, begun, before = shared_town, time.monotonic(), sockets()
    number, answered = int(os.environ.get("MERGEGATE_SOAK_SEED", time.time_ns() if SOAK else 5)), 0
    chance, requests, refs, tried = random.Random(number), usual(town), town.refs(), 0
    caplog.set_level(logging.ERROR)
    while tried < FEW or (SOAK and time.monotonic() - begun < SECONDS):
        batch = [spoiled(chance, requests) for _ in range(AT_ONCE)]
        answers = await asyncio.gather(*(sent(town, raw) for raw in batch))
        tried += len(batch)
        answered += sum(answer.startswith(b"HTTP/1.1 2") for answer in answers)
        for raw, answer in zip(batch, answers, strict=True):
            assert answer == b"" or (status(answer) < 600 and status(answer) != 500), (number, raw, answer[:300])
            assert not any(token.encode() in answer for token in town.github.world.tokens), (number, raw)
        wrong = [one for one in town.upstream if OWN.fullmatch(one.target) is None]
        assert wrong == [], (number, batch)
        assert all(town.token not in str(one) and "evil" not in str(one) for one in town.upstream), (number, batch)
        assert [one for one in caplog.records if one.exc_info] == [], (number, batch)
        town.upstream.clear()
    await quiet(town, before)
    after = town.refs()
    assert {name for name in {*refs, *after} if refs.get(name) != after.get(name)} <= {"refs/heads/agent/work"}
    assert answered > 0 and status(await town.raw(requests[0])) == 200
    print(
        f"{tried} requests, {answered} of them answered 2xx, in {time.monotonic() - begun:.0f} s, seed {number}, "
        f"{before} sockets open before, {sockets()} afterwards"
    )
