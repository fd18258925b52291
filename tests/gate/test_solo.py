"""One person with agents and a phone: what the preset `solo` lets through, and what not even it does."""

from __future__ import annotations

import pytest

from app.proxy import ledger, sessions
from app.proxy.sessions import Wanted
from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop
from tests.gate.test_approvals import code, reactions, say
from tests.gate.test_stories import MEDIUM_BUNDLE, PAYMENT

pytestmark = pytest.mark.anyio

SOLO = """\
version: 1
extends: solo
queue: {enqueue: 'on'}
risk:
  areas:
    payment: {risk: medium, review: evidence}
"""
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


async def test_what_a_session_pushed_in_that_persons_name_is_their_agents(stage: Scene) -> None:
    shop = await open_shop(stage, SOLO)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    database, branch = stage.gate.database, "refs/heads/agent/payment"
    wanted = Wanted(1, shop.id, "acme", "shop", branch, "refs/heads/main", "claude", opened_by="ada", operator="ada")
    _, grant = await sessions.open_session(database, wanted)
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 9\n"}, author="ada")
    entry = await ledger.begin(database, grant, ledger.PUSH, ref=branch, new_oid=pull.head_sha)
    assert isinstance(entry, int)
    await ledger.end(database, entry, "done")
    await stage.settle()
    assert "session of claude" in stage.summary(shop, pull, "evidence")
    assert reactions(await say(stage, shop, pull, "ada", f"/approve {code(stage, shop, pull)}")) == ["+1"]
    assert pull.merged_at is not None
