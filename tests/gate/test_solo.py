"""One person with agents and a phone: what the preset `solo` lets through, and what not even it does."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop
from tests.gate.test_approvals import code, reactions, say
from tests.gate.test_stories import MEDIUM_BUNDLE, PAYMENT

pytestmark = pytest.mark.anyio

SOLO = "version: 1\nextends: solo\nqueue:\n  enqueue: 'on'\nrisk:\n  areas:\n    payment: {risk: medium}\n"
WAITS = {"evidence": "success", "review": "in_progress"}


async def test_one_person_approves_their_agents_work_by_phone_and_it_is_merged(stage: Scene) -> None:
    shop = await open_shop(stage, SOLO)
    shop.collaborators.pop("bob")
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    approval = await say(stage, shop, pull, "ada", f"/approve {code(stage, shop, pull)}")
    assert reactions(approval) == ["+1"]
    assert pull.merged_at is not None


async def test_one_person_does_not_approve_what_they_pushed_without_a_session(stage: Scene) -> None:
    shop = await open_shop(stage, SOLO)
    courier = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 9\n"}, author="ada")
    await stage.github.push(shop, "agent/own", {"shop/payment/own.py": "RATE = 1\n"}, author="ada")
    own = await stage.github.open_pull(shop, "agent/own", "main", "Mine", MEDIUM_BUNDLE, "ada")
    await stage.settle()
    for pull, why in ((courier, "ada pushed this head"), (own, "ada opened this pull request")):
        assert stage.verdict(shop, pull) == WAITS
        approval = await say(stage, shop, pull, "ada", f"/approve {code(stage, shop, pull)}")
        assert reactions(approval) == ["confused"]
        assert why in stage.summary(shop, pull, "review")
        assert stage.verdict(shop, pull) == WAITS
        assert pull.merged_at is None
