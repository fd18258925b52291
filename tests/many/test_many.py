"""Processes are killed and stopped at random, and their database too, while everything happens: nothing is lost.

Under MERGEGATE_SOAK=1 they are eight for two minutes, else five for four ends. MERGEGATE_SEED repeats a run.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.github.clients import GitHubApp
from app.github.identity import AppIdentity
from app.proxy.stopping import stop
from app.secret import SecretStr
from app.store.database import Database
from app.store.embedded import Embedded
from tests.databases import anyio_backend, data_folder, database, database_url, server
from tests.many.agents import Agent, agents, noted
from tests.many.fleet import Fleet, Spread, fleet
from tests.many.outage import FAST, IMMEDIATE
from tests.many.processes import left_after
from tests.many.town import Street, street
from tests.service.process import processes_of

__all__ = ["anyio_backend", "database", "database_url", "server"]

pytestmark = pytest.mark.anyio

SOAK = bool(os.environ.get("MERGEGATE_SOAK"))
PARTS = ("web", "web", *("work",) * 4, "proxy", "proxy") if SOAK else ("web", "web", "work", "work", "proxy")
AGENTS = "abcde" if SOAK else "ab"
ROUNDS, SECONDS = (10, 120.0) if SOAK else (4, 0.0)  # at least
# The rounds in which the database ends, not one of the processes, and how.
OUTAGES = {3: FAST, 8: IMMEDIATE} if SOAK else {2: IMMEDIATE}
LONGEST_OUTAGE = 4.0  # seconds, beside its end and its start
CROWDED = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
SECONDS_TO_END = 90.0 * CROWDED


async def test_nothing_is_lost_whatever_is_killed_when(server: Embedded, database: Database, database_url: str) -> None:
    seed = int(os.environ.get("MERGEGATE_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
    chance = random.Random(seed)
    with data_folder() as folder:
        async with _stage(folder, database_url, chance) as (place, running):
            team = await agents(
                database, place.yard, place.installation.id, folder, running.addresses("proxy"), AGENTS, seed
            )
            print(f"\nseed {seed} (MERGEGATE_SEED repeats it)")
            ended = await _rounds(place, running, team, database, server, chance)
            await _until(lambda: _unsettled(place), running)
            await _check_pushes(place, team, database, ended, running)
            await _check_deliveries(place, database)
            assert place.duplicates() == []
            assert await running.stop() == [0] * len(running.members), running.log_ends()
        print(f"ends: {dict(running.ends)}; pushes: {dict(sum((one.said for one in team), Counter()))}")
        assert left_after(running.started, 10.0) == frozenset()
        assert processes_of(folder) == []


@contextlib.asynccontextmanager
async def _stage(folder: Path, url: str, chance: random.Random) -> AsyncIterator[tuple[Street, Fleet]]:
    spread = Spread(random.Random(chance.random()))
    async with street(folder, url, spread) as place:
        running = fleet(folder, place.settings, PARTS)
        spread.addresses = running.addresses("web")
        try:
            await running.start()
            yield place, running
        finally:
            await running.cleanup()


async def _rounds(
    place: Street, running: Fleet, team: list[Agent], database: Database, server: Embedded, chance: random.Random
) -> Agent:
    """Things happen and processes end. The agent whose session was stopped half-way."""
    await asyncio.gather(*(one.clone() for one in team))
    enough, begun = asyncio.Event(), time.monotonic()
    pushing = [asyncio.create_task(one.run(enough)) for one in team]
    try:
        for number in itertools.count():
            await _round(place, running, server, OUTAGES.get(number), chance)
            if number == ROUNDS // 2:
                await _stop_session(place, team[0], database)
            if number + 1 >= ROUNDS and time.monotonic() - begun >= SECONDS:
                break
    finally:
        enough.set()
        await asyncio.gather(*pushing)
    print(f"\n{number + 1} rounds in {time.monotonic() - begun:.0f} s")
    return team[0]


async def _round(
    place: Street, running: Fleet, server: Embedded, how: signal.Signals | None, chance: random.Random
) -> None:
    if how:
        await running.healthy()  # a process that finds no database when it starts ends, and nobody here starts it again
    happening = asyncio.create_task(place.happen(chance))
    await asyncio.sleep(chance.uniform(0, 2.0))
    if how:
        await running.lose_database(server, how, chance.uniform(0, LONGEST_OUTAGE))
    else:
        await running.disturb(chance)
    await happening


async def _stop_session(place: Street, agent: Agent, database: Database) -> None:
    courier = GitHubApp(_courier(place))
    try:
        stopped = await stop(database, courier, agent.grant.session, "enough")
    finally:
        await courier.aclose()
    assert stopped is not None and stopped.confirmed, stopped
    agent.stopped_at = stopped.oid


def _courier(place: Street) -> AppIdentity:
    settings = place.settings
    key = Path(settings["MERGEGATE_COURIER_PRIVATE_KEY_FILE"]).read_text("ascii")
    app_id = settings["MERGEGATE_COURIER_APP_ID"]
    return AppIdentity("courier", app_id, (SecretStr(key),), settings["MERGEGATE_GITHUB_API_URL"])


def _unsettled(place: Street) -> dict[str, object]:
    """What is not yet as it must be in the end."""
    town = place.town
    found = {"checks": town.wrong(), "not merged": town.unfinished(), "tickets": place.wrong_tickets()}
    return {name: wrong for name, wrong in found.items() if wrong}


async def _until(unsettled: Callable[[], dict[str, object]], running: Fleet) -> None:
    end = time.monotonic() + SECONDS_TO_END
    while left := unsettled():
        assert time.monotonic() < end, f"not within {SECONDS_TO_END:.0f} s: {left}\n{running.log_ends()}"
        await asyncio.sleep(0.2)


async def _check_pushes(place: Street, team: list[Agent], database: Database, ended: Agent, running: Fleet) -> None:
    git = place.town.github.git(place.yard)
    for agent in team:
        tip = await git.rev_parse(f"refs/heads/{agent.branch}")
        there = set() if tip is None else set(await git.commits(tip, limit=10_000))
        assert set(agent.passed) <= there, f"{agent.name}: a push that git called a success is gone"
        assert not set(agent.foreign) & there
        assert set(agent.passed) <= await noted(database, agent)
    assert await git.rev_parse("refs/heads/main") == place.yard_main
    for proxy in running.addresses("proxy"):
        assert not await ended.push(proxy), "a session that was stopped has pushed"
    assert await git.rev_parse(f"refs/heads/{ended.branch}") == ended.stopped_at


async def _check_deliveries(place: Street, database: Database) -> None:
    """Each that was answered with success is stored; the rest was asked for again or its end was found otherwise."""
    sent = [one for one in place.town.github.world.deliveries if one.app_id == place.town.app.id]
    taken = {one.guid for one in sent if one.status_code and one.status_code < 300}
    stored = {row[0] for row in await database.query("select delivery_id from deliveries")}
    unheard = sum(not one.status_code for one in sent)
    print(f"{len(sent)} deliveries, {sum(one.redelivery for one in sent)} again: {Counter(one.status for one in sent)}")
    assert taken <= stored
    if SOAK:
        assert unheard, "no kill met a delivery"
