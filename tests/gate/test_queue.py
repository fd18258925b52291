"""The merge queue: groups are judged anew, always reported, and refused when a member no longer stands."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.gate.observe import read_state
from app.github import graph
from app.github.graph import pull_head
from app.keys import GroupKey, PullKey
from app.store import decisions, work
from app.store.work import Mark
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, WORKFLOW, agent_pull, fail_ci, hold_groups, open_shop, pass_ci, release_ci, required
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT
from tests.github import merge_queue
from tests.github.auth import Actor
from tests.github.faults import Fault
from tests.github.operations import issues
from tests.github.state import PullRequest, QueueEntry, Repository

pytestmark = pytest.mark.anyio


async def queued(stage: Scene) -> tuple[Repository, PullRequest, QueueEntry]:
    """An approved pull request whose group's own runs are still in progress."""
    shop = await open_shop(stage, MEDIUM)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    return shop, pull, shop.queues["main"][0]


async def test_a_group_shows_both_checks_at_once_and_waits_for_its_own_runs(stage: Scene) -> None:
    shop, pull, entry = await queued(stage)
    assert entry.enqueuer == "mergegate[bot]", "what Actions' own token enqueues never gets its workflows"
    assert entry.group_sha is not None
    assert stage.checks(shop, entry.group_sha) == {
        "mergegate/evidence": "in_progress",
        "mergegate/review": "success",
    }
    await release_ci(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    assert pull.merge_commit_sha == entry.group_sha
    assert set(stage.checks(shop, entry.group_sha).values()) == {"success"}


async def test_an_approval_withdrawn_while_queued_fails_the_group_and_takes_it_out(stage: Scene) -> None:
    shop, pull, entry = await queued(stage)
    group = entry.group_sha
    assert group is not None
    await stage.github.dismiss_review(shop, pull.number, pull.reviews[0], "ada")
    await stage.settle()
    assert shop.queues["main"] == []
    assert pull.merged_at is None
    assert stage.checks(shop, group)["mergegate/review"] != "success"
    notices = [comment for comment in pull.issue.comments if "Taken out of the merge queue" in comment.body]
    assert len(notices) == 1


async def test_a_push_while_queued_takes_it_out(stage: Scene) -> None:
    shop, pull, _ = await queued(stage)
    stage.github.world.switches.dequeue_on_push = False
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 9\n"}, author="courier[bot]")
    await stage.settle()
    assert shop.queues["main"] == []
    assert pull.merged_at is None


async def test_a_group_whose_runs_fail_is_evicted_and_said_once(stage: Scene) -> None:
    shop = await open_shop(stage)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await release_ci(stage, shop, passing=False)
    await stage.settle()
    assert pull.merged_at is None
    assert shop.queues["main"] == []
    (notice,) = [one.body for one in pull.issue.comments if "Taken out of the merge queue" in one.body]
    assert "Failed on its merge group: " in notice
    assert "`test`" in notice
    assert stage.verdict(shop, pull) == GREEN, "the head's own evidence is untouched"
    pass_ci(stage, shop)
    await stage.github.comment(shop, pull.number, "bob", "/requeue")
    await stage.settle()
    assert is_merged(pull), "a person's word asks the queue again, with the same head"


def is_merged(pull: PullRequest) -> bool:
    return pull.merged_at is not None


async def test_a_group_that_no_webhook_told_of_is_answered_once_its_pull_request_is_looked_at(stage: Scene) -> None:
    shop = await open_shop(stage)
    stage.installation.events = [event for event in stage.installation.events if event not in ("merge_group", "push")]
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    assert is_merged(pull)


async def test_a_freeze_begins_while_queued_and_ends(stage: Scene) -> None:
    frozen = POLICY + "  freeze: {label: freeze}\n"
    shop = await open_shop(stage, frozen)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    group = shop.queues["main"][0].group_sha or ""
    incident = await stage.github.open_issue(shop, "The database is down", None, "ada", ["freeze"])
    await release_ci(stage, shop)
    await stage.settle()
    assert stage.checks(shop, group)["mergegate/evidence"] == "failure"
    (title,) = [run.title for run in stage.check_runs(shop, group) if run.name == "mergegate/evidence"]
    assert title == "Wait until the freeze ends, then queue it again."
    assert stage.verdict(shop, pull) == GREEN, "evidence stays valid over a freeze"
    assert not is_merged(pull)
    await issues.set_issue_state(stage.github, shop, incident, "ada", "closed")
    await stage.github.comment(shop, pull.number, "bob", "/requeue")
    await stage.settle()
    assert is_merged(pull)


async def test_two_pull_requests_land_in_one_chain_of_groups(stage: Scene) -> None:
    shop = await open_shop(stage)
    first = await agent_pull(stage, shop, "one")
    second = await agent_pull(stage, shop, "two")
    await stage.settle()
    assert first.merged_at is not None
    assert second.merged_at is not None


async def test_an_agents_pull_request_that_somebody_else_queued_must_still_stand(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    await stage.github.set_ruleset(shop, "gate", [{"type": "merge_queue", "parameters": {"min_entries_to_merge": 1}}])
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await merge_queue.enqueue(stage.github, shop, pull, Actor("ada", "user"))
    await stage.run_to_rest()
    assert pull.merged_at is None or _alarmed(pull)


def _alarmed(pull: PullRequest) -> bool:
    return any("Landing alarm" in comment.body for comment in pull.issue.comments)


async def test_a_merge_around_the_gate_alarms_once(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    await stage.github.set_ruleset(shop, "gate", [])
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await stage.merge_by_hand(shop, pull, "ada")
    await stage.settle()
    assert pull.merged_at is not None
    assert len([comment for comment in pull.issue.comments if "Landing alarm" in comment.body]) == 1


async def test_a_server_without_the_asynchronous_merge_api_gets_the_mutation(stage: Scene) -> None:
    stage.github.world.switches.async_merge = False
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None


async def test_red_tests_in_the_group_do_not_turn_green_by_a_member_that_passes(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY)
    pull = await agent_pull(stage, shop)
    fail_ci(stage, shop)
    await stage.settle()
    assert pull.merged_at is None
    pass_ci(stage, shop)


async def test_a_persons_workflow_change_can_pass_the_queue(stage: Scene) -> None:
    """No App may merge it, but a person may queue it: its own workflow files are what its group must run."""
    shop = await open_shop(stage, POLICY)
    await stage.github.push(shop, "ci", {".github/workflows/ci.yml": WORKFLOW + "# quicker\n"}, author="ada")
    pull = await stage.github.open_pull(shop, "ci", author="ada")
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    await merge_queue.enqueue(stage.github, shop, pull, Actor("ada", "user"))
    await stage.settle()
    assert pull.merged_at is not None


async def test_a_run_once_seen_and_now_missing_is_no_green(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    for run in list(shop.runs.values()):
        del shop.runs[run.id]
        del shop.suites[run.suite_id]
        for job in run.jobs[run.attempt]:
            del shop.check_runs[job.id]
    await stage.resync()
    await stage.run_to_rest()
    assert stage.verdict(shop, pull)["evidence"] != "success"


async def test_a_landing_by_bypass_alarms(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    await stage.github.set_ruleset(shop, "gate", [required(stage.app.id)[0], *_approvals()])
    await stage.merge_by_hand(shop, pull, "ada")
    for suite in shop.rule_suites:
        suite.result = "bypass"
    await stage.settle()
    (notice,) = [comment.body for comment in pull.issue.comments if "Landing alarm" in comment.body]
    assert "bypass" in notice


def _approvals() -> list[dict[str, Any]]:
    return [{"type": "pull_request", "parameters": {"required_approving_review_count": 0}}]


async def test_a_landing_whose_check_another_app_satisfied_alarms(stage: Scene) -> None:
    """Without a pinned App id anybody may post a check of our name; the landing's record shows who did."""
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await stage.github.set_ruleset(shop, "gate", [*required(stage.app.id)[:1], *_approvals()])
    await stage.merge_by_hand(shop, pull, "ada")
    for suite in shop.rule_suites:
        for evaluation in suite.evaluations:
            for check in evaluation.get("metadata", {}).get("checks", []):
                check["app"] = {"id": 666, "slug": "impostor", "name": "impostor"}
    await stage.settle()
    (notice,) = [comment.body for comment in pull.issue.comments if "Landing alarm" in comment.body]
    assert "another App" in notice


async def test_an_ordinary_landing_alarms_nobody(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    assert pull.issue.comments == []


async def test_a_group_that_cannot_be_read_fails_after_thirty_minutes(stage: Scene) -> None:
    """Every look must leave the time standing since when it could not look."""
    shop = await open_shop(stage)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    group = shop.queues["main"][0].group_sha
    assert group is not None
    stage.github.faults.add(Fault("fail", "GET", "/actions/jobs/.*/logs", count=1000, status=404))
    await release_ci(stage, shop)
    await stage.run_to_rest()
    assert stage.checks(shop, group)["mergegate/evidence"] == "in_progress"
    stage.clock = timedelta(minutes=31)
    await stage.resync()
    await stage.run_to_rest()
    assert stage.checks(shop, group)["mergegate/evidence"] == "failure"
    assert pull.merged_at is None


async def _still_open(*about: Any) -> Any:
    state = await read_state(*about)
    still = {"state": "OPEN", "merged_at": None, "merge_commit": None}
    return state.model_copy(update={"pull": state.pull.model_copy(update=still)})


async def _head_still_open(*about: Any) -> Any:
    return (await pull_head(*about)).model_copy(update={"state": "OPEN"})


@pytest.mark.parametrize("said_to_be_open", [False, True])
async def test_a_group_that_is_shown_after_it_has_landed_says_nothing_of_its_members(
    stage: Scene, monkeypatch: pytest.MonkeyPatch, said_to_be_open: bool
) -> None:
    """GitHub's list of entries may be a moment older than its branches; then nothing is left that would change. And so
    may its pull requests be."""
    shop = await open_shop(stage)
    shown = []

    async def seen(*asked: Any) -> Any:
        shown.append(await listed(*asked))
        return shown[-1]

    async def as_it_was(*_: Any) -> Any:
        monkeypatch.setattr(graph, "queue_entries", listed)
        return next(one for one in shown if one is not None and one.items)

    listed = graph.queue_entries
    monkeypatch.setattr(graph, "queue_entries", seen)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    (entry,) = (await as_it_was()).items
    monkeypatch.setattr(graph, "queue_entries", as_it_was)
    group = GroupKey(stage.installation.id, shop.id, entry.head_commit.oid, "refs/heads/main")
    if said_to_be_open:
        monkeypatch.setattr("app.gate.members.read_state", _still_open)
        monkeypatch.setattr(graph, "pull_head", _head_still_open)
    async with stage.gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(group))])
    await stage.worker.drain()
    async with stage.gate.database.transaction() as connection:
        latest = await decisions.latest(connection, str(PullKey(stage.installation.id, shop.id, pull.number)))
    assert latest is not None
    assert latest.verdict["evidence"]["status"] == "passed"


async def test_a_look_between_the_branch_and_the_word_merged_says_nothing(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub moves the branch first; the pull request is open for a moment, with nothing left of its change."""
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    asked = []

    async def not_yet(*about: Any) -> Any:
        asked.append(about)
        return await (read_state if len(asked) > 2 else _still_open)(*about)

    monkeypatch.setattr("app.gate.pull.read_state", not_yet)
    monkeypatch.setattr(graph, "pull_head", _head_still_open)
    await stage.gate.database.query("delete from landings")
    async with stage.gate.database.transaction() as connection:
        await work.mark(connection, [Mark(str(PullKey(stage.installation.id, shop.id, pull.number)))])
    await stage.run_to_rest()
    assert len(asked) > 2
    assert stage.verdict(shop, pull) == GREEN
    assert [one.body for one in pull.issue.comments if "larm" in one.body] == []
