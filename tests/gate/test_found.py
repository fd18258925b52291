"""What the state machine found, each as a plain story."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, agent_pull, open_shop, withhold_ci

pytestmark = pytest.mark.anyio
BY_HAND = POLICY.replace("'on'", "'off'")


async def test_a_pull_request_that_is_seen_late_takes_the_green_from_another_with_its_head(stage: Scene) -> None:
    """Its base is not gated, so it wants nothing itself; but CI of a head with two bases proves nothing."""
    shop = await open_shop(stage, BY_HAND)
    await stage.run_to_rest()
    await stage.github.push(shop, "playground", {"VERSION": "1\n"}, author="ada")
    stage.github.world.switches.lose_deliveries = True
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.1\n"}, author="courier[bot]")
    unseen = await stage.github.open_pull(shop, "agent/discount", "playground", author="courier[bot]")
    stage.github.world.switches.lose_deliveries = False
    seen = await stage.github.open_pull(shop, "agent/discount", "main", body=BUNDLE, author="courier[bot]")
    await stage.run_to_rest()
    assert stage.verdict(shop, seen)["evidence"] == "success"
    await stage.github.edit_pull(shop, unseen.number, "courier[bot]", title="Something else")
    await stage.settle()
    assert stage.verdict(shop, seen)["evidence"] == "failure"


async def test_an_attempt_that_begins_and_ends_in_the_second_of_the_one_before_is_seen(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await open_shop(stage, BY_HAND)
    now = stage.github.world.now()
    monkeypatch.setattr(stage.github.world, "now", lambda: now)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "success"
    withhold_ci(stage, shop)
    (run,) = shop.runs.values()
    await stage.github.actions.rerun(shop, run, "ada")
    await stage.github.actions.cancel(shop, run)
    await stage.settle()
    assert run.conclusion == "cancelled"
    assert stage.verdict(shop, pull)["evidence"] == "failure"
