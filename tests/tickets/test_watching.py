"""The watch over tickets at work, and that what a ticket is never waits for what GitHub shows of it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.github.budgets import WriteBucket
from app.github.errors import RateLimited
from app.keys import WatchKey
from app.store import work
from app.store.database import Database
from app.store.tickets import attempts
from app.store.tickets.attempts import OpenAttempt
from app.store.worker import Done, Sleep
from app.tickets import claims
from app.tickets.claims import Claimed
from app.tickets.limiting import alone
from app.tickets.supervisor import Supervisor
from app.tickets.watching import EVERY, watch
from policies.tickets.states import State
from tests.gate.scene import scene
from tests.github.faults import Fault
from tests.tickets.desk import Desk, desk, is_dead
from tests.tickets.test_claims import POOLS, Program, accepted

pytestmark = pytest.mark.anyio


def key_of(at_desk: Desk) -> WatchKey:
    return WatchKey(at_desk.stage.installation.id, at_desk.shop.id)


async def test_a_silent_agent_is_found_by_the_watch_while_github_is_away(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claimed()
    rows = await at_desk.stage.gate.database.query("select key, periodic from work where key like 'watch:%%'")
    assert rows == [(str(key_of(at_desk)), True)]
    at_desk.stage.clock = timedelta(minutes=9)
    assert await watch(at_desk.parts, key_of(at_desk)) == Sleep(EVERY)
    assert await _marked(at_desk, number) is False
    at_desk.stage.clock = timedelta(minutes=12)
    at_desk.stage.github.faults.add(Fault("fail", count=20, status=500))
    assert await watch(at_desk.parts, key_of(at_desk)) == Sleep(EVERY)
    assert await _marked(at_desk, number) is True
    at_desk.stage.github.faults.clear()
    await at_desk.stage.hurry()
    await at_desk.stage.worker.drain()
    assert await at_desk.state(number) is State.WAITING and await is_dead(at_desk, claimed)
    assert await watch(at_desk.parts, key_of(at_desk)) == Done()


async def test_the_watch_waits_for_nobody_who_begins_work(at_desk: Desk) -> None:
    """A claim may wait for the metering gateway meanwhile."""
    await accepted(at_desk)
    await at_desk.claimed()
    async with at_desk.stage.gate.database.transaction() as beginning:
        await alone(beginning, at_desk.shop.id)
        async with asyncio.timeout(5):
            assert await watch(at_desk.parts, key_of(at_desk)) == Sleep(EVERY)


async def test_signs_of_life_are_those_of_the_attempt_and_of_its_session(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claim()
    assert isinstance(claimed, Claimed)
    async with at_desk.stage.gate.database.transaction() as connection:
        before = (await attempts.under_way(connection, at_desk.shop.id))[number]
    assert isinstance(before, OpenAttempt) and (before.started_at, before.begun, before.session_live) == (
        None,
        False,
        True,
    )
    await at_desk.push(claimed)
    async with at_desk.stage.gate.database.transaction() as connection:
        after = (await attempts.under_way(connection, at_desk.shop.id))[number]
    assert after.begun and after.alive_at > before.alive_at


async def test_a_stop_is_done_while_writes_are_put_off(at_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claimed()

    async def refuse(_: WriteBucket, request: str, now: float) -> None:
        raise RateLimited(request, "writes are spread over time", datetime.fromtimestamp(now, UTC) + timedelta(hours=1))

    with monkeypatch.context() as patched:
        patched.setattr(WriteBucket, "turn", refuse)
        comment = await at_desk.say(number, "/stop now", "bob")
        assert await at_desk.state(number) is State.STOPPED and await is_dead(at_desk, claimed)
        assert (at_desk.reactions(comment), at_desk.labels(number)) == ([], ["agent/running"])
        # It waits for its moment, and counts as no failure.
        assert (await work.counts(at_desk.stage.gate.database)).later > 0
    await at_desk.stage.hurry()
    await at_desk.stage.run_to_rest()
    assert (at_desk.reactions(comment), at_desk.labels(number)) == (["rocket"], ["agent/stopped"])


async def test_where_nothing_can_begin_the_first_ticket_alone_is_asked(
    at_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        await accepted(at_desk)
    await at_desk.claimed("a")
    await at_desk.claimed("b")
    looked_at: list[int] = []
    taking = claims._take

    async def noted(connection, claiming, seen, day):  # type: ignore[no-untyped-def]
        looked_at.append(seen.number)
        return await taking(connection, claiming, seen, day)

    monkeypatch.setattr(claims, "_take", noted)
    refused = await at_desk.claim("c")
    assert "2 of 2 tickets are in work" in str(refused) and len(looked_at) == 1


async def test_what_others_cost_is_told_with_a_ticket_s_own_news_alone(at_desk: Desk) -> None:
    """Else each acceptance would write the comments of all that wait."""
    first = await accepted(at_desk)
    assert "At the worst 8.50 USD for this ticket, 8.50 USD with all" in at_desk.card(first)
    await accepted(at_desk)
    written = len(at_desk.stage.writes())
    await at_desk.look(first)
    assert len(at_desk.stage.writes()) == written
    await at_desk.say(first, "/limit cost=5")
    assert "At the worst 5.00 USD for this ticket, 13.50 USD with all accepted ones." in at_desk.card(first)
    assert "May change the same files as: #2" in at_desk.card(first)


async def test_who_waits_for_us_is_looked_at_when_there_is_a_place(tmp_path: Path, database: Database) -> None:
    program = Supervisor(Program(tmp_path).write())
    async with scene(tmp_path, database) as stage, desk(stage, POOLS, program) as opened:
        first, second = await accepted(opened, pool="farm"), await accepted(opened, pool="farm")
        assert [await opened.state(number) for number in (first, second)] == [State.RUNNING, State.WAITING]
        await watch(opened.parts, key_of(opened))
        assert await _marked(opened, second) is False
        await opened.say(first, "/stop")
        assert await watch(opened.parts, key_of(opened)) == Sleep(EVERY)
        assert await _marked(opened, second) is True
        await stage.worker.drain()
        assert await opened.state(second) is State.RUNNING


async def _marked(at_desk: Desk, number: int) -> bool:
    rows = await at_desk.stage.gate.database.query(
        "select due_at <= now() from work where key = %s", (str(at_desk.key(number)),)
    )
    return bool(rows and rows[0][0])
