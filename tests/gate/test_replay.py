"""Every decision can be judged again from the store alone, and gives the verdict that was stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.gate.recorded import UnreadableRecord
from app.gate.replaying import MOST_DIFFERENCES, read_policy_state, replay
from app.store import decided_policies, decisions
from app.store.decisions import Decision
from tests.gate.scene import Scene
from tests.gate.serial_shop import open_serial_shop
from tests.gate.shop import BUNDLE, agent_pull, fail_ci, open_shop, pass_ci
from tests.gate.test_stories import MEDIUM, MEDIUM_BUNDLE, PAYMENT

pytestmark = pytest.mark.anyio

POLICY = (
    MEDIUM.replace("{risk: medium}", "{risk: medium, review: evidence, reviewers: {users: [ada], teams: [payers]}}")
    + "rules:\n  owned: {when: {not: {labels: [trivial]}}, require: {all: [{code_owners: {}}, {approvals: {}}]}}\n"
)


async def _decided(stage: Scene) -> list[tuple[Decision, bytes | None]]:
    rows = await stage.gate.database.query("select id from decisions order by id")
    found = []
    async with stage.gate.database.transaction() as connection:
        for (number,) in rows:
            decision = await decisions.find(connection, number)
            assert decision is not None
            found.append((decision, await decided_policies.find(connection, decision.policy or "")))
        assert await decisions.find(connection, 0) is None
    return found


async def test_every_decision_of_a_story_is_repeated(stage: Scene) -> None:
    stage.github.team("acme", "payers", ["bob"])
    shop = await open_shop(stage, POLICY, CODEOWNERS="shop/ @bob ada@example.com\n")
    fail_ci(stage, shop)
    await agent_pull(stage, shop, "other", {"shop/é.py": "A = 1\n"}, BUNDLE)
    await stage.settle()
    pass_ci(stage, shop)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert pull.merged_at is not None
    decided = await _decided(stage)
    assert len(decided) >= 4
    _are_repeated(decided)
    (group,) = [one for one in decided if one[0].key.startswith("group:")]
    assert group[0].verdict["evidence"]["status"] == "passed"
    _a_group_that_was_not_its_members_alone_is_told(*group)
    states = await stage.gate.database.query("select count(*) from decided_policies")
    assert states[0][0] <= 2, "one policy is kept once, however many decisions rest on it"
    of_pulls = [one for one in decided if one[0].key.startswith("pull:")]
    approved = next(one for one in of_pulls if one[0].verdict["approved_by"] and not one[0].verdict["needed"])
    _other_verdicts_are_told(*approved)


def _are_repeated(decided: list[tuple[Decision, bytes | None]]) -> None:
    for decision, policy in decided:
        result = replay(decision, policy)
        assert (result.differences, result.again) == ((), result.stored)


def _a_group_that_was_not_its_members_alone_is_told(decision: Decision, policy: bytes | None) -> None:
    """The verdict is made of what was seen, and not read from the record."""
    seen = json.loads(decision.snapshot)
    seen["rebuild"]["rebuilt"] = "0" * 40
    result = replay(replace(decision, snapshot=json.dumps(seen).encode()), policy)
    assert 'evidence.status: was "passed", is "failed"' in result.differences


async def test_a_trial_of_the_serial_queue_is_a_decision_too(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    decided = await _decided(stage)
    _are_repeated(decided)
    tried = [decision for decision, _ in decided if decision.key.startswith("queue:")]
    assert [decision.verdict["evidence"]["status"] for decision in tried] == ["passed"]


def _other_verdicts_are_told(decision: Decision, policy: bytes | None) -> None:
    said = {**decision.verdict, "risk": 1, "kind": "person", "approved_by": ["eve"], "needed": ["x", "y"]}
    result = replay(replace(decision, verdict=said), policy)
    assert set(result.differences) == {
        'approved_by[0]: was "eve", is "bob"',
        'kind: was "person", is "agent"',
        'needed: was ["x", "y"], is []',
        "risk: was 1, is 2",
    }
    assert result.stored != result.again
    many = {**decision.verdict, **{f"x{number}": "y" * 300 for number in range(90)}}
    assert len(replay(replace(decision, verdict=many), policy).differences) == MOST_DIFFERENCES


def test_what_other_versions_recorded_is_said() -> None:
    decision = Decision("pull:1:2:3", 2, "a" * 40, "mg1:", {}, b"{}", [], {}, gated=True)
    with pytest.raises(UnreadableRecord, match="without the policy"):
        replay(decision, None)
    with pytest.raises(UnreadableRecord, match="without the policy"):
        replay(replace(decision, gated=None), b"{}")
    with pytest.raises(UnreadableRecord, match="policy cannot be read back"):
        read_policy_state(b"{}")
