"""The unix socket beside the proxy's port."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.config import Misconfigured, read_settings
from app.proxy.listening import Address, listener, server, unix_listener
from app.proxy.starting import Bound

pytestmark = pytest.mark.anyio


@pytest.fixture
def path() -> Iterator[Path]:
    """Short, as the system wants it."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "gh.sock"


async def application(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def test_both_are_served_and_end_together(path: Path) -> None:
    address = Address("127.0.0.1", 0)
    port, unix = listener(address), unix_listener(path)
    watched: Any = None
    bound = Bound(watched, (server(application, address), port), (server(application, address), unix))
    serving = asyncio.create_task(bound.serve())
    for transport, url in (
        (httpx.AsyncHTTPTransport(uds=str(path)), "http://api.github.com/"),
        (httpx.AsyncHTTPTransport(), f"http://127.0.0.1:{port.getsockname()[1]}/"),
    ):
        async with httpx.AsyncClient(transport=transport) as client:
            assert (await client.get(url)).status_code == 204
    bound.leave()
    async with asyncio.timeout(10):
        await serving


def test_one_that_was_left_behind_is_replaced(path: Path) -> None:
    unix_listener(path).close()
    with contextlib.closing(unix_listener(path)) as made:
        assert Path(made.getsockname()) == path


def test_one_that_is_in_use_is_not(path: Path) -> None:
    with contextlib.closing(unix_listener(path)) as made:
        made.listen()
        with pytest.raises(Misconfigured, match="MERGEGATE_PROXY_SOCKET"):
            unix_listener(path)


def test_what_is_no_socket_is_not_removed(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(Misconfigured, match="MERGEGATE_PROXY_SOCKET"):
        unix_listener(path)
    assert path.read_text() == "mine"


def test_the_setting() -> None:
    assert read_settings({"MERGEGATE_PROXY_SOCKET": "/run/gh.sock"}).proxy_socket == Path("/run/gh.sock")
