"""What an agent, an outsider or a fault may try: the gate must not be greener for it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.gate import pull as pull_module
from app.gate.gate import Gate
from app.gate.group import _look, _objects
from app.gate.observe import Look, Moved
from app.gate.rebuild import rebuild_tree
from app.keys import GroupKey
from checks.group_snapshot import GroupMember, TreeRebuild
from checks.unread import Unread
from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, agent_pull, fail_ci, hold_groups, open_shop, pass_ci, release_ci, required
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT
from tests.github.actions.scripted import ScriptedJob
from tests.github.graphql.merge_queue import MergeQueueEntryView
from tests.github.operations import issues, pushes
from tests.github.state import Comment, PullRequest, Repository

pytestmark = pytest.mark.anyio

NOT_QUEUED = POLICY.replace("'on'", "'off'")


async def _red_on_main(stage: Scene) -> tuple[Repository, PullRequest]:
    """A pull request whose tests fail on main, and a branch of the agent's on which they would pass."""
    shop = await open_shop(stage, NOT_QUEUED)
    await stage.github.push(shop, "agent/kind", {"tests/test_cart.py": "# nothing\n"}, author="courier[bot]")
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop, body=BUNDLE.replace("where: ci", "where: local"))
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    pass_ci(stage, shop)
    return shop, pull


@pytest.mark.parametrize("lost", [False, True], ids=["", "webhooks lost"])
async def test_a_run_for_a_closed_pull_request_into_another_branch_proves_nothing(stage: Scene, lost: bool) -> None:
    shop, pull = await _red_on_main(stage)
    stage.github.world.switches.lose_deliveries = lost
    other = await stage.github.open_pull(shop, "agent/discount", "agent/kind", "again", "", "courier[bot]")
    await stage.github.settle()
    await stage.github.close_pull(shop, other.number, "courier[bot]")
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_a_run_from_while_it_aimed_at_another_branch_proves_nothing(stage: Scene) -> None:
    shop, pull = await _red_on_main(stage)
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", base="agent/kind")
    await stage.github.close_pull(shop, pull.number, "courier[bot]")
    await stage.github.reopen_pull(shop, pull.number, "courier[bot]")
    await stage.settle()
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", base="main")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] != "success"


async def test_an_outsider_cannot_spoil_the_runs_of_a_head_by_aiming_it_elsewhere(stage: Scene) -> None:
    """Runs of a fork's pull request are the fork's, so they cannot stand in for this one's."""
    shop = await open_shop(stage, NOT_QUEUED)
    await stage.github.push(shop, "playground", {"VERSION": "1\n"}, author="ada")
    pull = await agent_pull(stage, shop)
    stage.github.user("mallory")
    fork = await stage.github.fork(shop, "mallory")
    await stage.settle()
    other = await stage.github.open_pull(shop, "mallory:agent/discount", "playground", "Mine", "", "mallory")
    await stage.settle()
    assert (other.head_sha, fork.full_name) == (pull.head_sha, "mallory/shop")
    assert stage.verdict(shop, pull) == GREEN


@pytest.mark.parametrize("policy", ["version: 1\nqueu: {}\n", "- broken"])
async def test_a_broken_policy_leaves_no_green_on_the_other_gated_branches(stage: Scene, policy: str) -> None:
    shop = await open_shop(stage, NOT_QUEUED + "branches: [release]\n")
    await stage.github.push(shop, "release", {"VERSION": "1\n"}, author="ada")
    await stage.github.push(shop, "agent/x", {"x.txt": "1\n"}, author="courier[bot]", base="release")
    pull = await stage.github.open_pull(shop, "agent/x", "release", "X", BUNDLE, "courier[bot]")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    await stage.github.push(shop, "main", {".github/mergegate.yml": policy}, author="ada")
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] != "success"


E2E = "on: [pull_request]\njobs:\n  e2e:\n    runs-on: ubuntu-latest\n    steps: [{run: 'true'}]\n"


async def test_a_group_is_judged_by_the_policy_of_its_members(stage: Scene) -> None:
    """The branch has no file of its own, so the default branch's decides, which asks for a job that groups lack."""
    policy = POLICY + "branches: [release]\nci: {jobs: [test, e2e]}\n"
    shop = await open_shop(stage, policy, **{".github/workflows/e2e.yml": E2E})
    stage.github.actions.script(shop, ".github/workflows/e2e.yml", lambda *_: ScriptedJob("success"))
    await stage.github.push(shop, "release", {".github/mergegate.yml": None}, author="ada")
    await stage.github.set_ruleset(shop, "gate", required(stage.app.id), include=("refs/heads/release",))
    await stage.github.push(shop, "agent/x", {"x.txt": "1\n"}, author="courier[bot]", base="release")
    pull = await stage.github.open_pull(shop, "agent/x", "release", "X", BUNDLE, "courier[bot]")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    (entry,) = shop.queues["release"]
    assert stage.checks(shop, entry.group_sha or "")["mergegate/evidence"] == "in_progress"


async def _with_bundle_in_comment(stage: Scene, *, comment: str) -> tuple[Repository, PullRequest, Comment]:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    return shop, pull, await stage.github.comment(shop, pull.number, "courier[bot]", comment)


def _a_second_later(stage: Scene) -> None:
    stage.github.world.clock_offset += timedelta(seconds=1)


RISKY = MEDIUM_BUNDLE.replace("known: [none]", "known: [rounding]")


async def test_an_approval_of_a_bundle_in_a_comment_ends_when_the_comment_is_deleted(stage: Scene) -> None:
    shop, pull, comment = await _with_bundle_in_comment(stage, comment=RISKY)
    await stage.settle()
    _a_second_later(stage)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    before = stage.verdict(shop, pull)["review"]
    await issues.delete_comment(stage.github, shop, pull.issue, comment, "courier[bot]")
    await stage.settle()
    assert (before, stage.verdict(shop, pull)["review"]) == ("success", "in_progress")


async def test_a_bundle_rewritten_within_the_second_of_the_approval_is_not_approved(stage: Scene) -> None:
    shop, pull, comment = await _with_bundle_in_comment(stage, comment=MEDIUM_BUNDLE)
    await stage.settle()
    _a_second_later(stage)
    review = await stage.github.review(shop, pull.number, "bob")
    await issues.edit_comment(stage.github, shop, pull.issue, comment, "courier[bot]", RISKY)
    comment.body_edited_at = review.submitted_at
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"


def _hide_group(monkeypatch: pytest.MonkeyPatch, reads: int) -> None:
    """GitHub's list of queue entries does not show the groups for so many reads."""
    left = [reads]
    shown = MergeQueueEntryView.head_commit

    def hidden(self: MergeQueueEntryView) -> Any:
        left[0] -= 1
        return shown(self) if left[0] < 0 else None

    monkeypatch.setattr(MergeQueueEntryView, "head_commit", hidden)


async def test_a_group_that_the_listing_shows_late_is_not_left_silent(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await open_shop(stage)
    hold_groups(stage, shop)
    _hide_group(monkeypatch, 5)
    await agent_pull(stage, shop)
    await stage.run_to_rest()
    (entry,) = shop.queues["main"]
    assert set(stage.checks(shop, entry.group_sha or "")) == {"mergegate/evidence", "mergegate/review"}


async def test_a_group_that_the_listing_loses_for_a_moment_is_not_cancelled(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await open_shop(stage)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    _hide_group(monkeypatch, 2)
    await release_ci(stage, shop)
    await stage.run_to_rest()
    assert pull.merged_at is not None


async def test_a_group_on_an_old_commit_of_the_target_is_not_green(stage: Scene) -> None:
    """It would take back what landed since, as GitHub's own queue did on 2026-04-23."""
    shop = await open_shop(stage)
    first = await agent_pull(stage, shop, "one")
    old = first.base_sha
    await stage.settle()
    assert first.merged_at is not None
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop, "two")
    await stage.run_to_rest()
    (entry,) = shop.queues["main"]
    key = GroupKey(stage.installation.id, shop.id, entry.group_sha or "", "refs/heads/main")
    repository = await stage.gate.repository(stage.installation.id, shop.id)
    seen = await _look(stage.gate, key, repository)
    on_tip = await _objects(stage.gate, seen)
    assert not isinstance(on_tip, Unread)
    members = (GroupMember(pull.number, pull.head_sha, pull.head_sha, "passed", "passed", ""),)
    assert seen.chain is not None
    right = await rebuild_tree(on_tip, seen.head, seen.chain, members, seen.tip.oid)
    assert isinstance(right, TreeRebuild)
    assert right.rebuilt == right.actual
    entry.base_sha = old
    stale = await _look(stage.gate, key, repository)
    assert stale.chain is not None
    wrong = await rebuild_tree(on_tip, stale.head, stale.chain, members, stale.tip.oid)
    assert isinstance(wrong, Unread)
    assert "not the target branch's tip" in wrong.because


async def test_nothing_green_is_left_when_judging_breaks(stage: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN

    def breaks(*_: object, **__: object) -> None:
        raise ValueError("something in the pull request that nobody thought of")

    monkeypatch.setattr("app.gate.pull.evaluate", breaks)
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", body="No bundle any more.")
    for _ in range(3):
        await stage.run_to_rest()
        await stage.hurry()
    assert set(stage.verdict(shop, pull).values()) == {"in_progress"}
    monkeypatch.undo()
    await stage.hurry()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_a_head_that_was_green_for_main_is_open_as_soon_as_it_aims_elsewhere(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever aims it at a stricter branch must not find yesterday's green there, however long judging takes."""
    shop = await open_shop(stage, NOT_QUEUED + "branches: [release]\n")
    await stage.github.push(shop, "release", {"VERSION": "1\n"}, author="ada")
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    judging = pull_module.judge

    async def stuck(gate: Gate, look_at: Look) -> pull_module.Judgement:
        if look_at.target.ref == "refs/heads/release":
            raise Moved("GitHub answers nothing that fits together")
        return await judging(gate, look_at)

    monkeypatch.setattr(pull_module, "judge", stuck)
    await stage.github.open_pull(shop, "agent/discount", "release", "again", BUNDLE, "courier[bot]")
    await stage.run_to_rest()
    await stage.resync()
    await stage.run_to_rest()
    assert "success" not in stage.verdict(shop, pull).values()


async def test_a_retargeted_pull_request_is_open_at_once(stage: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = await open_shop(stage, NOT_QUEUED + "branches: [release]\n")
    await stage.github.push(shop, "release", {"VERSION": "1\n"}, author="ada")
    pull = await agent_pull(stage, shop)
    await stage.settle()

    async def stuck(*_: object) -> pull_module.Judgement:
        raise Moved("GitHub answers nothing that fits together")

    monkeypatch.setattr(pull_module, "judge", stuck)
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", base="release")
    await stage.run_to_rest()
    assert set(stage.verdict(shop, pull).values()) == {"in_progress"}


async def test_an_agent_that_pushes_a_persons_old_commit_back_is_its_pusher(stage: Scene) -> None:
    shop = await open_shop(stage)
    await stage.github.push(shop, "docs", {"README.md": "Old\n"}, author="ada")
    pull = await stage.github.open_pull(shop, "docs", author="ada")
    old = pull.head_sha
    await stage.github.push(shop, "docs", {"README.md": "New\n"}, author="ada")
    await stage.settle()
    await pushes.update_ref(stage.github, shop, "refs/heads/docs", old, "courier[bot]")
    await stage.settle()
    assert pull.head_sha == old
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_what_an_agent_pushed_in_a_persons_name_stays_an_agents_below_their_own_commit(
    stage: Scene,
) -> None:
    shop = await open_shop(stage)
    await stage.github.push(shop, "docs", {"README.md": "Mine\n"}, author="ada")
    pull = await stage.github.open_pull(shop, "docs", author="ada")
    await stage.github.push(shop, "docs", {"shop/door.py": "OPEN = True\n"}, author="ada", pusher="courier[bot]")
    await stage.github.push(shop, "docs", {"README.md": "Mine again\n"}, author="ada")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_who_pushed_code_in_an_agents_name_does_not_approve_it(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    await stage.github.push(shop, "agent/payment", {"shop/door.py": "OPEN = 1\n"}, author="courier[bot]", pusher="bob")
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"
    assert "bob pushed an earlier commit of it" in stage.summary(shop, pull, "review")


@pytest.mark.parametrize("seen_before", [True, False])
async def test_a_request_for_changes_of_a_commit_that_is_gone_stands(stage: Scene, seen_before: bool) -> None:
    shop = await open_shop(stage, NOT_QUEUED + "veto: {users: [bob]}\n")
    pull = await agent_pull(stage, shop)
    asked = await stage.github.review(shop, pull.number, "bob", "REQUEST_CHANGES", "Not like this.")
    if seen_before:
        await stage.settle()
    else:  # and its delivery told of no commit either
        asked.commit_id = ""
    await stage.github.push(shop, "agent/discount", {"shop/a.py": "A = 1\n"}, author="courier[bot]")
    asked.commit_id = ""
    await stage.settle()
    assert "bob asked for changes and has a veto" in stage.summary(shop, pull, "review")


async def test_a_check_run_that_github_lost_is_made_once_more(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    (lost,) = (run for run in stage.check_runs(shop, pull.head_sha) if run.name == "mergegate/review")
    del shop.check_runs[lost.id]
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
