"""Stacks: a layer stands on those below it as they are now, and no layer is merged before them."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.serial_shop import Turns, open_serial_shop
from tests.gate.shop import BUNDLE, POLICY, agent_pull, open_shop, release_ci, withhold_ci
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

GREEN = {"evidence": "success", "review": "success"}


async def stacked(stage: Scene, shop: Repository, body: str = BUNDLE) -> tuple[PullRequest, PullRequest]:
    """Two layers: `agent/lower` on main, `agent/upper` on that."""
    lower = await agent_pull(stage, shop, "lower", body=body)
    await stage.github.push(
        shop, "agent/upper", {"shop/upper.py": "A = 1\n"}, author="courier[bot]", base="agent/lower"
    )
    upper = await stage.github.open_pull(shop, "agent/upper", "agent/lower", body=body, author="courier[bot]")
    stage.github.stack(shop, [lower.number, upper.number])
    return lower, upper


async def test_a_push_to_a_layer_takes_the_ground_from_what_stands_on_it(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    lower, upper = await stacked(stage, shop)
    await stage.settle()
    assert [stage.verdict(shop, lower), stage.verdict(shop, upper)] == [GREEN, GREEN]
    await stage.github.push(shop, "agent/lower", {"shop/lower.py": "RATE = 0.2\n"}, author="courier[bot]")
    await stage.settle()
    assert [stage.verdict(shop, lower), stage.verdict(shop, upper)] == [GREEN, {**GREEN, "evidence": "in_progress"}]
    assert f"Layer `#{lower.number}` below it moved on" in stage.summary(shop, upper, "evidence")
    await stage.github.push(
        shop,
        "agent/upper",
        {"shop/upper.py": "A = 2\n"},
        author="courier[bot]",
        parents=[lower.head_sha],
    )
    await stage.settle()
    assert stage.verdict(shop, upper) == GREEN


async def test_the_native_queue_is_not_asked_for_a_layer_while_one_below_waits_for_a_person(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY + "risk:\n  areas:\n    lower: {risk: medium, paths: [shop/lower.py]}\n")
    lower, upper = await stacked(stage, shop, BUNDLE.replace("level: low", "level: medium"))
    await stage.settle()
    assert stage.verdict(shop, lower) == {**GREEN, "review": "in_progress"}
    assert shop.queues.get("main", []) == []
    await stage.github.review(shop, upper.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, upper) == GREEN, "judged against the stack's base, it holds the lower layer's change too"
    assert shop.queues.get("main", []) == []
    await stage.github.review(shop, lower.number, "bob")
    await stage.settle()
    assert lower.merged_at is not None


async def test_the_serial_queue_takes_layers_from_the_bottom(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    withhold_ci(stage, shop)
    lower, upper = await stacked(stage, shop)
    await stage.settle()
    await release_ci(stage, shop)
    await stage.settle()
    assert turns.landed == [lower.number]
    # Its base is another one now, so its runs before that prove nothing; GitHub rebases it, here the agent does.
    await stage.github.push(shop, "agent/upper", {"shop/upper.py": "A = 2\n"}, author="courier[bot]")
    await stage.settle()
    assert turns.landed == [lower.number, upper.number]
    await turns.assert_sound()
