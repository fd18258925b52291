"""Pushes that GitHub ends long after their connection broke: looked after, and put back where they may not stay."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import LiteralString

import pytest

from app.proxy import forward, ledger, sessions
from app.proxy.forward import _is_row_of
from app.proxy.grant import Grant, Right
from app.proxy.late import Late, _forward_of
from app.proxy.pushing import PACE
from app.proxy.wire import Command
from app.store.database import Database
from tests.proxy.build import BRANCH, wanted
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_push import ZERO, push
from tests.proxy.test_unheard_pushes import _at_github, begun, commit_beside
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio
DUE_NOW = "update ledger set look_at = clock_timestamp() where session_id = %s and look_at is not null returning id"


@pytest.fixture
def town(shared_town: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """In which nobody looks while the request lasts."""
    monkeypatch.setattr(forward, "LOOKS", ())
    return shared_town


async def late(town: Scene, grant: Grant) -> str | None:
    """What the newest push is taken for after a look at what is due."""
    assert await town.database.query(DUE_NOW, (grant.session,))
    await Late(town.database, town.proxy._pushing._forward).look()
    return (await town.outcomes(grant))[0]


async def waiting(town: Scene, grant: Grant) -> bool:
    sql = "select id from ledger where session_id = %s and look_at is not null"
    return bool(await town.database.query(sql, (grant.session,)))


@pytest.mark.parametrize("ended", [False, True], ids=["live", "stopped"])
async def test_a_force_push_that_arrives_later_is_put_back(town: Scene, ended: bool) -> None:
    """Also when another push went on top of it meanwhile, and when its session has ended."""
    ref = f"refs/heads/agent/late-{ended}"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, f"First {ended}")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, f"Other {ended}")
    async with begun(town, token, command(ref, old=first, new=other) + FLUSH + pack, 50), asyncio.timeout(20):
        while town.refs()[ref] != other:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    assert await town.outcomes(grant) == ["unknown", "done"]
    if ended:
        await sessions.revoke(town.database, grant.session, "enough")
    else:
        above, pack = commit_beside(town, "Above", other)
        assert b"ok " + ref.encode() in await push(town, command(ref, old=other, new=above) + FLUSH + pack, token=token)
    async with asyncio.timeout(20):
        while await late(town, grant) == "unknown" and await waiting(town, grant):  # noqa: ASYNC110 - rows in tables
            await asyncio.sleep(0.05)
    assert town.refs()[ref] == first and not await waiting(town, grant)
    outcomes = [one.outcome for one in await ledger.of_session(town.database, grant.session)]
    assert outcomes[-2:] == ["failed", "done"]


async def test_a_push_that_only_added_stays_and_is_not_looked_at_again(town: Scene) -> None:
    ref = "refs/heads/agent/late-added"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "Added first")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    second, pack = commit_beside(town, "Added second", first)
    async with begun(town, token, command(ref, old=first, new=second) + FLUSH + pack, 50), asyncio.timeout(20):
        while town.refs()[ref] != second:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    assert await town.outcomes(grant) == ["unknown", "done"]
    async with asyncio.timeout(20):
        while await waiting(town, grant):
            assert await late(town, grant) == "unknown"  # it vouches for no more than before
            await asyncio.sleep(0.05)
    assert town.refs()[ref] == second


async def test_what_has_not_arrived_is_looked_at_again(town: Scene) -> None:
    """A push that never was, with the branch where it says that it brings it."""
    ref, elsewhere = "refs/heads/agent/late-lie", "refs/heads/agent/late-elsewhere"
    token, grant = await town.open(branch=ref)
    second, _ = await town.open(branch=elsewhere)
    first, pack = commit_beside(town, "Lied first")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Lied other")
    made = await push(town, command(elsewhere, old=ZERO, new=other) + FLUSH + pack, token=second)
    assert b"ok " + elsewhere.encode() in made
    async with begun(town, token, command(ref, old=other, new=first) + FLUSH + b"PACK", 500), asyncio.timeout(10):
        while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
            await asyncio.sleep(0.01)
    assert await town.outcomes(grant) == ["unknown", "done"]
    assert await late(town, grant) == "unknown" and await waiting(town, grant)
    assert town.refs()[ref] == first
    # What breaks off counts as ten pushes, because it is looked after.
    left, _ = town.proxy._pushing._pace._buckets[grant.session]
    assert PACE.burst - 11 <= left < PACE.burst - 9


async def test_what_others_have_undone_is_not_put_back(town: Scene) -> None:
    """Not even where the session has pushed on top of that since."""
    ref = "refs/heads/agent/late-undone"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "Undone first")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Undone other")
    async with begun(town, token, command(ref, old=first, new=other) + FLUSH + pack, 50), asyncio.timeout(20):
        while town.refs()[ref] != other:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    assert await town.outcomes(grant) == ["unknown", "done"]
    async with asyncio.timeout(20):
        while all(one.after != other for one in town.shop.activity):  # noqa: ASYNC110 - a list at GitHub
            await asyncio.sleep(0.02)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    person = _at_github(town, *who, "commit-tree", f"{first}^{{tree}}", "-p", first, "-m", "By a person")
    _at_github(town, "update-ref", ref, person)
    above, pack = commit_beside(town, "Undone above", person)
    assert b"ok " + ref.encode() in await push(town, command(ref, old=person, new=above) + FLUSH + pack, token=token)
    async with asyncio.timeout(20):
        while await waiting(town, grant):
            await late(town, grant)
            await asyncio.sleep(0.05)
    assert town.refs()[ref] == above and await town.outcomes(grant) == ["done", "unknown", "done"]


async def test_the_same_push_of_another_app_is_not_put_back(town: Scene) -> None:
    ref = "refs/heads/agent/late-app"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "App first")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "App other")
    async with begun(town, token, command(ref, old=first, new=other) + FLUSH + pack, 50), asyncio.timeout(20):
        while town.refs()[ref] != other:  # noqa: ASYNC110 - a ref at GitHub
            await asyncio.sleep(0.02)
    async with asyncio.timeout(20):
        while all(one.after != other for one in town.shop.activity):  # noqa: ASYNC110 - a list at GitHub
            await asyncio.sleep(0.02)
    town.shop.activity[:] = [replace(one, actor="other[bot]") for one in town.shop.activity]
    assert await town.outcomes(grant) == ["unknown", "done"]
    assert await late(town, grant) == "unknown" and await waiting(town, grant)
    assert town.refs()[ref] == other


async def test_the_same_push_of_a_session_that_may_is_not_put_back(town: Scene) -> None:
    """One without the right broke off before GitHub had it; then one with it made the very move."""
    ref = "refs/heads/agent/late-granted"
    token, grant = await town.open(branch=ref)
    first, pack = commit_beside(town, "Granted first")
    assert b"ok " + ref.encode() in await push(town, command(ref, old=ZERO, new=first) + FLUSH + pack, token=token)
    other, pack = commit_beside(town, "Granted other")
    moved = command(ref, old=first, new=other) + FLUSH
    async with begun(town, token, moved + b"PACK", 500), asyncio.timeout(10):
        while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - a row in a table
            await asyncio.sleep(0.01)
    assert await town.outcomes(grant) == ["unknown", "done"]
    await sessions.revoke(town.database, grant.session, "another one may force")
    token, forcing = await town.open(branch=ref, rights=frozenset({Right.PUSH, Right.FORCE}))
    assert b"ok " + ref.encode() in await push(town, moved + pack, token=token)
    assert await town.outcomes(forcing) == ["done"] and town.refs()[ref] == other
    assert await late(town, grant) == "unknown" and await waiting(town, grant)
    assert town.refs()[ref] == other


async def test_a_push_whose_process_was_killed_is_looked_after(database: Database) -> None:
    """Nobody stops its session, or asks for it at all."""
    _, grant = await sessions.open_session(database, wanted())
    moved = Command("a" * 40, "b" * 40, grant.branch.encode())
    begun = await ledger.begin_push(database, grant, moved)
    assert isinstance(begun, ledger.Begun)
    assert await ledger.due(database) == []
    await database.query("update ledger set alive_until = clock_timestamp() - interval '61 seconds'")
    (found,) = await ledger.due(database)
    assert (found.id, found.outcome, found.bytes) == (begun.entry, "unknown", None)
    assert await ledger.due(database) == []  # for ten seconds


async def test_when_a_branch_is_looked_at(database: Database) -> None:
    """After 10 seconds, then when twice the time has gone by, every 10 minutes at most, and for an hour."""
    _, grant = await sessions.open_session(database, wanted())
    for route in (ledger.PUSH, "POST /repos/{owner}/{repo}/pulls"):
        entry = await ledger.begin(database, grant, route, ref=BRANCH, old_oid="a" * 40, new_oid="b" * 40)
        assert isinstance(entry, int)
        await ledger.end(database, entry, "unknown")
    left = "select extract(epoch from look_at - clock_timestamp())::float8 from ledger where look_at is not null"
    ((seconds,),) = await database.query(left)
    assert 5 < seconds <= 10
    now: LiteralString = (
        "update ledger set look_at = clock_timestamp(), ended_at = clock_timestamp() - %s where look_at is not null"
    )
    for age, again in ((10, 10), (40, 40), (3000, 600)):
        await database.query(now, (timedelta(seconds=age),))
        (found,) = await ledger.due(database)
        assert (found.old_oid, found.new_oid, found.outcome) == ("a" * 40, "b" * 40, "unknown")
        assert await ledger.due(database) == []
        ((seconds,),) = await database.query(left)
        assert again - 5 < seconds <= again + 5
    await database.query(now, (timedelta(minutes=61),))
    assert len(await ledger.due(database)) == 1
    assert await database.query(left) == []


async def test_a_push_whose_process_died_is_looked_after_too(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    await ledger.begin(database, grant, ledger.PUSH, ref=BRANCH, old_oid="a" * 40, new_oid="b" * 40)
    await database.query("update ledger set alive_until = clock_timestamp() - interval '1 second'")
    assert await ledger.under_way(database, grant.session) == []
    (found,) = await ledger.due(database)
    assert found.outcome == "unknown" and _forward_of(found) == Command("a" * 40, "b" * 40, BRANCH.encode())


def test_whose_row_it_is() -> None:
    """As https://docs.github.com/rest/repos/repos#list-repository-activities has them."""
    row = {
        "before": "a" * 40,
        "after": "b" * 40,
        "ref": BRANCH,
        "timestamp": "2026-11-30T12:00:00Z",
        "activity_type": "force_push",
        "actor": {"login": "courier[bot]", "id": 1},
    }
    moved, since = Command("a" * 40, "b" * 40, BRANCH.encode()), datetime(2026, 11, 30, 12, tzinfo=UTC)
    courier = "courier[bot]"
    assert _is_row_of(row, moved, since, courier)
    assert not _is_row_of(row, moved, since + timedelta(seconds=1), courier)
    assert not _is_row_of(row | {"after": "c" * 40}, moved, since, courier)
    assert not _is_row_of(row | {"before": "c" * 40}, moved, since, courier)
    # Nobody else's, also not another App's.
    for login in ("ada", "other[bot]", "", None):
        assert not _is_row_of(row | {"actor": {"login": login, "id": 2}}, moved, since, courier)
    assert not _is_row_of(row | {"actor": None}, moved, since, "")


async def test_the_courier_is_asked_for_its_name_again_when_it_may_have_another(
    town: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever owns the App may rename it; at GitHub its rows then have the new name."""
    _, grant = await town.open(branch="refs/heads/agent/renamed")
    now, name, asked = 1_000_000.0, "courier[bot]", 0
    watching = forward.Forward(town.database, town.proxy._pushing._service, lambda: now)

    async def login(_: Grant) -> str:
        nonlocal asked
        asked += 1
        return name

    monkeypatch.setattr(watching, "_login", login)
    own, others = [{"actor": {"login": "courier[bot]"}}], [{"actor": {"login": "porter[bot]"}}, {"actor": None}, "x"]
    found = []
    for later, rows in ((0, own), (3599, own), (1, own), (59, others), (1, others), (1, others), (3600, own)):
        now += later
        found.append((await watching._own_login(grant, rows), asked))
        name = "porter[bot]" if later == 59 else name
    assert found == [
        *(("courier[bot]", 1), ("courier[bot]", 1), ("courier[bot]", 2), ("courier[bot]", 2)),
        *(("porter[bot]", 3), ("porter[bot]", 3), ("porter[bot]", 4)),
    ]
