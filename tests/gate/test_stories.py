"""What happens to a pull request from opening to landing."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop

pytestmark = pytest.mark.anyio


async def test_an_honest_low_risk_change_is_merged_by_the_queue(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "success"}
    assert pull.merged_at is not None
