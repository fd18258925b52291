"""The same client over real connections: kept alive, cut, and shared by calls that end at different times."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress

import httpx
import pytest

from app.github.budgets import UNLIMITED
from app.github.client import GitHubClient, Settings
from app.github.errors import BadCredentials, GitHubDown, TooLarge
from app.github.identity import AppIdentity
from app.github.wire import MOST_CONNECTIONS, Call, Wire, transport
from tests.client.double import Thing, pem

pytestmark = pytest.mark.anyio
TOKEN = b'{"token": "ghs_socket000000", "expires_at": "2999-01-01T00:00:00Z"}'
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Answer = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


def respond(writer: asyncio.StreamWriter, body: bytes, *, length: int | None = None, status: str = "200 OK") -> None:
    head = f"HTTP/1.1 {status}\r\ncontent-length: {len(body) if length is None else length}\r\n\r\n"
    writer.write(head.encode() + body)


@asynccontextmanager
async def serving(answer: Answer, limit: float = 5) -> AsyncIterator[tuple[GitHubClient, list[int]]]:
    """A client of a server that mints, and otherwise does what `answer` does; the list grows by each connection."""
    connections: list[int] = []
    talks: list[asyncio.Task[None] | None] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        talks.append(asyncio.current_task())
        while (request := await _request(reader)) is not None:
            if "access_tokens" in request:
                respond(writer, TOKEN, status="201 Created")
            else:
                await answer(request, writer)
            with suppress(ConnectionError):
                await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    client = GitHubClient(
        AppIdentity("gate", 1, (pem(0),), address), 7, settings=Settings(timeout=limit, writes=UNLIMITED)
    )
    try:
        yield client, connections
    finally:
        await client.aclose()
        server.close()
        await asyncio.gather(*[talk for talk in talks if talk is not None])
        await server.wait_closed()


async def _request(reader: asyncio.StreamReader) -> str | None:
    """The request line; None at the end of the connection."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    length = [line for line in head.lower().split("\r\n") if line.startswith("content-length:")]
    await reader.readexactly(int(length[0].partition(":")[2]) if length else 0)
    return head.partition("\r\n")[0]


async def read(client: GitHubClient, number: int = 1) -> Thing:
    return await client.get(f"/repos/o/r/pulls/{number}", purpose="read", model=Thing)


@pytest.mark.parametrize("refused", [False, True])
async def test_an_answer_that_was_read_leaves_nothing_for_the_garbage_collector(refused: bool) -> None:
    """Answers are up to megabytes; those of a day are gone as soon as they were read."""

    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        respond(writer, b'{"number": 1}', status="401 Unauthorized" if refused else "200 OK")

    gc.collect()
    before = set(map(id, _responses()))  # what other tests hold
    gc.disable()
    try:
        async with serving(answer) as (client, _):
            for _ in range(3):
                with pytest.raises(BadCredentials) if refused else nullcontext():
                    await read(client)
            assert [one for one in _responses() if id(one) not in before] == []
    finally:
        gc.enable()


async def test_a_refusal_without_end_is_not_read_to_it() -> None:
    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 1000000000000\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()

    async with serving(answer, 60) as (client, _):
        with pytest.raises(TooLarge):
            await read(client)


def _responses() -> list[httpx.Response]:
    return [one for one in gc.get_objects() if isinstance(one, httpx.Response)]


async def test_one_connection_serves_many_calls() -> None:
    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        respond(writer, b'{"number": 1}')

    async with serving(answer) as (client, connections):
        for number in range(10):
            await read(client, number)
    assert len(connections) == 1


async def test_a_call_that_ends_does_not_cut_off_the_others() -> None:
    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2 if "/9 " in request else 0)
        respond(writer, b'{"number": 1}')

    async with serving(answer) as (client, _):
        things = await asyncio.gather(*[read(client, number) for number in range(10)])
    assert len(things) == 10


async def test_a_body_that_ends_early_is_not_an_answer() -> None:
    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        respond(writer, b'{"number": 1}', length=1000)
        await writer.drain()
        writer.close()

    async with serving(answer) as (client, _):
        with pytest.raises(GitHubDown):
            await read(client)


async def test_a_server_that_hangs_up_before_answering_a_write() -> None:
    requests: list[str] = []

    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        requests.append(request)
        writer.close()

    async with serving(answer) as (client, _):
        with pytest.raises(GitHubDown) as caught:
            await client.post("/repos/o/r/issues/1/comments", purpose="comments", model=Thing, json={})
    assert len(requests) == 1
    assert caught.value.may_have_happened


async def test_after_a_time_limit_the_next_call_works() -> None:
    slow = [True, False]

    async def answer(request: str, writer: asyncio.StreamWriter) -> None:
        if slow.pop(0):
            await asyncio.sleep(1)
        respond(writer, b'{"number": 1}')

    async with serving(answer, limit=0.5) as (client, _):
        with pytest.raises(GitHubDown):
            await read(client)
        assert (await read(client)).number == 1


async def test_nobody_listening_is_down_and_did_not_happen() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    client = GitHubClient(AppIdentity("gate", 1, (pem(0),), f"http://127.0.0.1:{port}"), 7)
    with pytest.raises(GitHubDown) as caught:
        await client.post("/repos/o/r/issues/1/comments", purpose="comments", model=Thing, json={})
    assert not caught.value.may_have_happened
    await client.aclose()


@pytest.mark.parametrize("together", [1, MOST_CONNECTIONS + 8])
async def test_no_connection_is_lost_with_requests_that_are_cancelled(together: int) -> None:
    """Whenever that is; of so many, some wait for a connection, which they get as the others let go of theirs."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while await _request(reader) is not None:
                respond(writer, b"said")
        writer.close()

    async with _no_connection_lost(talk) as (wire, address):
        for turns in range(60):
            asking = [
                asyncio.create_task(wire.send(Call("GET", address, "GET", "read", None))) for _ in range(together)
            ]
            await _turns(turns)
            for one in asking:
                one.cancel()
            await asyncio.gather(*asking, return_exceptions=True)


@pytest.mark.parametrize("cancelled", [1, 2])
@pytest.mark.parametrize("ends", [True, False], ids=["cut off", "without end"])
async def test_no_connection_is_lost_with_an_answer_that_is_not_read_to_its_end(ends: bool, cancelled: int) -> None:
    """Cancelled at each turn of the loop, and once more while it is closed for that."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while await _request(reader) is not None and not writer.is_closing():
                respond(writer, b"said", length=10**9)
                while not ends:
                    writer.write(b"x" * 10_000)
                    await writer.drain()
                writer.close()
        writer.close()

    async with _no_connection_lost(talk) as (wire, address):
        for turns in range(60):
            asking = asyncio.create_task(wire.send(Call("GET", address, "GET", "read", None, limit_bytes=100_000)))
            await _turns(turns)
            for _ in range(cancelled):
                asking.cancel()
                await _turns(1)
            await asyncio.gather(asking, return_exceptions=True)


@asynccontextmanager
async def _no_connection_lost(talk: Talk) -> AsyncIterator[tuple[Wire, str]]:
    """A wire to a server that talks so, and the server's address. In the end all of its connections are idle."""
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    inner = transport()
    wire = Wire(address, inner, 7)
    yield wire, address
    await asyncio.sleep(0.05)
    assert [one for one in inner._pool.connections if not one.is_idle()] == []
    await wire.aclose()
    server.close()
    await asyncio.sleep(0.05)


async def _turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)
