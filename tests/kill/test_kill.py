"""kill -9 of `mergegate serve` at random moments of a burst of deliveries.

Every round something happens to the pull requests, the service is killed in the middle of it, and in every second
round its database too. Half a minute after the restart GitHub must show the right checks, whatever was lost.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from tests.databases import anyio_backend, data_folder
from tests.service.process import GateProcess, kill_database
from tests.service.town import KINDS, Town, town
from tests.standby import SERVICE, standby

__all__ = ["anyio_backend"]

pytestmark = pytest.mark.anyio

# On cores that others use too, half a minute of this program's work takes longer by as much as they are crowded.
CROWDED = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
SECONDS_TO_BE_RIGHT = 30.0 * CROWDED
SECONDS_TO_LAND = 90.0 * CROWDED
SOAK = bool(os.environ.get("MERGEGATE_SOAK"))


@dataclass(frozen=True)
class Plan:
    """`first` pull requests are opened in the first round, the others one by one in the following ones."""

    kills: int
    pulls: int
    first: int
    touches: int  # a round
    deliveries: int  # that must have been sent in the end, at least


PLAN = Plan(20, 40, 21, 5, 200) if SOAK else Plan(4, 12, 8, 3, 60)


@pytest.fixture
async def place() -> AsyncIterator[Town]:
    with data_folder() as folder:
        async with town(folder, standby=standby(*SERVICE)) as opened:
            yield opened


async def test_the_right_checks_stand_thirty_seconds_after_every_kill(place: Town) -> None:
    seed = int(os.environ.get("MERGEGATE_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
    print(f"\nseed {seed} (MERGEGATE_SEED repeats it), {PLAN}, {SECONDS_TO_BE_RIGHT:.0f} s to be right")
    chance, gate = random.Random(seed), place.gate()
    await gate.start()
    try:
        await gate.healthy()
        times = [await _round(place, gate, chance, number) for number in range(PLAN.kills)]
        await _until(lambda: not place.unfinished(), gate, SECONDS_TO_LAND, place)
    finally:
        await gate.cleanup()
    sent = [one for one in place.github.world.deliveries if one.app_id == place.app.id and not one.redelivery]
    unheard = sum(not one.status_code for one in sent)
    print(f"{len(sent)} deliveries, {unheard} unheard; right after {max(times):.1f} s at most, {times}")
    assert len(sent) >= PLAN.deliveries
    assert unheard, "no kill met a delivery"
    assert place.duplicates() == []
    assert place.wrong() == {}


async def _round(place: Town, gate: GateProcess, chance: random.Random, number: int) -> float:
    """Seconds from the restart until all checks were right."""
    moment = chance.uniform(0, 4.0)
    with_database = number % 2 == 1
    happening = asyncio.create_task(_happen(place, chance, number))
    await asyncio.sleep(moment)
    await gate.kill()
    if with_database:
        kill_database(place.data)
    await asyncio.sleep(chance.uniform(0, 0.5))
    restarted = time.monotonic()
    await gate.start()
    await happening
    await _until(lambda: not place.wrong(), gate, SECONDS_TO_BE_RIGHT - (time.monotonic() - restarted), place)
    taken = round(time.monotonic() - restarted, 1)
    print(f"round {number}: killed after {moment:.2f} s, database {with_database}, right after {taken} s", flush=True)
    assert place.duplicates() == []
    return taken


async def _happen(place: Town, chance: random.Random, number: int) -> None:
    opened = len(place.kinds)
    left = PLAN.pulls - opened
    wanted = PLAN.first if number == 0 else -(-left // (PLAN.kills - number))
    for index in range(opened, opened + min(left, wanted)):
        await place.open(KINDS[index % len(KINDS)])
    for which in chance.sample(range(1, len(place.kinds) + 1), PLAN.touches):
        await place.touch(which)


async def _until(done: Callable[[], bool], gate: GateProcess, seconds: float, place: Town) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            state = {n: (place.kinds[n], dict(checks)) for n, checks in place.wrong().items()}
            raise AssertionError(f"not right in time: {state}; unfinished {place.unfinished()}\n{gate.log_end()}")
        await asyncio.sleep(0.1)
