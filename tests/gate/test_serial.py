"""The serial queue: one after the other, each tried on the target's tip, and nobody overtakes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.gate.scene import Scene
from tests.gate.serial_shop import (
    ON_QUEUE,
    SERIAL,
    Turns,
    fail_together,
    hold_trials,
    open_serial_shop,
    refusal_of_button,
    trial_branches,
)
from tests.gate.shop import agent_pull, pass_ci, release_ci
from tests.github import auto_merge
from tests.github.auth import Actor
from tests.github.faults import Fault
from tests.github.operations import issues
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

MERGED = {"evidence": "success", "review": "success", "queue": "success"}
READY = {**MERGED, "queue": "in_progress"}
REFUSED = {**MERGED, "queue": "failure"}
ADA = Actor("ada", "user")
NO_REVIEW = "requirements: {low: {approvals: 0}}\n"


async def persons_pull(stage: Scene, shop: Repository, name: str, files: dict[str, str] | None = None) -> PullRequest:
    await stage.github.push(shop, name, files or {f"shop/{name}.py": "A = 1\n"}, author="ada")
    return await stage.github.open_pull(shop, name, author="ada")


async def test_of_two_that_conflict_in_meaning_the_second_is_refused_with_the_reason(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    fail_together(stage, shop)
    both = [await agent_pull(stage, shop, name) for name in ("one", "two")]
    heads = [pull.head_sha for pull in both]
    await stage.settle()
    (first,) = [pull for pull in both if pull.merged_at is not None]
    (second,) = [pull for pull in both if pull.merged_at is None]
    assert stage.verdict(shop, first) == MERGED
    assert stage.verdict(shop, second) == REFUSED
    assert heads == [pull.head_sha for pull in both], "the pull request's head never moves"
    (notice,) = [comment.body for comment in second.issue.comments]
    assert notice.startswith("**Refused by the queue.** Job `test` ended as failure.")
    assert "on top of `main`" in notice
    assert "/requeue" in notice
    assert "mergegate/queue" in (await refusal_of_button(stage, shop, second) or "")
    assert await stage.github.git(shop).refs("refs/heads/mergegate/") == {}, "no branch of a trial is left"
    await turns.assert_sound()
    # A push that mends it takes a new place, without a word from anybody.
    pass_ci(stage, shop)
    branch = second.head_ref
    await stage.github.push(shop, branch, {"shop/mended.py": "A = 1\n"}, author="courier[bot]")
    await stage.settle()
    assert second.merged_at is not None
    await turns.assert_sound()


async def test_neither_auto_merge_nor_the_button_overtakes(stage: Scene) -> None:
    """A person's pull request takes its place by auto-merge, and is merged by that in its turn, not before."""
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    agents = await agent_pull(stage, shop)
    await stage.settle()
    persons = await persons_pull(stage, shop, "docs")
    await stage.settle()
    assert stage.verdict(shop, persons) == READY
    assert "nobody has asked" in stage.summary(shop, persons, "queue")
    await auto_merge.enable(stage.github, shop, persons, ADA)
    await stage.settle()
    assert "Place 2 in the queue, behind #1" in stage.summary(shop, persons, "queue")
    assert "mergegate/queue" in (await refusal_of_button(stage, shop, persons) or "")
    assert [agents.merged_at, persons.merged_at] == [None, None]
    await release_ci(stage, shop)
    await stage.settle()
    assert turns.landed == [agents.number, persons.number]
    assert [agents.merged_by, persons.merged_by] == ["mergegate[bot]", "ada"]
    await turns.assert_sound()


async def test_nothing_is_merged_untried_when_target_or_head_move(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert len(trial_branches(shop)) == 1
    await stage.github.push(shop, "main", {"README.md": "Hotfix\n"}, author="ada")
    await stage.settle()
    assert len(trial_branches(shop)) == 2
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.2\n"}, author="courier[bot]")
    await stage.settle()
    assert len(trial_branches(shop)) == 3
    assert turns.landed == []
    refs = await stage.github.git(shop).refs("refs/heads/mergegate/queue/")
    assert list(refs) == [trial_branches(shop)[-1]], "the branches of trials that are over are deleted"
    await release_ci(stage, shop)
    await stage.settle()
    assert turns.landed == [pull.number]
    await turns.assert_sound()


async def test_a_merge_whose_answer_is_lost_happens_once_and_squashes_without_the_bundle(stage: Scene) -> None:
    shop = await open_serial_shop(stage, SERIAL + "  method: squash\n")
    fault = stage.github.faults.add(Fault("fail_after", "PUT", "/pulls/1/merge", count=1, status=502))
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    await stage.hurry()
    await stage.settle()
    assert fault.hits == 1
    assert pull.merged_at is not None
    merges = [one for one in stage.writes() if one.path.endswith("/pulls/1/merge")]
    assert len(merges) == 1
    landed = await stage.github.git(shop).commit(pull.merge_commit_sha or "")
    assert landed.message.startswith("Add discount (#1)\n\nA change.")
    assert "mergegate" not in landed.message
    assert len(landed.parents) == 1
    assert pull.issue.comments == [], "the landing is what was judged"


async def test_a_refused_one_is_tried_again_on_the_word_of_a_person_with_write_permission(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == READY
    stage.clock = timedelta(minutes=61)
    await stage.hurry()
    await stage.settle()
    assert stage.verdict(shop, pull) == REFUSED
    assert "No answer within 60 minutes" in stage.summary(shop, pull, "queue")
    await release_ci(stage, shop)
    mallory = await stage.github.comment(shop, pull.number, "eve", "/requeue")
    courier = await stage.github.comment(shop, pull.number, "courier[bot]", "/requeue")
    await stage.settle()
    assert [one.content for one in mallory.reactions] == ["-1"]
    assert courier.reactions == []
    assert "needs write permission" in pull.issue.comments[-1].body
    assert pull.merged_at is None
    bob = await stage.github.comment(shop, pull.number, "bob", "/requeue\r\nThe runner was out of disk.")
    await stage.settle()
    assert [one.content for one in bob.reactions] == ["+1"]
    assert pull.merged_at is not None


async def test_a_freeze_keeps_places_and_lets_named_exceptions_pass(stage: Scene) -> None:
    policy = SERIAL + "  jump: {users: [bob]}\n  freeze: {label: freeze, exceptions: {users: [ada]}}\n"
    shop = await open_serial_shop(stage, policy)
    turns = Turns(stage, shop)
    incident = await stage.github.open_issue(shop, "The database is down", None, "ada", ["freeze"])
    waiting, hotfix, jumper = [await agent_pull(stage, shop, name) for name in ("one", "two", "three")]
    await stage.github.comment(shop, hotfix.number, "bob", "/requeue despite-freeze")
    await stage.settle()
    assert turns.landed == []
    assert "Merging is frozen while issue #1 is open: The database is down" in stage.summary(shop, waiting, "queue")
    assert "`queue.freeze.exceptions`" in hotfix.issue.comments[-1].body
    await stage.github.comment(shop, hotfix.number, "ada", "/requeue despite-freeze")
    await stage.github.comment(shop, jumper.number, "bob", "/requeue jump")
    await stage.settle()
    assert turns.landed == [hotfix.number]
    await issues.set_issue_state(stage.github, shop, incident, "ada", "closed")
    await stage.hurry()
    await stage.settle()
    assert turns.landed == [hotfix.number, jumper.number, waiting.number]
    await turns.assert_sound()


async def test_a_persons_turn_passes_and_workflow_files_are_tried_by_the_heads_own_runs(stage: Scene) -> None:
    shop = await open_serial_shop(stage, SERIAL + NO_REVIEW)
    behind = await persons_pull(stage, shop, "ci", {".github/workflows/ci.yml": ON_QUEUE + "# quicker\n"})
    await stage.github.push(shop, "main", {"README.md": "Newer\n"}, author="ada")
    await stage.github.review(shop, behind.number, "bob")
    await stage.github.comment(shop, behind.number, "ada", "/requeue")
    await stage.settle()
    assert "changes workflow files" in stage.summary(shop, behind, "queue")
    assert trial_branches(shop) == []
    main = await stage.github.git(shop).rev_parse("refs/heads/main")
    changed = {".github/workflows/ci.yml": ON_QUEUE + "# quicker\n"}
    await stage.github.push(shop, "ci", changed, author="ada", parents=[main or ""])
    await stage.github.review(shop, behind.number, "bob")
    await stage.github.comment(shop, behind.number, "ada", "/requeue")
    await stage.settle()
    assert stage.verdict(shop, behind) == MERGED
    assert "merge it now" in stage.summary(shop, behind, "queue")
    stage.clock = timedelta(minutes=61)
    await stage.hurry()
    await stage.settle()
    assert stage.verdict(shop, behind) == REFUSED
    assert "nobody merged it within 60 minutes" in stage.summary(shop, behind, "queue")
    assert await refusal_of_button(stage, shop, behind) is not None
    await stage.github.comment(shop, behind.number, "ada", "/requeue")
    await stage.settle()
    assert await refusal_of_button(stage, shop, behind) is None
    assert behind.merged_at is not None
    await stage.settle()


async def test_another_policy_ends_the_queue_and_a_broken_one_does_not(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    hold_trials(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await stage.github.push(shop, "main", {".github/mergegate.yml": "version: 1\nqueu: {}\n"}, author="ada")
    repair = await persons_pull(stage, shop, "repair", {".github/mergegate.yml": SERIAL.replace("serial", "external")})
    await stage.github.review(shop, repair.number, "bob")
    await auto_merge.enable(stage.github, shop, repair, ADA)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    await release_ci(stage, shop)
    await stage.settle()
    assert repair.merged_at is not None
    await stage.settle()
    assert pull.merged_at is None, "`external` leaves merging to others"
    assert stage.verdict(shop, pull)["evidence"] == "success"
    assert await stage.github.git(shop).refs("refs/heads/mergegate/") == {}


async def test_whoever_is_closed_or_loses_an_approval_in_its_turn_makes_room(stage: Scene) -> None:
    shop = await open_serial_shop(stage, SERIAL.replace("'on'", "'off'"))
    turns = Turns(stage, shop)
    first, second = [await persons_pull(stage, shop, name) for name in ("one", "two")]
    await stage.github.comment(shop, first.number, "ada", "/requeue")
    await stage.settle()
    await stage.github.comment(shop, second.number, "ada", "/requeue")
    await stage.settle()
    assert [stage.verdict(shop, pull)["queue"] for pull in (first, second)] == ["success", "in_progress"]
    await stage.github.close_pull(shop, first.number, "ada")
    await stage.settle()
    assert [stage.verdict(shop, pull)["queue"] for pull in (first, second)] == ["cancelled", "success"]
    await turns.assert_sound()
    await stage.github.reopen_pull(shop, first.number, "ada")
    await stage.settle()
    assert stage.verdict(shop, first)["queue"] == "in_progress"
    # GitHub's merge takes no expected target: who gets in between past the rules is found afterwards.
    await stage.github.push(shop, "main", {"README.md": "Hotfix\n"}, author="ada")
    assert await refusal_of_button(stage, shop, second) is None
    await stage.settle()
    assert "was never tried" in second.issue.comments[-1].body
    turns.landed.remove(second.number)
    assert stage.verdict(shop, first)["queue"] == "success"
    await turns.assert_sound()
