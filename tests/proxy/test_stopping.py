"""Stopping: nothing begins afterwards, what is under way ends, and the stop is said only when that is so."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.github.clients import GitHubApp
from app.proxy import flights, ledger, sessions
from app.proxy.grant import Grant
from app.proxy.ledger import Entry
from app.proxy.listening import Address, listener, server
from app.proxy.running import proxying
from app.proxy.stopping import _may_move, stop
from app.store.database import Database
from tests.proxy.scene import Scene, raw_exchange, serving
from tests.proxy.test_attacks_http import ADVERTISEMENT, ask, request, status
from tests.proxy.test_attacks_push import PUSH, TYPE, pack_of
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    shared_town.instead.clear()


@contextlib.asynccontextmanager
async def courier(town: Scene) -> AsyncIterator[GitHubApp]:
    app = GitHubApp(town.identity)
    try:
        yield app
    finally:
        await app.aclose()


@contextlib.asynccontextmanager
async def half_a_push(
    town: Scene, token: str, grant: Grant, port: int | None = None
) -> AsyncIterator[asyncio.StreamReader]:
    """A push whose head and first bytes of the pack have gone to GitHub, and whose rest does not come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port or town.port)
    head = (
        "POST /git/acme/shop.git/git-receive-pack HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/x-git-receive-pack-request\r\n"
        "Content-Length: 5000000\r\n\r\n"
    )
    writer.write(head.encode() + command(grant.branch, old="0" * 40) + FLUSH + b"PACK" + b"\0" * 1000)
    await writer.drain()
    while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - it is a row in a table
        await asyncio.sleep(0.01)
    try:
        yield reader
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_stop_ends_the_push_under_way_and_is_said_afterwards(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/stopped")
    async with courier(town) as app, half_a_push(town, token, grant) as reader:
        stopped = await stop(town.database, app, grant.session, "enough")
        assert stopped is not None and stopped.confirmed and stopped.was_live and stopped.oid is None
        assert "refs/heads/agent/stopped does not exist" in stopped.sentence
        # It is cut, and would create the branch if GitHub could end it all the same.
        assert stopped.may_follow and stopped.sentence.endswith("look at the branch again in a while.")
        assert await ledger.under_way(town.database, grant.session) == []
        answer = await reader.readuntil(b"ng refs/heads/agent/stopped refused by Mergegate")
        assert b"Mergegate stopped this push: the session ended while this was under way" in answer
    refused = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)
    assert status(refused) == 403 and b"enough" in refused
    assert "refs/heads/agent/stopped" not in town.refs()


async def test_a_revocation_holds_at_once_on_another_proxy_and_ends_what_is_under_way_there_within_a_second(
    town: Scene,
) -> None:
    """The other proxy has nothing in common with whoever revokes but the database. Measured from the statement on."""
    token, grant = await town.open(branch="refs/heads/agent/elsewhere")
    async with (
        Database.open(town.database.conninfo, Path("/nonexistent")) as database,
        proxying(database, town.identity) as other,
        serving(other) as port,
        half_a_push(town, token, grant, port) as reader,
    ):
        begun = time.monotonic()
        assert await sessions.revoke(town.database, grant.session, "enough")
        path = "/git/acme/shop.git" + ADVERTISEMENT
        refused = await raw_exchange(port, request("GET", path, token=token))
        assert status(refused) == 403 and b"enough" in refused
        answer = await reader.readuntil(b"ng refs/heads/agent/elsewhere refused by Mergegate")
        spent = time.monotonic() - begun
        assert b"the session ended while this was under way" in answer
    # Two looks at the store; a machine that is busy with something else gets a moment more.
    assert flights.EVERY * 2 <= 1.0 and spent < 2.5
    assert grant.branch not in town.refs()


async def test_a_push_under_way_may_end_when_the_process_leaves(town: Scene) -> None:
    """New connections are refused from then on; what had begun gets its answer, and the server ends by itself."""
    token, grant = await town.open(branch="refs/heads/agent/drained")
    main = town.refs()["refs/heads/main"]
    body = command(grant.branch, old="0" * 40, new=main) + FLUSH + pack_of(main, town)
    raw = request("POST", PUSH, TYPE, body=body, token=token)
    address = Address("127.0.0.1", 0)
    async with proxying(town.database, town.identity) as proxy:
        made, bound = server(proxy, address), listener(address)
        task = asyncio.create_task(made.serve(sockets=[bound]))
        port = bound.getsockname()[1]
        reader, writer = await _connected(port)
        writer.write(raw[:-10])
        async with asyncio.timeout(10):
            while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
                await asyncio.sleep(0.01)
        made.leave()
        while made.servers and any(one.is_serving() for one in made.servers):  # noqa: ASYNC110 - uvicorn has no event
            await asyncio.sleep(0.01)
        with pytest.raises(ConnectionError):
            await asyncio.open_connection("127.0.0.1", port)
        writer.write(raw[-10:])
        assert b"ok refs/heads/agent/drained" in await reader.read()
        writer.close()
        async with asyncio.timeout(10):
            await task
    assert town.refs()[grant.branch] == main and await town.outcomes(grant) == ["done"]


async def _connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(200):
        with contextlib.suppress(ConnectionError):
            return await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.01)
    raise AssertionError("it does not listen")


async def test_a_stop_that_cannot_be_known_is_not_confirmed(town: Scene) -> None:
    _, grant = await town.open(branch="refs/heads/agent/unknown")
    assert isinstance(await ledger.begin(town.database, grant, ledger.PUSH), int)
    async with courier(town) as app:
        stopped = await stop(town.database, app, grant.session, "enough", patience=0.1)
    assert stopped is not None and not stopped.confirmed
    assert "is ended, but this is not confirmed: a write was still under way" in stopped.sentence


async def test_a_stop_reads_the_branch_and_says_when_it_cannot(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/read")
    clone = await town.clone("read")
    commit = await town.commit(clone)
    await town.git("push", "origin", "HEAD:agent/read", cwd=clone, token=token)
    async with courier(town) as app:
        stopped = await stop(town.database, app, grant.session, "enough")
        assert stopped is not None and stopped.confirmed and stopped.oid == commit
        assert not stopped.may_follow and stopped.sentence.endswith(f"is at {commit}.")
        again = await stop(town.database, app, grant.session, "once more")
        assert again is not None and again.confirmed and not again.was_live
        assert await stop(town.database, app, 10_000, "nobody") is None


async def test_upstream_tokens_go_back_when_the_session_ends(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/tokens")
    known = set(town.github.world.tokens)
    assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)) == 200
    (minted,) = set(town.github.world.tokens) - known
    await sessions.revoke(town.database, grant.session, "done")
    for _ in range(300):
        if town.github.world.tokens[minted].revoked:
            break
        await asyncio.sleep(0.01)
    assert town.github.world.tokens[minted].revoked


async def test_an_expired_session_ends_what_is_under_way(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/expires")
    async with half_a_push(town, token, grant) as reader:
        sql = "update sessions set expires_at = now() where id = %s"
        await town.database.query(sql, (grant.session,))
        await reader.readuntil(b"Trying the same again will not help.\n")
    assert "refs/heads/agent/expires" not in town.refs()


async def test_a_proxy_that_cannot_ask_stops_what_is_under_way(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could stop it any more, and its entry in the ledger lapses."""
    assert ledger.ALIVE.total_seconds() > flights.BLIND
    token, grant = await town.open(branch="refs/heads/agent/blind")
    async with half_a_push(town, token, grant) as reader:
        monkeypatch.setattr(flights, "BLIND", -1.0)
        await reader.readuntil(b"the proxy cannot reach its database")


@pytest.mark.parametrize("how", ["raises", "hangs"])
async def test_a_watch_that_cannot_see_stops_what_is_under_way(
    town: Scene, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async def blind(*_: object) -> set[int]:
        if how == "hangs":
            await asyncio.Event().wait()
        raise RuntimeError("something else than the database")

    token, grant = await town.open(branch=f"refs/heads/agent/watch-{how}")
    async with half_a_push(town, token, grant) as reader:
        monkeypatch.setattr(flights, "EVERY", 0.02)
        monkeypatch.setattr(flights, "PATIENCE", 0.05)
        monkeypatch.setattr(flights, "BLIND", 0.2)
        monkeypatch.setattr("app.proxy.flights.sessions.ended_among", blind)
        await reader.readuntil(b"the proxy cannot reach its database")
    assert grant.branch not in town.refs()


async def test_a_fetch_under_way_ends_too(town: Scene, tmp_path: Path) -> None:
    token, grant = await town.open(branch="refs/heads/agent/fetches")
    reader, writer = await asyncio.open_connection("127.0.0.1", town.port)
    head = (
        "POST /git/acme/shop.git/git-upload-pack HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/x-git-upload-pack-request\r\n"
        "Content-Length: 5000000\r\n\r\n0000"
    )
    writer.write(head.encode())
    await writer.drain()
    await asyncio.sleep(0.05)
    await sessions.revoke(town.database, grant.session, "done")
    answer = await reader.read(65536)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 403") or b"200 OK" in answer
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


@pytest.mark.parametrize(
    ("old", "new", "at", "may"),
    [
        ("a" * 40, "b" * 40, "a" * 40, True),
        ("a" * 40, "b" * 40, "b" * 40, False),  # it is there
        ("a" * 40, "b" * 40, "c" * 40, False),  # another was quicker
        ("a" * 40, "b" * 40, None, False),
        ("0" * 40, "b" * 40, None, True),
        ("0" * 40, "b" * 40, "a" * 40, False),
        ("a" * 40, "a" * 40, "a" * 40, False),
        (None, None, None, False),  # a write to the API
    ],
)
def test_which_push_may_still_move_the_branch(old: str | None, new: str | None, at: str | None, may: bool) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    entry = Entry(1, 1, 42, "push", "refs/heads/agent/x", old, new, None, None, None, None, now, now, "unknown")
    assert _may_move(entry, at) is may
