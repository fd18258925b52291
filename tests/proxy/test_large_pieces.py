"""A long answer in small pieces: what is read of it at a time, and that nothing of it is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from app.proxy.fetching import stream
from app.proxy.incoming import Answering, Body, BodyFailed, Message, answer
from app.proxy.upstream import CHUNK, LONG, in_large_pieces

pytestmark = pytest.mark.anyio

SMALL = 1000


class Answer:
    """What of `aiohttp.ClientResponse` is used; `said` notes in which order."""

    def __init__(self, *sizes: int) -> None:
        self.said: list[object] = []
        self.connection: Any = SimpleNamespace(protocol=self)
        self.content = self
        self._sizes = sizes

    async def iter_chunked(self, most: int) -> AsyncIterator[bytes]:
        assert most == CHUNK
        for size in self._sizes:
            self.said.append(size)
            yield bytes(size)

    def pause_reading(self) -> None:
        self.said.append("pause")

    def resume_reading(self) -> None:
        self.said.append("resume")


async def test_only_a_long_answer_in_small_pieces_is_waited_for() -> None:
    answer: Any = Answer(SMALL, LONG // 2, LONG // 2, CHUNK, SMALL, CHUNK // 2, SMALL)
    sizes = [len(piece) async for piece in in_large_pieces(answer)]
    assert sizes == [SMALL, LONG // 2, LONG // 2, CHUNK, SMALL, CHUNK // 2, SMALL]
    waited = ["pause", "resume"]
    assert answer.said == [*sizes[:5], *waited, *sizes[5:], *waited]


async def test_what_has_come_whole_is_not_waited_for() -> None:
    answer: Any = Answer(LONG, SMALL, SMALL)
    answer.connection = None
    assert [len(piece) async for piece in in_large_pieces(answer)] == [LONG, SMALL, SMALL]
    assert answer.said == [LONG, SMALL, SMALL]


async def test_every_byte_comes_and_the_connection_serves_again() -> None:
    whole = b"".join(b"%07d\n" % number for number in range(100_000))

    async def dripping(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for start in range(0, len(whole), 10_000):
            await response.write(whole[start : start + 10_000])
        return response

    served = web.Application()
    served.router.add_get("/", dripping)
    runner = web.AppRunner(served)
    await runner.setup()
    await (site := web.TCPSite(runner, "127.0.0.1", 0)).start()
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1), read_bufsize=CHUNK) as session:
            for _ in range(2):
                async with session.get(f"http://127.0.0.1:{port}/") as response:
                    assert b"".join([piece async for piece in in_large_pieces(response)]) == whole
    finally:
        await runner.cleanup()


async def test_an_answer_that_breaks_off_is_not_laid_to_the_client_and_no_other_is_begun() -> None:
    sent: list[str] = []

    async def send(message: Message) -> None:
        sent.append(message["type"])

    async def silent() -> AsyncIterator[bytes]:
        yield b"PACK"
        raise aiohttp.SocketTimeoutError

    async def nothing() -> Message:
        return {"type": "http.request"}

    answering = Answering(send)
    with pytest.raises(aiohttp.SocketTimeoutError):
        await stream(Body(nothing, 0), answering, "text/plain", {}, silent())
    with pytest.raises(BodyFailed, match="broke off"):
        await answer(answering, 200, b"ERR")
    assert sent == ["http.response.start", "http.response.body"]
