"""T13 and T47 on the socket: many, slow and endless connections, a locked database; whoever works goes on working."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from app.proxy import flights, incoming, listening, sessions
from app.proxy.incoming import BadRequest
from app.proxy.listening import Address
from app.proxy.session_token import ENROLMENT, new_token
from app.proxy.upstream import MOST_CONNECTIONS as MOST_UPSTREAM
from tests.github.tls import new_authority
from tests.proxy.build import grant
from tests.proxy.scene import Scene, serving
from tests.proxy.test_attacks_http import ADVERTISEMENT, TYPE, ask, request, status
from tests.proxy.test_attacks_push import PUSH, push
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio
PULL, FETCH = "/git/acme/shop.git/git-upload-pack", "Content-Type: application/x-git-upload-pack-request"
BATCH, LFS = "/git/acme/shop.git/info/lfs/objects/batch", "Content-Type: application/vnd.git-lfs+json"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


def begun(path: str, kind: str, body: bytes, token: str, length: int = 500) -> bytes:
    """A request whose body is not whole."""
    return request("POST", path, kind, body=body + b"." * (length - len(body)), token=token)[: len(body) - length]


async def under_way(town: Scene, number: int) -> None:
    async with asyncio.timeout(10):
        while town.proxy._fetching._flights.number < number:  # noqa: ASYNC110 - a count
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def connected(town: Scene, number: int, data: bytes = b"") -> AsyncIterator[list[Streams]]:
    """That many connections, on each of which `data` was sent."""
    streams = [await asyncio.open_connection("127.0.0.1", town.port) for _ in range(number)]
    for _, writer in streams:
        writer.write(data)
    try:
        yield streams
    finally:
        for _, writer in streams:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def closed(reader: asyncio.StreamReader) -> bool:
    """Whether the other side has closed, after an answer or without one."""
    try:
        async with asyncio.timeout(0.1):
            await reader.read()
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


async def test_t13_idle_connections_make_room_for_those_that_ask(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening.GuardedProtocol, "most_connections", 8)
    token, busy_grant = await town.open(branch="refs/heads/agent/busy")
    async with connected(town, 1, begun(PULL, FETCH, FLUSH, token)) as [(busy, _)]:
        await under_way(town, 1)
        async with connected(town, 10) as unsaid, connected(town, 10, b"GET /session HTTP/1.1\r\nHost: x\r\n") as cut:
            for _ in range(3):
                assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT)) == 200
            answers = [await closed(reader) for reader, _ in (*unsaid, *cut)]
            assert sum(answers) >= 12
        assert not await closed(busy)
    await sessions.revoke(town.database, busy_grant.session, "done")


async def test_t13_whoever_does_not_speak_tls_is_let_go_soon(
    town: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold a file each, and are not counted as connections before they have spoken."""
    monkeypatch.setattr("app.web.server.HANDSHAKE_SECONDS", 0.3)
    authority = new_authority(tmp_path)
    verify = ssl.create_default_context(cafile=str(authority.bundle))
    address = Address("127.0.0.1", 0, authority.server.certificate, authority.server.key)
    async with serving(town.proxy, address) as port:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        reader, writer = await asyncio.open_connection("localhost", port, ssl=verify)
        writer.write(request("GET", "/session", "Connection: close", token=town.token))
        assert status(await reader.read()) == 200
        writer.close()
        async with asyncio.timeout(10):
            assert [await reader.read() for reader, _ in silent] == [b""] * 20
        for _, writer in silent:
            writer.close()


def test_t13_there_are_files_for_all_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
        raised = listening.more_files()
        assert raised == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > listening.MOST_CONNECTIONS + MOST_UPSTREAM
        assert listening.more_files() == raised
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_t13_requests_under_way_are_not_closed_for_others(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening.GuardedProtocol, "most_connections", 3)
    async with connected(town, 3, begun(PULL, FETCH, FLUSH, town.token)) as busy:
        await under_way(town, 3)
        async with connected(town, 1) as [(late, _)]:
            assert await closed(late)
        assert not any([await closed(reader) for reader, _ in busy])


async def test_t13_one_session_does_not_take_the_place_of_others(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flights, "AT_ONCE", 4)
    greedy, _ = await town.open(branch="refs/heads/agent/greedy")
    async with connected(town, 4, begun(PUSH, TYPE, b"00", greedy)):
        await under_way(town, 4)
        for method, path in (("GET", "/git/acme/shop.git" + ADVERTISEMENT), ("GET", "/repos/acme/shop/pulls")):
            answer = await ask(town, method, path, token=greedy)
            assert (
                status(answer) == 429 and b"the session has 4 requests under way; wait until some have ended" in answer
            )
            assert status(await ask(town, method, path)) == 200
        answer = await push(town, command("refs/heads/agent/greedy") + FLUSH + b"PACK", token=greedy)
        assert status(answer) == 200 and b"ng refs/heads/agent/greedy not now" in answer
        assert b"the session has 4 requests under way" in answer and b"connection: close" in answer.lower()
        assert status(await town.raw(begun(PUSH, TYPE, b"00", greedy))) == 429


@pytest.mark.parametrize("greedy", [1, 8, 40, 200])
async def test_t13_however_many_are_greedy_there_is_room_for_others(greedy: int) -> None:
    """They take what they get, in turns; then others come. Nothing here asks the database."""
    under = flights.Flights(None, None)  # type: ignore[arg-type]
    async with contextlib.AsyncExitStack() as held:

        async def takes(session: int) -> bool:
            try:
                await held.enter_async_context(under.flight(grant(session=session)))
            except BadRequest:
                return False
            return True

        while sum([await takes(session) for session in range(greedy)]):
            pass
        taken = Counter(one.grant.session for one in under._flights)
        assert under.number < flights.MOST and len(taken) == greedy and max(taken.values()) - min(taken.values()) <= 1
        assert max(taken.values()) == {1: 32, 8: 22, 40: 6, 200: 2}[greedy]
        later = [await takes(1000 + number) for number in range(flights.MOST - under.number)]
        assert all(later)
        with pytest.raises(BadRequest, match="all sessions together have 256 requests under way, and this one 0"):
            await held.enter_async_context(under.flight(grant(session=5000)))
    assert under.number == 0


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", BATCH, LFS),
        ("GET", f"/git/acme/shop.git/info/lfs/objects/{'a' * 64}/5", "Accept: */*"),
        ("GET", "/git/acme/shop.git" + ADVERTISEMENT, "Accept: */*"),
        ("GET", "/git/acme/shop.git/info/refs?service=git-receive-pack", "Accept: */*"),
        ("POST", "/graphql", "Content-Type: application/json"),
        ("GET", "/repos/acme/shop/pulls", "Accept: */*"),
    ],
)
async def test_t13_a_body_that_is_waited_for_counts_as_a_request(
    town: Scene, monkeypatch: pytest.MonkeyPatch, method: str, path: str, kind: str
) -> None:
    """Else one session could hold every connection that the proxy has."""
    monkeypatch.setattr(flights, "AT_ONCE", 3)
    slow = request(method, path, kind, "Content-Length: 9", token=town.token)
    async with connected(town, 3, slow):
        await under_way(town, 3)
        answer = await town.raw(slow, seconds=5)
        assert status(answer) == 429 and b"3 requests under way" in answer


async def test_t13_a_body_that_stops_coming_is_answered_and_ended(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming.Body.__init__, "__defaults__", (0.1,))  # `idle`
    before = len(town.upstream)
    chunked = request("POST", PUSH, TYPE, "Transfer-Encoding: chunked", body=b"4\r\n00", token=town.token)
    for raw in (begun(PUSH, TYPE, command()[:20], town.token), chunked, begun(BATCH, LFS, b"{", town.token)):
        answer = await town.raw(raw)
        assert status(answer) == 408 and b"nothing came for 0.1 seconds" in answer
        assert b"connection: close" in answer.lower()
    assert len(town.upstream) == before


async def test_nobody_keeps_a_connection_by_a_body_without_proving_anything(town: Scene) -> None:
    for path, headers in (
        ("/session/exchange", ("Authorization: Bearer x.y.z",)),
        ("/session/exchange", ()),
        ("/operator/sessions", ("Authorization: Bearer x",)),
        ("/git/acme/shop.git/git-receive-pack", (TYPE, "Authorization: Bearer x")),
        ("/repos/acme/shop/pulls", ("Authorization: Bearer x",)),
        ("/graphql", ("Authorization: Bearer x",)),
        ("/agent/claim", ("Authorization: Bearer x",)),
        ("/agent/claim", (f"Authorization: Bearer {new_token(ENROLMENT).get_secret_value()}",)),
        ("/session/evidence", (f"Authorization: Bearer {new_token().get_secret_value()}",)),
    ):
        whole = request("POST", path, *headers, body=b"{" * 5000)
        answer = await town.raw(whole[:-4000], seconds=5)
        assert status(answer) in (401, 403, 404), path


async def test_t47_a_locked_database_is_a_no(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PATIENCE", 0.1)
    before = len(town.upstream)
    async with await psycopg.AsyncConnection.connect(town.database.conninfo) as other:
        await other.execute("lock table sessions in access exclusive mode")
        for path in ("/git/acme/shop.git" + ADVERTISEMENT, "/repos/acme/shop/pulls", "/session"):
            assert status(await ask(town, "GET", path)) == 503
        assert len(town.upstream) == before
        await other.rollback()
        await other.execute("lock table ledger in exclusive mode")
        answer = await push(town, command(old="0" * 40, new=town.refs()["refs/heads/main"]) + FLUSH + b"PACK")
        assert b"The proxy cannot reach its database, so nothing was sent to GitHub" in answer
    assert not any("receive-pack" in one for one in town.since(before))
    assert status(await ask(town, "GET", "/session")) == 200


async def test_a_request_whose_hour_is_over_keeps_no_other_from_being_stopped() -> None:
    """It may still be noting its end, for seconds where the database is away, when all are told to stop."""
    under = flights.Flights(None, None)  # type: ignore[arg-type]
    noting = asyncio.Event()

    async def slow() -> None:
        async with under.flight(grant()) as flight:
            flight.limit.reschedule(0.0)
            try:
                await asyncio.sleep(60)
            finally:
                noting.set()
                await asyncio.sleep(0)

    task = asyncio.create_task(slow())
    await noting.wait()
    under._stop(None, "the proxy cannot reach its database")
    with pytest.raises(flights.Stopped, match="longer than"):
        await task
