"""What a connection may do at the public address before anything is known of it: long and slow headers end it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request

from app.config import read_settings
from app.proxy.listening import HEADER_BYTES, GuardedProtocol
from app.serving import _web
from app.web.server import behind_proxies

pytestmark = pytest.mark.anyio


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    server = _web(FastAPI(), replace(read_settings({"MERGEGATE_DATA": str(tmp_path)}), host="127.0.0.1", port=0))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.leave()
    await task


@pytest.mark.parametrize("sent", [b"X-Long: " + b"a" * HEADER_BYTES, b"X-Sl"], ids=["long", "slow"])
async def test_headers_without_end_close_the_connection(
    port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GuardedProtocol, "header_seconds", 10.0 if len(sent) > 100 else 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /webhooks/github HTTP/1.1\r\nHost: gate.invalid\r\n" + sent)
    async with asyncio.timeout(8):
        assert (await reader.readline()).split()[1] == b"400"
        await reader.read()
    writer.close()


async def test_slow_headers_of_a_later_request_close_the_connection(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GuardedProtocol, "header_seconds", 10.0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /nothing HTTP/1.1\r\nHost: gate.invalid\r\n\r\n")
    async with asyncio.timeout(8):
        assert b" 404 " in await reader.readuntil(b"\r\n\r\n{")
        monkeypatch.setattr(GuardedProtocol, "header_seconds", 0.05)
        writer.write(b"GET /nothing HTTP/1.1\r\nX-Sl")
        assert b"took too long" in await reader.read()
    writer.close()


async def _scheme(request: Request) -> str:
    return request.url.scheme


@pytest.mark.parametrize(("client", "scheme"), [("127.0.0.1", "https"), ("::1", "https"), ("192.0.2.7", "http")])
async def test_only_a_proxy_on_this_machine_is_believed(client: str, scheme: str) -> None:
    web = FastAPI()
    web.add_api_route("/", _scheme, methods=["GET"])
    transport = httpx.ASGITransport(behind_proxies(web), client=(client, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://gate.invalid") as browser:
        assert (await browser.get("/", headers={"X-Forwarded-Proto": "https"})).json() == scheme
