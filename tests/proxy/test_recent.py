"""The second request of a push does not look its token up: what that saves, and that it lets nothing through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.proxy import recent, sessions
from app.proxy.flights import STOPPED
from app.proxy.recent import RecentGrants
from tests.proxy.build import grant
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import ask, status
from tests.proxy.test_attacks_push import ZERO, pack_of, push
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio

ADVERTISEMENT = "/git/acme/shop.git/info/refs?service=git-receive-pack"


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    shared_town.instead.clear()


def sent(town: Scene, before: int) -> list[str]:
    """What GitHub was asked since then, but that the tokens of ended sessions are given back."""
    return [one for one in town.since(before) if one != "DELETE /installation/token"]


def test_a_grant_is_known_for_a_minute_and_of_many_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "MOST", 2)
    now = 100.0
    grants = RecentGrants(lambda: now)
    one, two = grant(session=1), grant(session=2)
    grants.keep("one", one)
    assert grants.get("one") == one and grants.get("two") is None
    now += 59
    grants.keep("two", two)
    grants.keep("one", one)
    grants.keep("three", grant(session=3))
    assert grants.get("one") == one and grants.get("two") is None
    now += 60
    assert grants.get("one") is None


async def test_a_push_takes_one_statement_before_it_goes_on(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry; and one for the token on the discovery, one for the end when git has its answer."""
    token, opened = await town.open(branch="refs/heads/agent/few")
    main, database = town.refs()["refs/heads/main"], town.database
    await sessions.say(database, opened.session, "Look at your issue.")
    query, asked = database.query, list[str]()

    async def noted(sql: Any, parameters: Any = ()) -> Any:
        asked.append(" ".join(sql.split())[:24])
        return await query(sql, parameters)

    monkeypatch.setattr(database, "query", noted)
    assert status(await ask(town, "GET", ADVERTISEMENT, token=token)) == 200
    body = command(opened.branch, old=ZERO, new=main) + FLUSH + pack_of(main, town)
    said = await push(town, body, token=token)
    monkeypatch.undo()
    await town.outcomes(opened)
    watching = ("select id from sessions ", "update ledger set alive_")
    assert b"ok refs/heads/agent/few" in said and b"Look at your issue." in said
    assert [one for one in asked if one not in watching][:2] == ["select id, token_hash, i", "with begun as ( insert i"]
    assert await sessions.unsaid(database, opened.session) == []


@pytest.mark.parametrize("how", ["revoked", "expired", "frozen"])
async def test_what_happens_between_the_two_requests_counts(town: Scene, how: str) -> None:
    token, opened = await town.open(branch=f"refs/heads/agent/{how}")
    assert status(await ask(town, "GET", ADVERTISEMENT, token=token)) == 200
    if how == "revoked":
        assert await sessions.revoke(town.database, opened.session, "enough")
    elif how == "frozen":
        assert await sessions.freeze(town.database, opened.session, "a look at it")
    else:
        await town.database.query("update sessions set expires_at = now() where id = %s", (opened.session,))
    main, before = town.refs()["refs/heads/main"], len(town.upstream)
    body = command(opened.branch, old=ZERO, new=main) + FLUSH + pack_of(main, town)
    said = await push(town, body, token=token)
    because = {"revoked": b"stopped at", "expired": b"The session expired at", "frozen": b"frozen"}[how]
    assert b"ng " + opened.branch.encode() + b" refused by Mergegate" in said
    assert because in said or (STOPPED.encode() in said and how != "frozen")  # who looks twice a second may be first
    assert sent(town, before) == [] and opened.branch not in town.refs()
    assert await town.outcomes(opened) == []


async def test_nothing_else_than_a_push_is_let_in_by_it(town: Scene) -> None:
    token, opened = await town.open(branch="refs/heads/agent/dead")
    assert status(await ask(town, "GET", ADVERTISEMENT, token=token)) == 200
    await sessions.revoke(town.database, opened.session, "enough")
    before = len(town.upstream)
    for path in (ADVERTISEMENT, ADVERTISEMENT.replace("receive", "upload"), "/repos/acme/shop/pulls", "/session"):
        assert status(await ask(town, "GET", path, token=token)) in (401, 403)
    # A list of commands that is not the session's is refused as before, and no other repository is told of.
    assert status(await ask(town, "POST", "/git/acme/other.git/git-receive-pack", token=token)) == 404
    assert sent(town, before) == []


async def test_a_long_list_of_branches_goes_in_pieces_and_is_the_same(
    town: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await ask(town, "GET", ADVERTISEMENT)
    monkeypatch.setattr("app.proxy.fetching.CHUNK", 60)
    head, _, chunked = (await ask(town, "GET", ADVERTISEMENT)).partition(b"\r\n\r\n")
    assert b"content-length" in whole.lower() and b"transfer-encoding: chunked" in head.lower()
    sizes = [line for line in chunked.split(b"\r\n") if line and len(line) < 4 and line != b"0"]
    assert len(sizes) >= 2
    body = b""
    while (size := int(chunked.partition(b"\r\n")[0], 16)) > 0:
        rest = chunked.partition(b"\r\n")[2]
        body, chunked = body + rest[:size], rest[size + 2 :]
    assert body == whole.partition(b"\r\n\r\n")[2]
