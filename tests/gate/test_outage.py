"""Long troubles: whatever fails, and for however long, nothing is green that should not be, nothing is lost or doubled.

Short faults are in `test_healing`, killed processes in `tests/kill`, single answers in `tests/client/test_faults`.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.gate.fanout import resync
from app.store import work
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop, release_ci, withhold_ci
from tests.gate.test_stories import GREEN
from tests.github.faults import Fault

pytestmark = pytest.mark.anyio

NOT_QUEUED = POLICY.replace("'on'", "'off'")
ROUNDS = 2 * work.PARKS_AT  # more attempts than a key has


async def wait(stage: Scene, seconds: float) -> None:
    """Time goes by for the clients' budgets and for what sleeps in the work table."""
    for _, client in stage.gate.github.clients():
        before = client.budget._now
        client.budget._now = lambda before=before: before() + seconds  # type: ignore[misc]
    await stage.gate.database.query("update work set due_at = now() where not parked and not periodic")


def everything_fails(stage: Scene, *, status: int = 503) -> None:
    stage.github.faults.add(Fault("fail", count=1_000_000, status=status))


async def test_an_hour_without_github_leaves_nothing_to_repair(stage: Scene) -> None:
    """During it heads move, a pull request is opened, CI ends; GitHub sends no delivery of it, then or later."""
    shop = await open_shop(stage, NOT_QUEUED)
    green, moved = await agent_pull(stage, shop, "green"), await agent_pull(stage, shop, "moved")
    await stage.run_to_rest()
    withhold_ci(stage, shop)
    awaited = await agent_pull(stage, shop, "awaited")
    await stage.settle()
    assert stage.verdict(shop, green) == stage.verdict(shop, moved) == GREEN
    everything_fails(stage)
    await stage.gate.database.query("update work set due_at = now()")
    async with stage.gate.database.transaction() as connection:
        keys = [f"pull:{stage.installation.id}:{shop.id}:{pull.number}" for pull in (green, moved, awaited)]
        await work.mark(connection, [work.Mark(key) for key in keys])
    stage.github.world.switches.lose_deliveries = True
    await stage.github.push(shop, "agent/moved", {"shop/more.py": "RATE = 2\n"}, author="courier[bot]")
    await release_ci(stage, shop)
    fresh = await agent_pull(stage, shop, "fresh")
    before = len(stage.requests())
    for _ in range(ROUNDS):
        await stage.worker.drain()
        await wait(stage, timedelta(hours=1).total_seconds() / ROUNDS)
    assert await work.parked(stage.gate.database) == []
    assert stage.verdict(shop, moved) == stage.verdict(shop, fresh) == {}, "nothing was written, so nothing is green"
    assert len(stage.requests()) - before <= 10 * ROUNDS
    stage.github.faults.clear()
    await wait(stage, 60)
    await resync(stage.gate, stage.interval, webhooks=False)
    for _ in range(3):
        await stage.run_to_rest()
        await wait(stage, 60)
    await stage.run_to_rest()
    assert stage.verdict(shop, green) == stage.verdict(shop, awaited) == GREEN
    assert stage.verdict(shop, moved)["evidence"] == "success"
    assert stage.verdict(shop, fresh)["evidence"] == "success"
    await stage.assert_settled()


@pytest.mark.parametrize("minutes", [-10, 10])
async def test_a_clock_that_is_ten_minutes_wrong_makes_nothing_green(stage: Scene, minutes: int) -> None:
    stage.clock = timedelta(minutes=minutes)
    shop = await open_shop(stage)
    withhold_ci(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    assert stage.verdict(shop, pull)["evidence"] == "in_progress"
    await release_ci(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None
    assert pull.issue.comments == []


async def test_secondary_limits_in_the_middle_delay_and_double_nothing(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    for after in (1, None, 30):
        stage.github.rate_limits.refuse_next(1, retry_after=after)
        await stage.run_to_rest()
        await wait(stage, 1000)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None
    assert await work.parked(stage.gate.database) == []


FULL = """
create or replace function full_disk() returns trigger language plpgsql as $$
begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
create trigger full_disk before insert on {table} execute function full_disk();
"""


@pytest.fixture
async def freed(stage: Scene) -> object:
    """Whatever happens, later tests find room again."""
    yield
    for table in ("deliveries", "decisions"):
        await stage.gate.database.query(f"drop trigger if exists full_disk on {table}")
    await stage.gate.database.query("drop function if exists full_disk")


@pytest.mark.usefixtures("freed")
async def test_a_full_disk_loses_no_delivery(stage: Scene) -> None:
    """PostgreSQL's error for it, https://www.postgresql.org/docs/current/errcodes-appendix.html: 53100."""
    shop = await open_shop(stage, NOT_QUEUED)
    await stage.settle()
    await stage.gate.database.query(FULL.format(table="deliveries"))
    pull = await agent_pull(stage, shop)
    await stage.github.settle()
    lost = [one for one in stage.github.world.deliveries if one.status_code == 503]
    assert lost, "GitHub knows that they were not taken"
    await stage.gate.database.query("drop trigger full_disk on deliveries")
    await resync(stage.gate, stage.interval, webhooks=True)
    await stage.settle()
    taken = {one.guid for one in stage.github.world.deliveries if one.status_code == 202}
    assert {one.guid for one in lost} <= taken
    assert stage.verdict(shop, pull) == GREEN


@pytest.mark.usefixtures("freed")
async def test_a_disk_that_is_full_for_long_parks_nothing_and_doubles_nothing(stage: Scene) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    await stage.settle()
    await stage.gate.database.query(FULL.format(table="decisions"))
    pull = await agent_pull(stage, shop)
    await stage.github.settle()
    for _ in range(3):  # each as if the key had been tried as often as it is at most
        await stage.gate.database.query("update work set attempts = %s", (work.PARKS_AT - 1,))
        await stage.worker.drain()
        await wait(stage, 10)
    assert await work.parked(stage.gate.database) == []
    await stage.gate.database.query("drop trigger full_disk on decisions")
    await wait(stage, 10)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN, "and one check run of each name"
