"""The asynchronous merge API: answers, execution, stacks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import async_merge, merge_queue
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, Repository
from tests.simulator.shop import (
    ADA,
    approvals,
    as_app,
    as_user,
    gate,
    opened,
    queue,
    required,
    set_check,
    valid,
)

pytestmark = pytest.mark.anyio
PULL = "/repos/acme/shop/pulls/1"


async def test_async_merge_is_pending_then_merged(hub: SimulatedGitHub) -> None:
    _repository, change = await opened(hub)
    async with as_app(hub, gate(hub)) as api:
        answer = await api.put(f"{PULL}/merge-async", json={"sha": change.head_sha, "merge_action": "direct_merge"})
        body = valid(models.PullRequestMergeAsyncResult, answer.json())
        assert (answer.status_code, body["status"]) == (202, "pending")
        assert body["details"]["expected_head_sha"] == change.head_sha
        assert body["details"]["bypass_rules"] is False
        url = f"{PULL}/merge-async/{body['details']['uuid']}"
        assert (await api.get(url)).json() == body
        await hub.settle()
        done = valid(models.PullRequestMergeAsyncResult, (await api.get(url)).json())
        assert (done["status"], done["details"]["sha"]) == ("merged", change.merge_commit_sha)
        again = await api.put(f"{PULL}/merge-async", json={})
        assert (again.status_code, again.json()["status"]) == (200, "merged")
        hub.world.clock_offset += timedelta(hours=24)
        assert (await api.get(url)).status_code in {401, 404}


async def test_async_requests_are_forgotten_after_a_day(hub: SimulatedGitHub) -> None:
    _repository, change = await opened(hub)
    async with as_user(hub, "ada") as ada:
        key = (await ada.put(f"{PULL}/merge-async", json={})).json()["details"]["uuid"]
        await hub.settle()
        assert (await ada.get(f"{PULL}/merge-async/{key}")).status_code == 200
        hub.world.clock_offset += timedelta(hours=24)
        assert (await ada.get(f"{PULL}/merge-async/{key}")).status_code == 404
        assert (await ada.get(f"{PULL}/merge-async/unknown")).status_code == 404
    assert change.merged_at is not None


async def test_a_second_async_request_shows_the_first_one_s_options(hub: SimulatedGitHub) -> None:
    hub.world.switches.async_merge_hold = True
    _repository, change = await opened(hub)
    async with as_user(hub, "ada") as ada, as_app(hub, gate(hub)) as api:
        first = await ada.put(f"{PULL}/merge-async", json={"bypass_rules": True, "merge_method": "squash"})
        second = await api.put(f"{PULL}/merge-async", json={"sha": change.head_sha, "merge_action": "merge_queue"})
        assert (second.status_code, second.json()) == (409, first.json())
        details = second.json()["details"]
        assert (details["bypass_rules"], details["merge_method"], details["merge_action"]) == (
            True,
            "squash",
            "default",
        )
        await async_merge.execute_held(hub)
        assert change.merged_at is not None


@pytest.mark.parametrize(
    ("rules", "body", "message"),
    [
        ([approvals(1)], {}, "At least 1 approving review is required"),
        ([required("test")], {"merge_action": "direct_merge"}, 'Required status check "test" is expected.'),
        ([queue()], {"merge_action": "direct_merge"}, "merge queue"),
        ([], {"merge_action": "merge_queue"}, "Merge queue is not enabled"),
        ([approvals(1)], {"bypass_rules": True}, "At least 1 approving review is required"),
    ],
)
async def test_rules_fail_at_execution(
    hub: SimulatedGitHub, rules: list[dict[str, Any]], body: dict[str, Any], message: str
) -> None:
    repository, change = await opened(hub, *rules)
    async with as_user(hub, "ada") as ada:
        answer = await ada.put(f"{PULL}/merge-async", json=body)
        assert answer.status_code == 202
        await hub.settle()
        result = (await ada.get(f"{PULL}/merge-async/{answer.json()['details']['uuid']}")).json()
    assert valid(models.PullRequestMergeAsyncResult, result)["status"] == "failed"
    assert message in result["details"]["message"]
    assert change.merged_at is None
    assert repository.queues.get("main", []) == []


async def test_bypass_works_only_when_asked_for_and_granted(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub)
    role = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "pull_request"}
    await hub.set_ruleset(repository, "main", [approvals(1)], bypass_actors=[role])
    async with as_user(hub, "ada") as ada:
        await ada.put(f"{PULL}/merge-async", json={})
        await hub.settle()
        assert change.merged_at is None
        await ada.put(f"{PULL}/merge-async", json={"bypass_rules": True})
        await hub.settle()
    assert change.merged_at is not None


async def test_a_push_before_execution_cancels_the_merge(hub: SimulatedGitHub) -> None:
    hub.world.switches.async_merge_hold = True
    repository, change = await opened(hub)
    async with as_user(hub, "ada") as ada:
        answer = await ada.put(f"{PULL}/merge-async", json={})
        await hub.push(repository, "change", {"late": "x"})
        await async_merge.execute_held(hub)
        result = (await ada.get(f"{PULL}/merge-async/{answer.json()['details']['uuid']}")).json()
    assert result["status"] == "failed"
    assert change.merged_at is None


async def test_async_refusals_at_once(hub: SimulatedGitHub) -> None:
    repository, _change = await opened(hub)
    async with as_user(hub, "ada") as ada, as_user(hub, "dan") as reader:
        url = f"{PULL}/merge-async"
        assert (await reader.put(url, json={})).status_code == 403
        assert (await ada.put("/repos/acme/shop/pulls/9/merge-async", json={})).status_code == 404
        for body in ({"merge_method": "fast"}, {"merge_action": "now"}, {"bypass_rules": "yes"}):
            assert (await ada.put(url, json=body)).status_code == 422
        await hub.set_draft(repository, 1, "ada", draft=True)
        draft = await ada.put(url, json={})
        assert (draft.status_code, valid(models.PullRequestMergeAsyncResult, draft.json())["status"]) == (400, "failed")
        await hub.close_pull(repository, 1, "ada")
        assert (await ada.put(url, json={})).status_code == 400
        hub.world.switches.async_merge = False
        assert (await ada.put(url, json={})).status_code == 404


async def test_async_enqueues_where_there_is_a_queue(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, queue(min_entries_to_merge=2), required("later"))
    await set_check(hub, change, "later", conclusion="success")
    async with as_app(hub, gate(hub, "second")) as api:
        answer = await api.put(f"{PULL}/merge-async", json={"merge_action": "merge_queue", "sha": change.head_sha})
        await hub.settle()
        assert [entry.pull_number for entry in repository.queues["main"]] == [1]
        url = f"{PULL}/merge-async/{answer.json()['details']['uuid']}"
        assert valid(models.PullRequestMergeAsyncResult, (await api.get(url)).json())["status"] == "enqueued"
        again = await api.put(f"{PULL}/merge-async", json={})
        assert (again.status_code, again.json()["status"]) == (200, "enqueued")
    await merge_queue.dequeue(hub, repository, change, ADA)


async def stacked(hub: SimulatedGitHub) -> tuple[Repository, PullRequest, PullRequest]:
    repository, first = await opened(hub, approvals(1))
    await hub.push(repository, "two", {"two": "x\n"}, base="change")
    second = await hub.open_pull(repository, "two", "change")
    hub.stack(repository, [first.number, second.number])
    await hub.review(repository, second.number, "bob")
    return repository, first, second


async def test_a_stack_is_merged_whole_or_not_at_all(hub: SimulatedGitHub) -> None:
    repository, first, second = await stacked(hub)
    url = "/repos/acme/shop/pulls/2/merge-async"
    async with as_user(hub, "ada") as ada:
        assert (await ada.put("/repos/acme/shop/pulls/2/merge", json={})).status_code == 405
        await ada.put(url, json={})
        await hub.settle()
        assert (first.merged_at, second.merged_at) == (None, None)
        await hub.review(repository, first.number, "bob")
        await ada.put(url, json={})
        await hub.settle()
    git = hub.git(repository)
    tip = await git.commit(await git.rev_parse("refs/heads/main") or "")
    assert second.merge_commit_sha == tip.sha
    assert tip.parents == (first.merge_commit_sha, second.head_sha)
    assert {e.path for e in await git.tree(tip.sha)} == {"README.md", "change", "two"}


async def test_the_bottom_layer_alone_hands_its_base_up(hub: SimulatedGitHub) -> None:
    repository, first, second = await stacked(hub)
    await hub.review(repository, first.number, "bob")
    async with as_user(hub, "ada") as ada:
        await ada.put(f"{PULL}/merge-async", json={})
        await hub.settle()
    assert first.merged_at is not None
    assert (second.issue.state, second.base_ref, second.stack_id) == ("open", "main", None)


async def test_a_bypassed_merge_shows_in_its_rule_suite(hub: SimulatedGitHub) -> None:
    repository, _change = await opened(hub)
    role = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    await hub.set_ruleset(repository, "main", [approvals(1)], bypass_actors=[role])
    async with as_user(hub, "ada") as ada:
        await ada.put(f"{PULL}/merge-async", json={"bypass_rules": True})
        await hub.settle()
    assert [suite.result for suite in repository.rule_suites] == ["bypass"]
