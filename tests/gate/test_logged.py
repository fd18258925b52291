"""What the log says of a pull request leads from the delivery to the decision; the counters count the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from prometheus_client import REGISTRY

from app.logging import configure_logging
from app.store import decisions
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop

pytestmark = pytest.mark.anyio


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_each_line_names_the_delivery_the_key_the_head_and_the_decision(
    stage: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging()
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    passed = counted("mergegate_verdicts_total", check="evidence", status="passed")
    spent = counted("mergegate_reconcile_requests_sum", kind="pull")
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    lines: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    key = f"pull:{stage.installation.id}:{shop.id}:{pull.number}"
    own = [line for line in lines if line.get("key") == key]
    sent = {one.guid for one in stage.github.world.deliveries if one.app_id == stage.app.id}
    assert {"effect", "decided"} <= {line["event"] for line in own}
    for line in own:
        assert line["delivery"] in sent
        assert line["head"] == pull.head_sha
        assert line["attempt"] >= 1
    decided = [line for line in own if line["event"] == "decided"][-1]
    assert decided["evidence"] == "passed"
    async with stage.gate.database.transaction() as connection:
        decision = await decisions.find(connection, decided["decision"])
    assert decision is not None
    assert (decision.key, decision.head_sha) == (key, pull.head_sha)
    assert counted("mergegate_verdicts_total", check="evidence", status="passed") > passed
    cost = len(stage.requests())
    assert 0 < counted("mergegate_reconcile_requests_sum", kind="pull") - spent <= cost


async def test_what_a_pull_request_cost_is_counted_once_when_it_ends(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    ended, requests = (counted(f"mergegate_pull_request_requests_{what}") for what in ("count", "sum"))
    kept = await stage.gate.database.query("select requests from pulls where number = %s", (pull.number,))
    await stage.github.close_pull(shop, pull.number, "ada")
    await stage.run_to_rest()
    await stage.resync()
    await stage.run_to_rest()
    assert counted("mergegate_pull_request_requests_count") - ended == 1
    assert counted("mergegate_pull_request_requests_sum") - requests == kept[0][0] > 0
