"""With little left of the hour, merge groups and people's commands go on; heads and the resync wait and ask nothing."""

from __future__ import annotations

import pytest

from app.gate.fanout import fan_out_repository
from app.keys import RepositoryKey
from app.store import work
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, hold_groups, open_shop, release_ci
from tests.gate.test_outage import wait
from tests.gate.test_stories import GREEN

pytestmark = pytest.mark.anyio


def left(stage: Scene, share: float) -> None:
    """So much of each hourly budget is left, and the gate's clients know it with the next answer."""
    for budget in stage.github.rate_limits.budgets.values():
        budget.used = round(budget.limit * (1 - share))


async def learn(stage: Scene) -> None:
    """The client hears of both budgets."""
    client = stage.gate.client(stage.installation.id)
    client.budget.left.clear()
    for repository in stage.github.world.repositories.values():
        await client.get(f"/repos/{repository.full_name}", purpose="list", model=dict)
        await fan_out_repository(stage.gate, RepositoryKey(stage.installation.id, repository.id), news=False)
    await stage.gate.database.query("delete from work")


async def test_a_head_waits_and_a_persons_comment_does_not(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    first = await agent_pull(stage, shop, "first")
    await stage.settle()
    left(stage, 0.12)
    await learn(stage)
    before = len(stage.requests())
    second = await agent_pull(stage, shop, "second")
    await stage.run_to_rest()
    assert stage.verdict(shop, second) == {}
    assert len(stage.requests()) == before, "who waits asks nothing"
    key = f"pull:{stage.installation.id}:{shop.id}:{second.number}"
    waiting = await stage.gate.database.query(
        "select attempts, parked, due_at > now() + interval '5 minutes' from work where key = %s", (key,)
    )
    assert waiting == [(0, False, True)], "that is no failure"
    await stage.github.comment(shop, first.number, "ada", "How is it?")
    await stage.run_to_rest()
    assert len(stage.requests()) > before
    left(stage, 0.9)
    await learn(stage)
    await work_again(stage, key)
    assert stage.verdict(shop, second) == GREEN


async def work_again(stage: Scene, key: str) -> None:
    async with stage.gate.database.transaction() as connection:
        await work.mark(connection, [work.Mark(key)])
    await stage.run_to_rest()


async def test_a_merge_group_goes_on_with_the_last_of_the_hour(stage: Scene) -> None:
    shop = await open_shop(stage)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    assert pull.merged_at is None
    left(stage, 0.04)
    await learn(stage)
    await release_ci(stage, shop)
    await stage.run_to_rest()
    assert pull.merged_at is not None


async def test_a_used_up_hour_is_asked_about_once(stage: Scene) -> None:
    """However many keys wait and however often they look again, until the hour is over."""
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    await learn(stage)
    left(stage, 0)
    pulls = [await agent_pull(stage, shop, f"change-{number}") for number in range(3)]
    before = len(stage.github.requests)
    for _ in range(work.PARKS_AT + 2):
        await stage.run_to_rest()
        await stage.gate.database.query("update work set due_at = now() where not periodic")
    refused = [one for one in stage.github.requests[before:] if one.status == 403 or one.operation is not None]
    assert len(refused) <= 8, "one for each slot at most"
    assert await work.parked(stage.gate.database) == []
    for budget in stage.github.rate_limits.budgets.values():
        budget.used = 0
    await wait(stage, 3700)
    await stage.run_to_rest()
    await stage.settle()
    assert all(stage.verdict(shop, pull) == GREEN for pull in pulls)
