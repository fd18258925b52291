"""T13, T46, T48: where the proxy listens, how long it waits for bodies, and how it leaves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.config import Misconfigured, read_settings
from app.proxy import ledger
from app.proxy.api.limits import FETCHES, LFS_REQUESTS, Limits
from app.proxy.incoming import Body, BodyFailed, Message
from app.proxy.listening import Address, listener
from app.proxy.pushing import LARGEST
from app.proxy.running import proxying
from app.proxy.starting import limits_of
from tests.proxy.scene import Scene, serving
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_plain_on_this_machine(host: str) -> None:
    Address(host, 0).check()


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "10.0.0.1", "192.168.1.1", "example.com", "localhost.example.com", ""]
)
def test_t48_beyond_this_machine_only_with_tls(host: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="would cross it in clear"):
        Address(host, 0).check()
    Address(host, 0, plain_beyond_loopback=True).check()
    for name in ("certificate", "key"):
        (tmp_path / name).write_text("x")
    Address(host, 0, tmp_path / "certificate", tmp_path / "key").check()


def test_half_of_tls_is_none(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with pytest.raises(Misconfigured, match="set both or none"):
        Address("127.0.0.1", 0, tmp_path / "x").check()
    with pytest.raises(Misconfigured, match="is no file"):
        Address("127.0.0.1", 0, tmp_path / "x", tmp_path / "y").check()


def test_a_taken_port_is_named() -> None:
    with contextlib.closing(listener(Address("127.0.0.1", 0))) as bound:
        bound.listen()
        with pytest.raises(Misconfigured, match="MERGEGATE_PROXY_PORT: cannot listen on"):
            listener(Address("127.0.0.1", bound.getsockname()[1]))


def test_settings_of_the_proxy() -> None:
    given = {"PROXY_PORT": "9", "OPERATOR_TOKEN": "x" * 32, "PROXY_PLAIN": "1"}
    settings = read_settings({f"MERGEGATE_{name}": value for name, value in given.items()})
    assert (settings.proxy_host, settings.proxy_port, settings.proxy_plain) == ("127.0.0.1", 9, True)
    assert "x" * 32 not in repr(settings)
    assert settings.oidc_issuers == ("https://token.actions.githubusercontent.com",)
    assert read_settings({"MERGEGATE_OIDC_ISSUERS": "https://a.example, https://b.example"}).oidc_issuers == (
        "https://a.example",
        "https://b.example",
    )
    read = read_settings({"MERGEGATE_SESSION_REQUESTS": "50", "MERGEGATE_SESSION_COMMENTS": "5"})
    assert limits_of(read) == Limits(burst=50, hourly=50, writes=120, comments=5)
    assert limits_of(settings) == Limits() and settings.push_megabytes * 1024**2 == LARGEST
    assert (settings.session_fetches, settings.session_lfs) == (FETCHES, LFS_REQUESTS)
    for name in (
        *("SESSION_REQUESTS", "SESSION_WRITES", "SESSION_COMMENTS", "SESSION_FETCHES", "SESSION_LFS"),
        "PUSH_MEGABYTES",
    ):
        with pytest.raises(Misconfigured, match=f"MERGEGATE_{name}"):
            read_settings({f"MERGEGATE_{name}": "0"})
    with pytest.raises(Misconfigured, match="MERGEGATE_OPERATOR_TOKEN"):
        read_settings({"MERGEGATE_OPERATOR_TOKEN": "short"})


def body_of(messages: Sequence[Message], limit: int = 100) -> Body:
    """A body of these messages, after which nothing comes any more."""
    left = list(messages)

    async def receive() -> Message:
        if left:
            return left.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    return Body(receive, limit, idle=0.01)


def part(data: bytes, more: bool = True) -> Message:
    return {"type": "http.request", "body": data, "more_body": more}


async def test_a_body_comes_in_pieces() -> None:
    body = body_of([part(b"a"), part(b""), part(b"b", more=False)])
    assert [await body.chunk(), await body.chunk(), await body.chunk(), await body.chunk()] == [b"a", b"b", b"", b""]
    assert body.ended and body.size == 2 and body.failed is None


@pytest.mark.parametrize(
    ("messages", "because", "gone"),
    [
        ([part(b"a")], "nothing came for", False),
        ([part(b"a"), part(b"x" * 100)], "longer than 100 bytes", False),
        ([part(b"a"), {"type": "http.disconnect"}], "went away", True),
    ],
)
async def test_t13_a_body_that_fails(messages: list[Message], because: str, gone: bool) -> None:
    body = body_of(messages)
    await body.chunk()
    with pytest.raises(BodyFailed, match=because) as failed:
        await body.chunk()
    assert failed.value.gone is gone and body.failed is failed.value
    await body.drain(100, 1.0)


async def test_t13_a_small_body_may_not_trickle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.proxy.incoming.WHOLE", 0.005)
    body = body_of([part(b"a")])
    with pytest.raises(BodyFailed, match="did not come within"):
        await body.whole()
    assert body.ended
    assert await body_of([part(b"a"), part(b"b", more=False)]).whole() == b"ab"


async def test_draining_has_limits() -> None:
    body = body_of([part(b"x" * 60) for _ in range(9)], limit=1000)
    await body.drain(100, 1.0)
    assert body.size <= 180
    body = body_of([part(b"x")])
    await body.drain(10**9, 0.001)
    assert body.size == 1


async def test_t46_a_push_under_way_when_the_process_ends(shared_town: Scene) -> None:
    """It is cut off after the time for leaving, its entry says that nobody knows the outcome, nothing is at GitHub."""
    town = shared_town
    token, grant = await town.open(branch="refs/heads/agent/restart")
    async with proxying(town.database, town.identity) as proxy:
        async with serving(proxy) as port:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            head = (
                "POST /git/acme/shop.git/git-receive-pack HTTP/1.1\r\nHost: x\r\n"
                f"Authorization: Bearer {token}\r\nContent-Type: application/x-git-receive-pack-request\r\n"
                "Content-Length: 5000000\r\n\r\n"
            )
            writer.write(head.encode() + command(grant.branch, old="0" * 40) + FLUSH + b"PACK")
            await writer.drain()
            while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
                await asyncio.sleep(0.01)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    assert await town.outcomes(grant) == ["unknown"]
    assert "refs/heads/agent/restart" not in town.refs()
