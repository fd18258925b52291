"""The endpoint over a real socket: bodies without a length, bodies that never end, and a database that is away."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from app.intake.webhook import LARGEST, PATH, Intake
from app.secret import SecretStr
from app.store import deliveries
from app.store.database import Database
from app.store.deliveries import DeliveryWriter
from app.store.embedded import Embedded
from tests.databases import data_folder
from tests.github.server import QuietServer
from tests.intake.test_webhook import NEW, OPENED, headers

pytestmark = pytest.mark.anyio

LINE = b"POST /webhooks/github HTTP/1.1\r\nHost: gate.invalid\r\n"


@dataclass
class Served:
    port: int
    database: Database

    async def post(self, raw: bytes, guid: str = "guid-1") -> httpx.Response:
        async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
            return await client.post(
                f"http://127.0.0.1:{self.port}{PATH}", content=raw, headers=headers(raw, guid=guid)
            )

    async def stored(self, guid: str = "guid-1") -> bool:
        async with self.database.transaction() as connection:
            return await deliveries.find(connection, 11, guid) is not None


@contextlib.asynccontextmanager
async def serving(database: Database) -> AsyncIterator[Served]:
    async with DeliveryWriter(database) as writer:
        web = FastAPI()
        web.include_router(Intake(writer, (SecretStr(NEW),), frozenset()).router())
        server = QuietServer(
            uvicorn.Config(web, host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=1)
        )
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn offers but a flag
            await asyncio.sleep(0.01)
        try:
            yield Served(server.servers[0].sockets[0].getsockname()[1], database)
        finally:
            server.should_exit = True
            await task


@pytest.fixture
async def served(database: Database) -> AsyncIterator[Served]:
    async with serving(database) as opened:
        yield opened


def head(raw: bytes, *more: str) -> bytes:
    sent = [f"{name}: {value}" for name, value in headers(raw).items()]
    return LINE + "".join(f"{line}\r\n" for line in (*sent, *more)).encode() + b"\r\n"


async def status_of(reader: asyncio.StreamReader) -> int:
    async with asyncio.timeout(20):
        return int((await reader.readline()).split()[1])


async def chunked(port: int, raw: bytes, size: int = 1024 * 1024, *, end: bool = True) -> tuple[int, int]:
    """Send a body in chunks until it is answered; the status and the bytes that were sent by then."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = asyncio.create_task(status_of(reader))
    sent = 0
    try:
        writer.write(head(raw, "Transfer-Encoding: chunked"))
        while sent < len(raw) and not answer.done():
            part = raw[sent : sent + size]
            writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            sent += len(part)
        if end:
            writer.write(b"0\r\n\r\n")
        return await answer, sent
    finally:
        writer.close()


async def test_a_delivery_over_a_socket_is_stored(served: Served) -> None:
    assert (await served.post(OPENED)).status_code == 202
    assert await served.stored()


async def test_a_chunked_body_without_length_is_read(served: Served) -> None:
    assert (await chunked(served.port, OPENED, 7))[0] == 202
    assert await served.stored()


@pytest.mark.parametrize(("more", "status"), [(0, 202), (1, 413)], ids=["the limit", "one byte more"])
async def test_a_chunked_body_is_measured_exactly(served: Served, more: int, status: int) -> None:
    raw = OPENED + b" " * (LARGEST - len(OPENED) + more)
    assert (await chunked(served.port, raw))[0] == status
    assert await served.stored() == (status == 202)


async def test_a_body_without_end_is_refused_while_it_is_read(served: Served) -> None:
    raw = b" " * (4 * LARGEST)
    status, sent = await chunked(served.port, raw, end=False)
    assert status == 413
    assert sent < 2 * LARGEST, "it went on reading"


async def test_a_declared_length_that_is_too_large_is_refused_before_the_body(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(head(OPENED, f"Content-Length: {LARGEST + 1}"))
    assert await status_of(reader) == 413
    writer.close()


@pytest.mark.parametrize("length", ["-1", "one", "9" * 30, "0x10"])
async def test_an_impossible_length_is_no_server_error(served: Served, length: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(head(OPENED, f"Content-Length: {length}"))
    assert await status_of(reader) in (400, 413)
    writer.close()


async def test_a_sender_that_hangs_up_leaves_nothing_and_harms_nobody(served: Served) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(head(OPENED, f"Content-Length: {len(OPENED)}") + OPENED[:10])
    await writer.drain()
    writer.close()
    assert (await served.post(OPENED, "other")).status_code == 202
    assert not await served.stored()


async def test_many_at_once_are_all_stored(served: Served) -> None:
    answers = await asyncio.gather(*[served.post(OPENED, f"guid-{number}") for number in range(40)])
    assert {answer.status_code for answer in answers} == {202}
    assert await served.database.query("select count(*) from deliveries") == [(40,)]
    assert await served.database.query("select key from work") == [("pull:7:9:4",)]


async def test_with_the_database_away_the_answer_is_503_and_a_redelivery_is_stored() -> None:
    with data_folder() as folder:
        server = Embedded(folder)
        await asyncio.to_thread(server.start)
        try:
            async with Database.open(server.conninfo, folder) as database, serving(database) as served:
                await _away_and_back(server, served)
        finally:
            await asyncio.to_thread(server.stop)


async def _away_and_back(server: Embedded, served: Served) -> None:
    assert (await served.post(OPENED, "before")).status_code == 202
    await asyncio.to_thread(server.stop)
    answer = await served.post(OPENED, "lost")
    assert answer.status_code == 503
    assert "resync" in answer.json()["message"]
    await asyncio.to_thread(server.start)
    async with served.database.transaction() as connection:
        assert await deliveries.unknown(connection, ["before", "lost", "never"]) == ["lost", "never"]
    assert (await served.post(OPENED, "lost")).status_code == 202
    assert await served.stored("lost")
