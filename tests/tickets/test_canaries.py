"""Canary tickets against the real store: every limit stops its own, one that is missed stops everybody."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import jsonschema_rs
import pytest

from app.gate.presets import read_presets
from app.gate.reconcile import Reconciler
from app.gate.upkeep import canary_mark
from app.keys import WatchKey
from app.store import work
from app.store.database import Database
from app.store.tickets import canaries, runs
from app.store.worker import TIME_LIMIT, Done, Sleep, Worker
from app.tickets import canaries as running
from app.tickets.canaries import reconcile_canaries, run_canaries
from app.tickets.claims import Claiming, NothingToClaim, claim_within
from app.tickets.escalating_canary import mark_boards
from app.tickets.litellm import Gateway
from app.tickets.parts import TicketParts
from app.tickets.reconcile import reconcile
from policies.tickets.canary import LIMITS, Ran
from policies.tickets.records import Canary
from tests.tickets.litellm import LiteLlm
from tests.tickets.telling import NIGHT, tell, telling, telling_desk

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
SCHEMA = Path(__file__).parents[2] / "deploy" / "supervisor" / "stop.schema.json"


class Nobody:
    """GitHub, of which canaries ask nothing."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a canary asked GitHub for {name}")


@dataclass
class Outside:
    """A supervisor that notes what it is told, and says that the agent is `gone` or that it is not."""

    gone: bool = True
    told: list[tuple[str, Any]] = field(default_factory=list)

    async def tell(self, what: str, about: Any) -> bool:
        self.told.append((what, about))
        return self.gone


def parts_with(
    database: Database, now: datetime = NOW, supervisor: Outside | None = None, gateway: Gateway | None = None
) -> TicketParts:
    github = SimpleNamespace(app=Nobody())
    gate = SimpleNamespace(database=database, github=github, presets=read_presets(), now=lambda: now)
    return TicketParts(cast("Any", gate), None, cast("Any", supervisor), gateway)


async def missed_of(database: Database) -> str | None:
    async with database.transaction() as connection:
        found = await canaries.missed(connection)
    return None if found is None else found.limit


async def tried(database: Database, limit: str, *, passed: bool, at: datetime) -> None:
    async with database.transaction() as connection:
        await canaries.record(connection, Ran(cast("Any", limit), passed=passed, seen="x"), at)


async def test_every_limit_stops_its_canary_and_nothing_is_left_of_it(database: Database) -> None:
    found = await run_canaries(parts_with(database))
    assert [(ran.limit, ran.passed) for ran in found] == [(limit, True) for limit in LIMITS], found
    assert all(ran.took < 60 for ran in found)
    for table in canaries.LEFT_BEHIND:
        assert await database.query(f"select 1 from {table}") == [], table
    async with database.transaction() as connection:
        assert await canaries.ran_since(connection, NOW - DAY) == tuple(Canary(NOW, passed=True) for _ in LIMITS)
        assert await canaries.ran_since(connection, NOW + DAY) == ()
    assert await missed_of(database) is None


async def test_the_gateway_refuses_a_key_without_budget_and_the_supervisor_says_that_the_agent_is_gone(
    database: Database,
) -> None:
    lite, supervisor = LiteLlm(), Outside()
    found = await run_canaries(parts_with(database, NOW, supervisor, lite.gateway()))
    assert all(ran.passed for ran in found), found
    assert not lite.keys and [key.spend for key in lite.deleted.values()] == [0]
    ((what, story),) = supervisor.told
    assert what == "stop"
    jsonschema_rs.validator_for(json.loads(SCHEMA.read_text())).validate(story)
    assert (story["repository"], story["cause"], story["by"]) == ("mergegate/canary", "stop", "canary")

    lite.lavish, supervisor.gone = True, False
    missed = {ran.limit: ran.seen for ran in await run_canaries(parts_with(database, NOW, supervisor, lite.gateway()))}
    assert missed["cost"] == "the gateway let a key call a model whose budget is used up"
    assert missed["stop"] == "the supervisor did not say that its agent is gone"
    lite.away = True
    found = await run_canaries(parts_with(database, NOW, Outside(), lite.gateway()))
    assert {ran.limit for ran in found if not ran.passed} == {"cost"}


async def test_a_limit_that_does_not_hold_is_found_out(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("policies.tickets.progress.hit", lambda *_: None)
    monkeypatch.setattr(running, "DEAD_WITHIN", timedelta(0))
    found = {ran.limit: ran for ran in await run_canaries(parts_with(database))}
    assert {limit for limit, ran in found.items() if not ran.passed} == {"time", "cost"}
    assert found["time"].seen == "nothing happened to it"
    assert await missed_of(database) in ("time", "cost")


async def test_a_token_that_lives_on_is_found_out(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.store.tickets.moving.END_SESSIONS", "select %s, %s, %s, id from sessions where false")
    monkeypatch.setattr(running, "DEAD_WITHIN", timedelta(0))
    monkeypatch.setattr("app.store.tickets.moving._end_sessions", _nothing)
    found = {ran.limit: ran for ran in await run_canaries(parts_with(database))}
    assert found["stop"].seen == "its token still worked 0 s later"
    assert not found["stop"].passed and not found["cost"].passed


async def _nothing(*_: object) -> tuple[int, ...]:
    return ()


async def test_a_canary_that_outlasts_its_time_is_one_that_was_missed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asleep(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(runs, "report", asleep)
    monkeypatch.setattr(running, "LONGEST", timedelta(seconds=0.2))
    found = {ran.limit: ran for ran in await run_canaries(parts_with(database))}
    assert found["stop"].seen == "it was not over within 0.2 seconds"
    assert not found["stop"].passed and found["scope"].passed


async def test_a_canary_that_breaks_is_one_that_was_missed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(runs, "report", broken)
    found = {ran.limit: ran for ran in await run_canaries(parts_with(database))}
    assert found["stop"].seen == "it could not be run: ZeroDivisionError"
    assert found["scope"].passed


async def test_a_missed_stop_holds_everybody_back_until_it_holds_or_a_person_lets_work_begin(
    database: Database,
) -> None:
    await tried(database, "cost", passed=True, at=NOW - 3 * DAY)
    await tried(database, "cost", passed=False, at=NOW - 2 * DAY)
    await tried(database, "time", passed=True, at=NOW - DAY)
    assert await missed_of(database) == "cost", "another limit that holds says nothing of this one"
    place = cast("Any", SimpleNamespace(readable=True, repository=SimpleNamespace(id=42)))
    async with database.transaction() as connection:
        refused = await claim_within(connection, Claiming(place, None, NOW, "claude"))
    assert isinstance(refused, NothingToClaim)
    assert refused.because.startswith("The canary of the cost limit was not stopped (x); nothing begins")
    async with database.transaction() as connection:
        await canaries.lift(connection, "ada", "it was the clock", NOW - timedelta(hours=1))
    assert await missed_of(database) is None
    await tried(database, "cost", passed=False, at=NOW)
    assert await missed_of(database) == "cost", "what is missed afterwards is news"
    await tried(database, "cost", passed=True, at=NOW + timedelta(minutes=10))
    assert await missed_of(database) is None


async def test_what_a_clock_that_was_ahead_wrote_holds_nothing_up(database: Database) -> None:
    await tried(database, "cost", passed=False, at=NOW + 300 * DAY)
    assert await missed_of(database) == "cost"
    await tried(database, "cost", passed=True, at=NOW)
    assert await missed_of(database) is None
    await tried(database, "time", passed=False, at=NOW + 300 * DAY)
    async with database.transaction() as connection:
        await canaries.lift(connection, "ada", "its clock was wrong", NOW)
    assert await missed_of(database) is None
    await tried(database, "time", passed=False, at=NOW + timedelta(hours=1))
    assert await missed_of(database) == "time"


async def test_a_missed_stop_goes_up_once_on_the_board(tmp_path: Path, database: Database) -> None:
    async with telling_desk(tmp_path, database, telling(NIGHT)) as at_desk:
        board = await at_desk.open("Everything about our tickets.")
        await at_desk.say(board.number, "/board")
        before = len(at_desk.of_gate(board.number))
        at_desk.stage.clock += timedelta(minutes=2)  # a board is written once a minute at most
        now = at_desk.stage.gate.now()
        await tried(database, "cost", passed=False, at=now - timedelta(minutes=10))
        await tried(database, "cost", passed=False, at=now)
        await mark_boards(database)
        await at_desk.stage.worker.drain()
        await tell(at_desk)
        (said,) = (one.body for one in at_desk.of_gate(board.number)[before:])
        assert said.startswith("**The limit `cost` did not stop its canary: nothing begins until it does")
        assert said.split("\n\n")[1:3] == ["x", "@bob"]
        assert "⚠️ The limit `cost` did not stop its canary" in (board.body or "")


async def test_they_run_when_it_is_time_and_not_where_they_are_off(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[TicketParts] = []

    async def run(parts: TicketParts) -> tuple[Ran, ...]:
        ran.append(parts)
        await tried(database, "cost", passed=True, at=parts.gate.now())
        return ()

    monkeypatch.setattr(running, "run_canaries", run)
    assert await reconcile_canaries(parts_with(database), None) == Done()
    for now, times in ((NOW, 1), (NOW + timedelta(hours=23), 1), (NOW + DAY, 2)):
        assert isinstance(await reconcile_canaries(parts_with(database, now), DAY), Sleep)
        assert len(ran) == times


async def test_two_never_run_them_side_by_side(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running.LONGEST * len(LIMITS) < TIME_LIMIT  # what the worker ends is on no record
    monkeypatch.setattr(running, "run_canaries", None)  # nobody may
    waits = "select current_setting('idle_in_transaction_session_timeout')::interval > %s"
    async with database.transaction() as connection:
        assert await canaries.alone(connection)
        assert await (await connection.execute(waits, [TIME_LIMIT])).fetchone() == (True,)
        assert isinstance(await reconcile_canaries(parts_with(database), DAY), Sleep)


async def test_the_worker_runs_them_and_asks_nobody_about_their_tickets(database: Database) -> None:
    parts = parts_with(database)
    reconciler = Reconciler(parts.gate, DAY, partial(reconcile, parts), True, partial(reconcile_canaries, parts, DAY))
    async with database.transaction() as connection:
        await work.mark(connection, [canary_mark()])
    await Worker(database, reconciler).drain()
    async with database.transaction() as connection:
        assert [each.passed for each in await canaries.last(connection)] == [True] * len(LIMITS)
    left = {key for (key,) in await database.query("select key from work where not parked")}
    assert left == {"canary:::", "watch:-1:-1:"}, "the one sleeps until it is time, the other ends when it is due"
    assert await reconcile(parts, cast("Any", None), WatchKey(-1, -1)) == Done()
