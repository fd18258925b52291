"""The serial queue against people with write access and bad moments: nothing lands untried, and nobody is stuck."""

from __future__ import annotations

import shutil

import pytest

from tests.gate.scene import Scene
from tests.gate.serial_shop import (
    SERIAL,
    Turns,
    hold_trials,
    open_serial_shop,
    refusal_of_button,
    trial_branches,
)
from tests.gate.shop import BUNDLE, agent_pull, fail_ci, pass_ci, release_ci
from tests.gate.test_serial import MERGED, READY, REFUSED, persons_pull
from tests.github.state import Repository, WorkflowRun

pytestmark = pytest.mark.anyio

BY_PEOPLE = SERIAL.replace("'on'", "'off'")


def trials(shop: Repository) -> list[WorkflowRun]:
    return [
        run for run in shop.runs.values() if run.event == "push" and (run.head_branch or "").startswith("mergegate/")
    ]


async def no_branch_is_left(stage: Scene, shop: Repository) -> bool:
    return await stage.github.git(shop).refs("refs/heads/mergegate/") == {}


async def test_what_others_do_to_the_trial_s_branch_decides_nothing(stage: Scene) -> None:
    """The commit is judged, and not the branch: another commit there proves nothing, and no branch takes nothing."""
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    (branch,) = [ref.removeprefix("refs/heads/") for ref in trial_branches(shop)]
    (run,) = trials(shop)
    pass_ci(stage, shop)
    await stage.github.push(shop, branch, {"shop/other.py": "A = 1\n"}, author="bob")
    await stage.settle()
    assert [one.conclusion for one in trials(shop) if one is not run] == ["success"]
    assert pull.merged_at is None
    await stage.github.delete_branch(shop, branch, "bob")
    await stage.settle()
    assert pull.merged_at is None
    await release_ci(stage, shop)
    await stage.settle()
    assert turns.landed == [pull.number]
    assert await no_branch_is_left(stage, shop)
    await turns.assert_sound()


async def test_what_cannot_be_read_of_a_trial_that_was_taken_away_is_read_of_another(stage: Scene) -> None:
    """A worker on another machine has no copy of the trial's commit, and with the branch nobody can fetch it.

    Nor is the gate told of any of that: whatever a delivery would have said, the resync finds.
    """
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    (branch,) = trial_branches(shop)
    stage.github.world.switches.lose_deliveries = True
    shutil.rmtree(stage.gate.mirrors._folder / f"{shop.id}.git")
    await stage.github.delete_branch(shop, branch.removeprefix("refs/heads/"), "bob")
    await release_ci(stage, shop)
    await stage.run_to_rest()
    stage.github.world.switches.lose_deliveries = False
    await stage.resync()
    await stage.settle()
    assert len(trial_branches(shop)) == 2
    assert turns.landed == [pull.number]
    await turns.assert_sound()


async def test_a_cancelled_trial_is_no_passed_one_and_a_second_attempt_counts(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    (run,) = trials(shop)
    await stage.github.actions.cancel(shop, run)
    await stage.settle()
    assert stage.verdict(shop, pull) == REFUSED
    assert pull.merged_at is None
    pass_ci(stage, shop)
    await stage.github.comment(shop, pull.number, "ada", "/requeue")
    await stage.settle()
    assert stage.verdict(shop, pull) == MERGED
    await turns.assert_sound()


async def test_a_run_that_is_started_again_in_the_turn_takes_the_green_back(stage: Scene) -> None:
    shop = await open_serial_shop(stage, BY_PEOPLE)
    pull = await persons_pull(stage, shop, "one")
    await stage.github.comment(shop, pull.number, "ada", "/requeue")
    await stage.settle()
    assert stage.verdict(shop, pull)["queue"] == "success"
    fail_ci(stage, shop)
    await stage.github.actions.rerun(shop, trials(shop)[-1], "bob")
    await stage.settle()
    assert stage.verdict(shop, pull)["queue"] != "success"
    assert "mergegate/queue" in (await refusal_of_button(stage, shop, pull) or "")
    await stage.settle()
    assert stage.verdict(shop, pull) == REFUSED


async def test_whoever_leaves_while_it_is_tried_makes_room_and_comes_back_at_the_end(stage: Scene) -> None:
    """A draft, a closed one and one for another branch have no business there, whatever their trial says."""
    shop = await open_serial_shop(stage, BY_PEOPLE)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    await stage.github.push(shop, "release", {"RELEASE": "1\n"}, author="ada")
    pulls = [await persons_pull(stage, shop, name) for name in ("one", "two", "three", "four")]
    for pull in pulls:
        await stage.github.comment(shop, pull.number, "ada", "/requeue")
        await stage.settle()
    first, second, third, fourth = pulls
    await stage.github.set_draft(shop, first.number, "ada", draft=True)
    await stage.settle()
    await stage.github.close_pull(shop, second.number, "ada")
    await stage.settle()
    await stage.github.edit_pull(shop, third.number, "ada", base="release")
    await stage.settle()
    await release_ci(stage, shop)
    await stage.settle()
    assert [stage.verdict(shop, pull).get("queue") == "success" for pull in pulls] == [False, False, False, True]
    assert await refusal_of_button(stage, shop, fourth) is None
    await stage.github.set_draft(shop, first.number, "ada", draft=False)
    await stage.settle()
    assert stage.verdict(shop, first)["queue"] == "success"
    assert turns.landed == [fourth.number]
    await turns.assert_sound()


async def test_a_target_that_is_deleted_leaves_no_branch_and_no_work(stage: Scene) -> None:
    shop = await open_serial_shop(stage, SERIAL + "branches: [main, next]\n")
    hold_trials(stage, shop)
    await stage.github.push(shop, "next", {"NEXT": "1\n"}, author="ada")
    files = {"shop/late.py": "A = 1\n", "tests/test_late.py": "import unittest\n"}
    await stage.github.push(shop, "agent/late", files, author="courier[bot]", base="next")
    pull = await stage.github.open_pull(shop, "agent/late", "next", "Add late", BUNDLE, "courier[bot]")
    await stage.settle()
    assert len(trial_branches(shop)) == 1
    await stage.github.close_pull(shop, pull.number, "ada")
    await stage.github.delete_branch(shop, "next", "ada")
    await stage.settle()
    assert await no_branch_is_left(stage, shop)


async def test_an_exception_is_for_the_head_that_stood_there(stage: Scene) -> None:
    """Whoever lets it pass a freeze speaks of what they read, and not of what is pushed before that is carried out."""
    issue_freeze = "  freeze: {label: frozen, exceptions: {users: [ada]}}\n"
    shop = await open_serial_shop(stage, SERIAL + issue_freeze)
    await stage.github.open_issue(shop, "Frozen", None, "ada", ["frozen"])
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == READY
    comment = await stage.github.comment(shop, pull.number, "ada", "/requeue despite-freeze")
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 9\n"}, author="courier[bot]")
    await stage.settle()
    assert [one.content for one in comment.reactions] == ["-1"]
    assert pull.merged_at is None
    # GitHub tells whole seconds, and what is said in the second in which the head was seen is not known to be later.
    await stage.gate.database.query("update pulls set head_seen_at = head_seen_at - interval '1 minute'")
    again = await stage.github.comment(shop, pull.number, "ada", "/requeue despite-freeze")
    await stage.settle()
    assert [one.content for one in again.reactions] == ["+1"]
    assert pull.merged_at is not None
