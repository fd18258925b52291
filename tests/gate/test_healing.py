"""Lost, repeated and reordered webhooks, faults in the middle, stacks: the loop ends at the same place."""

from __future__ import annotations

import pytest

from app.gate.fanout import resync
from app.store.worker import Sleep
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT
from tests.github.faults import Fault
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

NOT_QUEUED = POLICY.replace("'on'", "'off'")


async def test_without_any_webhook_the_resync_does_it_all(stage: Scene) -> None:
    stage.github.world.switches.lose_deliveries = True
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    for _ in range(6):
        await stage.resync()
        await stage.run_to_rest()
    await stage.settle()
    assert pull.merged_at is not None


@pytest.mark.parametrize("switch", ["repeat_deliveries", "reorder_deliveries"])
async def test_repeated_and_reordered_webhooks_change_nothing(stage: Scene, switch: str) -> None:
    setattr(stage.github.world.switches, switch, True)
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None


async def test_a_delivery_that_was_refused_is_asked_for_again(stage: Scene) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    stage.app.webhook_secret = "wrong for a moment"
    await agent_pull(stage, shop)
    await stage.github.settle()
    assert {delivery.status_code for delivery in stage.github.world.deliveries} == {401}
    stage.app.webhook_secret = "webhook-secret"
    outcome = await resync(stage.gate, stage.interval, webhooks=True)
    assert isinstance(outcome, Sleep)
    await stage.github.settle()
    assert any(delivery.redelivery and delivery.status_code == 202 for delivery in stage.github.world.deliveries)


FAULTS = [
    Fault("fail", "POST", "/check-runs$", count=3),
    Fault("fail_after", "POST", "/check-runs$", count=1),
    Fault("fail_after", "PATCH", "/check-runs/", count=2),
    Fault("cut_after", "POST", "/check-runs$", count=1),
    Fault("fail", operation="PullState", count=2),
    Fault("fail", "GET", "/actions/runs$", count=2, status=503),
    Fault("fail", "POST", "/access_tokens$", count=2),
    Fault("fail", "PUT", "/merge-async$", count=1),
    Fault("fail_after", "PUT", "/merge-async$", count=1),
    Fault("half", "POST", "/check-runs$", count=1),
    Fault("half", operation="PullState", count=2),
    Fault("half", "GET", "/actions/runs$", count=2),
    Fault("half", "PUT", "/merge-async$", count=1),
    Fault("silent", "POST", "/check-runs$", count=2),
    Fault("silent_after", "POST", "/check-runs$", count=1),
    Fault("silent_after", "PUT", "/merge-async$", count=1),
    Fault("silent", "GET", "/logs$", count=2),
    Fault("errors", operation="PullState", count=2),
    Fault("errors", operation="CommitState", count=2),
    Fault("errors", operation="PullHead", count=1),
]


def _name(fault: Fault) -> str:
    return f"{fault.kind} {fault.operation or fault.path}"


@pytest.mark.parametrize("fault", FAULTS, ids=_name)
async def test_a_fault_delays_and_duplicates_nothing(stage: Scene, fault: Fault) -> None:
    shop = await open_shop(stage)
    stage.github.faults.add(fault)
    pull = await agent_pull(stage, shop)
    for _ in range(4):
        await stage.run_to_rest()
        await stage.hurry()
    await stage.settle()
    assert fault.hits == fault.count
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None
    assert pull.issue.comments == []


async def test_a_listing_that_lags_makes_no_second_check_run(stage: Scene) -> None:
    stage.github.world.switches.check_run_list_lag = 3
    shop = await open_shop(stage, NOT_QUEUED)
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    await stage.resync()
    await stage.run_to_rest()
    assert stage.verdict(shop, pull) == GREEN


async def stacked(stage: Scene) -> tuple[Repository, PullRequest, PullRequest]:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    lower = await agent_pull(stage, shop, "lower")
    await stage.github.push(
        shop,
        "agent/upper",
        {**PAYMENT, ".github/mergegate.yml": "version: 1\nrisk:\n  areas:\n    payment: {risk: low}\n"},
        author="courier[bot]",
        base="agent/lower",
    )
    upper = await stage.github.open_pull(shop, "agent/upper", "agent/lower", body=MEDIUM_BUNDLE, author="courier[bot]")
    stage.github.stack(shop, [lower.number, upper.number])
    return shop, lower, upper


async def test_a_layer_of_a_stack_is_judged_by_the_stacks_base(stage: Scene) -> None:
    """An agent can write every branch between: its own policy there, looser than the base's, decides nothing."""
    shop, _, upper = await stacked(stage)
    await stage.settle()
    assert stage.verdict(shop, upper)["review"] == "in_progress"
    assert "high" in stage.summary(shop, upper, "review")
    assert "scope.complete" not in stage.summary(shop, upper, "evidence")
