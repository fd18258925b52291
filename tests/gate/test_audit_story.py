"""From an agent's pull request to the report that tells of it: the audit log of a gate at work."""

from __future__ import annotations

import pytest

from app.local.audit_report import Report, report_of
from app.store import audit
from app.store.audit import Recorded, read_record
from app.store.audit_chain import Verified
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop, required
from tests.gate.test_stories import MEDIUM, MEDIUM_BUNDLE, PAYMENT

pytestmark = pytest.mark.anyio


async def records(stage: Scene) -> list[Recorded]:
    """All of them; the chain must be whole."""
    async with stage.gate.database.transaction() as connection:
        assert isinstance(await audit.verify(connection), Verified)
        return [read_record(link.record) async for link in audit.links(connection)]


async def report(stage: Scene) -> Report:
    return report_of(await records(stage))


async def test_a_merge_through_the_queue(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    told = await records(stage)
    about = [record.entry.kind for record in told if record.entry.subject == f"pull:{pull.number}"]
    assert about[0] == "verdict" and about[-1] == "landing"
    assert about.count("approval") == 1
    groups = [record.entry for record in told if record.entry.subject.startswith("group:")]
    assert [entry.kind for entry in groups] == ["verdict"] * len(groups)
    assert (groups[-1].data["evidence"], groups[-1].data["review"]) == ("passed", "passed")
    (policy,) = [record.entry for record in told if record.entry.kind == "policy"]
    (merge,) = report_of(told).merges
    assert (merge["sha"], merge["approvers"], merge["by_gate"]) == (pull.merge_commit_sha, ["bob"], True)
    assert (merge["policy"], merge["author"]) == (policy.data["policy"], "courier")
    assert merge["evidence"]["bundle"].startswith("sha256:")
    names = {file["name"] for run in merge["evidence"]["runs"] for file in run["files"]}
    assert names == {"test", "lint"}
    assert (merge["alarm"], merge["bypass"], report_of(told).bypasses) == (None, False, ())


async def test_a_bypassed_merge_is_told_as_one(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    rules = [required(stage.app.id)[0], {"type": "pull_request", "parameters": {"required_approving_review_count": 0}}]
    await stage.github.set_ruleset(shop, "gate", rules)
    await stage.merge_by_hand(shop, pull, "ada")
    for suite in shop.rule_suites:
        suite.result = "bypass"
    await stage.settle()
    told = await report(stage)
    (bypass,) = told.bypasses
    assert (bypass["sha"], bypass["by"], bypass["pull"]) == (pull.merge_commit_sha, "ada", pull.number)
    assert [merge["bypass"] for merge in told.merges] == [True]
