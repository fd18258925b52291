"""A ticket and its pull request: who may merge it, what holds it, and whose work it is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from app.store.database import Database
from app.store.tickets import messages
from policies.tickets.states import State
from tests.gate.scene import scene
from tests.gate.shop import agent_pull, withhold_ci
from tests.tickets.desk import TICKETS, Desk, desk, is_dead

pytestmark = pytest.mark.anyio

# The gate does not enqueue: what passed stays there for people to act on.
BY_HAND = TICKETS.replace("enqueue: 'on'", "enqueue: 'off'")


async def test_work_of_an_agent_without_a_ticket_fails_and_says_so(at_desk: Desk) -> None:
    pull = await agent_pull(at_desk.stage, at_desk.shop)
    await at_desk.stage.run_to_rest()
    assert at_desk.stage.verdict(at_desk.shop, pull)["evidence"] == "failure"
    assert "It belongs to no ticket, and the policy asks for one." in at_desk.stage.summary(
        at_desk.shop, pull, "evidence"
    )
    said = await at_desk.say(pull.number, "/hold")
    assert at_desk.reactions(said) == ["-1"]
    assert "belongs to no ticket" in at_desk.answers(pull.number)[0]
    left = await at_desk.say(pull.number, "/lgtm")
    assert at_desk.reactions(left) == []


async def test_what_leaves_the_ticket_s_paths_fails_and_goes_back(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    pull = await at_desk.bring(claimed, {"shop/discount.py": "RATE = 0.1\n", "docs/x.md": "x\n"})
    assert at_desk.stage.verdict(at_desk.shop, pull)["evidence"] == "failure"
    assert f"Outside ticket {number}" in at_desk.stage.summary(at_desk.shop, pull, "evidence").replace("`", "")
    assert await at_desk.state(number) is State.RUNNING
    assert (await at_desk.row(number)).attempts == 2


async def test_a_hold_keeps_it_out_and_a_rejection_sends_it_back(tmp_path: Path, database: Database) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, BY_HAND) as at_desk:
        number = (await at_desk.open()).number
        await at_desk.say(number, "/accept")
        claimed = await at_desk.claimed()
        pull = await at_desk.bring(claimed)
        assert await at_desk.state(number) is State.MERGEABLE
        assert stage.verdict(at_desk.shop, pull)["evidence"] == "success"

        # Heard also where its delivery was lost.
        stage.github.world.switches.lose_deliveries = True
        held = await at_desk.write(pull.number, "/hold wait for the release", "bob")
        await stage.resync()
        await stage.run_to_rest()
        stage.github.world.switches.lose_deliveries = False
        assert at_desk.reactions(held) == ["rocket"]
        assert stage.verdict(at_desk.shop, pull)["evidence"] == "in_progress"
        assert "@bob holds it: wait for the release" in stage.summary(at_desk.shop, pull, "evidence").replace("`", "")
        assert await at_desk.state(number) is State.MERGEABLE
        assert "Held by `bob`" in at_desk.card(number)
        await at_desk.say(pull.number, "/unhold", "bob")
        assert stage.verdict(at_desk.shop, pull)["evidence"] == "success"

        rejected = await at_desk.say(pull.number, "/reject The rate must come from the settings", "bob")
        assert at_desk.reactions(rejected) == ["rocket"]
        assert await at_desk.state(number) is State.RUNNING
        assert stage.verdict(at_desk.shop, pull)["evidence"] == "failure"
        assert (await at_desk.row(number)).attempts == 2
        async with stage.gate.database.transaction() as connection:
            told = await messages.undelivered(connection, at_desk.shop.id, number)
        assert [(one.kind, one.said_by) for one in told] == [("rejected", "bob")]
        status = await at_desk.say(pull.number, "/status")
        assert at_desk.reactions(status) == ["rocket"]
        assert "Attempt 2 of 3" in at_desk.answers(pull.number)[-1]


async def test_a_review_counts_for_the_ticket_as_it_was_accepted_then(tmp_path: Path, database: Database) -> None:
    approved = BY_HAND + "requirements: {low: {approvals: 1}}\n"
    async with scene(tmp_path, database) as stage, desk(stage, approved) as at_desk:
        number = (await at_desk.open()).number
        await at_desk.say(number, "/accept")
        pull = await at_desk.bring(await at_desk.claimed())
        assert stage.verdict(at_desk.shop, pull) == {"evidence": "success", "review": "in_progress"}
        await stage.github.review(at_desk.shop, pull.number, "bob")
        await stage.settle()
        assert stage.verdict(at_desk.shop, pull) == {"evidence": "success", "review": "success"}
        await at_desk.say(pull.number, "/redirect Round up instead")
        assert stage.verdict(at_desk.shop, pull)["review"] == "in_progress"
        assert "bob approved before the ticket was changed" in stage.summary(at_desk.shop, pull, "review")
        stage.github.world.clock_offset += timedelta(seconds=2)  # GitHub tells whole seconds
        await at_desk.say(pull.number, f"/approve {pull.head_sha[:12]}", "bob")
        assert stage.verdict(at_desk.shop, pull)["review"] == "success"


async def test_a_stop_on_the_pull_request_takes_its_green_away(tmp_path: Path, database: Database) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, BY_HAND) as at_desk:
        number = (await at_desk.open()).number
        await at_desk.say(number, "/accept")
        claimed = await at_desk.claimed()
        pull = await at_desk.bring(claimed)
        await at_desk.say(pull.number, "/stop now", "bob")
        assert await at_desk.state(number) is State.STOPPED
        assert await is_dead(at_desk, claimed)
        assert stage.verdict(at_desk.shop, pull)["evidence"] == "failure"
        assert "was stopped" in stage.summary(at_desk.shop, pull, "evidence")
        # A person merges it all the same: that is a fact.
        at_desk.shop.rulesets.clear()
        await stage.merge_by_hand(at_desk.shop, pull, "ada")
        await stage.settle()
        assert await at_desk.state(number) is State.MERGED
        stage.clock = timedelta(days=15)
        await at_desk.look(number)
        assert await at_desk.state(number) is State.SETTLED
        told = await at_desk.say(pull.number, "/reverted 0123abcd")
        assert at_desk.reactions(told) == ["rocket"]
        assert await at_desk.state(number) is State.REVERTED


async def test_drafts_cost_no_attempt_and_a_closed_issue_cancels(at_desk: Desk) -> None:
    from tests.github.operations import issues

    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    withhold_ci(at_desk.stage, at_desk.shop)
    await at_desk.push(claimed)
    branch = claimed.run.branch.removeprefix("refs/heads/")
    pull = await at_desk.stage.github.open_pull(
        at_desk.shop, branch, "main", "Discount", "later", "courier[bot]", draft=True
    )
    await at_desk.stage.run_to_rest()
    row = await at_desk.row(number)
    assert (row.state, row.attempts, row.pull_number) == (State.RUNNING, 1, pull.number)
    await issues.set_issue_state(at_desk.stage.github, at_desk.shop, at_desk.shop.issues[number], "ada", "closed")
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.CANCELLED
    assert await is_dead(at_desk, claimed)
    await issues.set_issue_state(at_desk.stage.github, at_desk.shop, at_desk.shop.issues[number], "ada", "open")
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.DRAFT
