"""Mergeability, merging at once and in the background, auto-merge without a queue."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import async_merge, auto_merge, merge_queue, mergeability
from tests.github.errors import ApiError
from tests.github.git import Person
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, Repository
from tests.simulator.shop import ADA, approvals, as_app, as_user, gate, pull, queue, required, shop, valid

pytestmark = pytest.mark.anyio
ACTIONS = 15368
PULL = "/repos/acme/shop/pulls/1"


async def opened(hub: SimulatedGitHub, *rules: dict[str, Any]) -> tuple[Repository, PullRequest]:
    repository = await shop(hub)
    if rules:
        await hub.set_ruleset(repository, "main", list(rules))
    return repository, await pull(hub, repository)


async def set_check(hub: SimulatedGitHub, change: PullRequest, name: str = "test", **fields: Any) -> None:
    """A check run by the App `gate`."""
    app = next((a for a in hub.world.apps.values() if a.slug == "gate"), None) or gate(hub)
    async with as_app(hub, app) as api:
        body = {"name": name, "head_sha": change.head_sha, **fields}
        assert (await api.post("/repos/acme/shop/check-runs", json=body)).status_code == 201


async def test_states_without_rules(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub)
    assert await mergeability.state(hub, repository, change) == "CLEAN"
    await set_check(hub, change)
    assert await mergeability.state(hub, repository, change) == "UNSTABLE"
    await set_check(hub, change, conclusion="success")
    assert await mergeability.state(hub, repository, change) == "CLEAN"
    await hub.set_draft(repository, 1, "ada", draft=True)
    assert await mergeability.state(hub, repository, change) == "DRAFT"
    await hub.push(repository, "main", {"change": "other\n"})
    assert await mergeability.state(hub, repository, change) == "DIRTY"


async def test_mergeable_is_unknown_first_by_switch(hub: SimulatedGitHub) -> None:
    hub.world.switches.mergeable_lag_reads = 1
    repository, change = await opened(hub)
    assert await mergeability.state(hub, repository, change) == "UNKNOWN"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        (None, "expected"),
        ({}, "queued"),
        ({"status": "in_progress"}, "in progress"),
        ({"conclusion": "failure"}, "failing"),
        ({"conclusion": "cancelled"}, "failing"),
        ({"conclusion": "success"}, None),
        ({"conclusion": "neutral"}, None),
        ({"conclusion": "skipped"}, None),
    ],
)
async def test_a_required_check_must_pass(
    hub: SimulatedGitHub, fields: dict[str, Any] | None, word: str | None
) -> None:
    repository, change = await opened(hub, required("test"))
    if fields is not None:
        await set_check(hub, change, **fields)
    expected = [f'Required status check "test" is {word}.'] if word else []
    assert await mergeability.violations(hub, repository, change) == expected
    assert await mergeability.state(hub, repository, change) == ("BLOCKED" if word else "CLEAN")


async def test_a_check_of_another_app_does_not_count(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, required("test", ACTIONS))
    await set_check(hub, change, conclusion="success")
    assert [c.state for c in mergeability.required_checks(hub.world, repository, "main", change.head_sha)] == [
        "expected"
    ]
    own = next(a.id for a in hub.world.apps.values() if a.slug == "gate")
    await hub.set_ruleset(repository, "main", [required("test", own)])
    assert await mergeability.state(hub, repository, change) == "CLEAN"


async def test_a_status_by_anybody_counts_unless_pinned(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, required("test"))
    async with as_user(hub, "bob") as bob:
        await bob.post(f"/repos/acme/shop/statuses/{change.head_sha}", json={"state": "success", "context": "test"})
    assert await mergeability.state(hub, repository, change) == "CLEAN"
    await hub.set_ruleset(repository, "main", [required("test", ACTIONS)])
    assert await mergeability.state(hub, repository, change) == "BLOCKED"


async def test_approvals_count_by_present_permission(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, approvals(2))
    line = ["At least 2 approving reviews are required by reviewers with write access."]
    await hub.review(repository, 1, "bob")
    await hub.review(repository, 1, "dan")  # reads only
    assert await mergeability.violations(hub, repository, change) == line
    await hub.review(repository, 1, "cat")
    assert await mergeability.violations(hub, repository, change) == []
    assert mergeability.review_decision(hub, repository, change) == "APPROVED"
    repository.collaborators["cat"] = "read"
    assert await mergeability.violations(hub, repository, change) == line
    assert [review.state for review in change.reviews] == ["APPROVED"] * 3
    repository.collaborators["cat"] = "write"
    await hub.review(repository, 1, "bob", "REQUEST_CHANGES", "no")
    assert mergeability.review_decision(hub, repository, change) == "CHANGES_REQUESTED"
    assert await mergeability.state(hub, repository, change) == "BLOCKED"


async def test_the_last_pusher_s_approval_is_not_enough(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, approvals(1, require_last_push_approval=True))
    await hub.push(repository, "change", {"more": "x"}, author="ada", pusher="bob")
    await hub.review(repository, 1, "bob")
    assert await mergeability.violations(hub, repository, change) == [
        "New changes require approval from someone other than the last pusher."
    ]
    await hub.review(repository, 1, "cat")
    assert await mergeability.violations(hub, repository, change) == []


async def test_a_team_must_approve_its_paths(hub: SimulatedGitHub) -> None:
    team = hub.team("acme", "payments", ["cat"])
    owned = {"minimum_approvals": 1, "file_patterns": ["cha*"], "reviewer": {"id": team.id, "type": "Team"}}
    repository, change = await opened(hub, approvals(1, required_reviewers=[owned]))
    await hub.review(repository, 1, "bob")
    assert await mergeability.violations(hub, repository, change) == [
        "At least 1 approving review by acme/payments is required."
    ]
    await hub.review(repository, 1, "cat")
    assert await mergeability.violations(hub, repository, change) == []


async def test_strict_checks_want_the_base_in_the_head(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, required("test", strict_required_status_checks_policy=True))
    await set_check(hub, change, conclusion="success")
    assert await mergeability.state(hub, repository, change) == "CLEAN"
    await hub.push(repository, "main", {"more": "x"})
    assert await mergeability.state(hub, repository, change) == "BEHIND"


async def test_a_stack_layer_is_judged_against_the_stack_s_base(hub: SimulatedGitHub) -> None:
    repository, first = await opened(hub, approvals(1))
    await hub.push(repository, "two", {"two": "x"}, base="change")
    second = await hub.open_pull(repository, "two", "change")
    assert await mergeability.state(hub, repository, second) == "CLEAN"
    hub.stack(repository, [first.number, second.number])
    assert await mergeability.state(hub, repository, second) == "BLOCKED"


@pytest.mark.parametrize(("method", "parents"), [("merge", 2), ("squash", 1), ("rebase", 1)])
async def test_merging_at_once(hub: SimulatedGitHub, method: str, parents: int) -> None:
    repository, change = await opened(hub)
    await hub.push(repository, "change", {"more": "x\n"}, author=Person("Eve", "eve@example.org"), message="More")
    await hub.push(repository, "main", {"other": "y\n"})
    app, git = gate(hub), hub.git(repository)
    base, head = await git.rev_parse("refs/heads/main") or "", change.head_sha
    tree = await git.merge_tree(base, head)
    async with as_app(hub, app) as api:
        answer = await api.put(f"{PULL}/merge", json={"merge_method": method, "sha": head})
        body = valid(models.PullRequestMergeResult, answer.json())
        assert (answer.status_code, body["merged"], body["message"]) == (200, True, "Pull Request successfully merged")
        assert (await api.get(f"{PULL}/merge")).status_code == 204
    tip = await git.commit(await git.rev_parse("refs/heads/main") or "")
    assert (tip.sha, tip.tree, len(tip.parents)) == (body["sha"], tree, parents)
    assert (change.issue.state, change.merged_by, change.merge_commit_sha) == ("closed", "gate[bot]", tip.sha)
    if method == "rebase":
        assert (tip.message, tip.author.name) == ("More", "Eve")
        assert await git.commits(f"{base}..{tip.sha}") == [tip.sha, tip.parents[0]]


async def test_refusals_in_the_recorded_words(hub: SimulatedGitHub) -> None:
    # O03-github-enforcement.json and O09-provider-enforcement.json of ohcaygo/merge-proof (MIT)
    repository, change = await opened(hub, required("l3 org validation"))
    await set_check(hub, change, "l3 org validation", conclusion="failure")
    async with as_user(hub, "ada") as ada:
        answer = await ada.put(f"{PULL}/merge", json={})
        heading = "Repository rule violations found\n\n"
        assert (answer.status_code, answer.json()) == (
            405,
            {
                "message": f'{heading}Required status check "l3 org validation" is failing.\n\n',
                "documentation_url": "https://docs.github.com/rest/pulls/pulls#merge-a-pull-request",
                "status": "405",
            },
        )
        await hub.set_ruleset(repository, "main", [approvals(1)])
        refused = (await ada.put(f"{PULL}/merge", json={})).json()["message"]
        assert refused == (
            "Repository rule violations found\n\n"
            "At least 1 approving review is required by reviewers with write access.\n\n"
        )
    assert change.merged_at is None


async def test_other_refusals(hub: SimulatedGitHub) -> None:
    repository, _change = await opened(hub)
    async with as_user(hub, "ada") as ada, as_user(hub, "dan") as reader:
        assert (await reader.put(f"{PULL}/merge", json={})).status_code == 403
        moved = await ada.put(f"{PULL}/merge", json={"sha": "0" * 40})
        assert (moved.status_code, moved.json()["message"]) == (
            409,
            "Head branch was modified. Review and try the merge again.",
        )
        assert (await ada.put(f"{PULL}/merge", json={"merge_method": "fast"})).status_code == 422
        await hub.set_ruleset(repository, "main", [approvals(0, allowed_merge_methods=["squash"])])
        assert (await ada.put(f"{PULL}/merge", json={})).status_code == 405
        await hub.set_ruleset(repository, "main", [queue()])
        assert "merge queue" in (await ada.put(f"{PULL}/merge", json={})).json()["message"]
        await hub.set_draft(repository, 1, "ada", draft=True)
        assert (await ada.put(f"{PULL}/merge", json={})).json()["message"] == "Pull Request is still a draft"
        await hub.close_pull(repository, 1, "ada")
        closed = await ada.put(f"{PULL}/merge", json={})
        assert (closed.status_code, closed.json()["message"]) == (405, "Pull Request is not mergeable")
        assert (await ada.put("/repos/acme/shop/pulls/9/merge", json={})).status_code == 404


async def test_bypass_actors_do_not_bypass_by_themselves(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub)
    role = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    await hub.set_ruleset(repository, "main", [approvals(1)], bypass_actors=[role])
    async with as_user(hub, "ada") as ada:
        assert (await ada.put(f"{PULL}/merge", json={})).status_code == 405
    assert change.merged_at is None


async def test_an_app_without_workflows_permission_cannot_land_a_workflow(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    await pull(hub, repository, files={".github/workflows/ci.yml": "on: push\n"})
    async with as_app(hub, gate(hub)) as api:
        refused = await api.put(f"{PULL}/merge", json={})
        key = (await api.put(f"{PULL}/merge-async", json={})).json()["details"]["uuid"]
        await hub.settle()
        failed = (await api.get(f"{PULL}/merge-async/{key}")).json()
    assert refused.status_code == 403
    assert "without `workflows` permission" in refused.json()["message"]
    assert failed["status"] == "failed"
    assert "without `workflows` permission" in failed["details"]["message"]


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


async def test_auto_merge_merges_when_it_becomes_possible(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, approvals(1))
    await auto_merge.enable(hub, repository, change, ADA, "squash")
    assert change.merged_at is None
    await hub.review(repository, 1, "bob")
    assert hub.pull(repository, 1).merged_at is not None
    assert change.merged_by == "ada"


async def test_auto_merge_refusals(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub)
    with pytest.raises(ApiError, match="clean status"):
        await auto_merge.enable(hub, repository, change, ADA)
    await hub.set_ruleset(repository, "main", [approvals(1)])
    with pytest.raises(ApiError, match="Head branch was modified"):
        await auto_merge.enable(hub, repository, change, ADA, expected_head="0" * 40)
    await auto_merge.enable(hub, repository, change, ADA)
    await auto_merge.disable(hub, repository, change, ADA)
    with pytest.raises(ApiError, match="Can't disable"):
        await auto_merge.disable(hub, repository, change, ADA)
    repository.allow_auto_merge = False
    with pytest.raises(ApiError, match="Pull request Auto merge is not allowed for this repository"):
        await auto_merge.enable(hub, repository, change, ADA)


async def test_a_merge_leaves_a_rule_suite(hub: SimulatedGitHub) -> None:
    repository, change = await opened(hub, approvals(1), required("test"))
    await set_check(hub, change, conclusion="success")
    await hub.review(repository, 1, "bob")
    async with as_user(hub, "ada") as ada:
        await ada.put(f"{PULL}/merge", json={})
        (listed,) = (await ada.get("/repos/acme/shop/rulesets/rule-suites", params={"ref": "main"})).json()
        suite = valid(models.RuleSuite, (await ada.get(f"/repos/acme/shop/rulesets/rule-suites/{listed['id']}")).json())
        assert (await ada.get("/repos/acme/shop/rulesets/rule-suites/1")).status_code == 404
        failed = await ada.get("/repos/acme/shop/rulesets/rule-suites", params={"rule_suite_result": "bypass"})
        assert failed.json() == []
    assert suite["after_sha"] == change.merge_commit_sha
    rows = {row["rule_type"]: row for row in suite["rule_evaluations"]}
    assert {kind: row["result"] for kind, row in rows.items()} == {
        "pull_request": "pass",
        "required_status_checks": "pass",
    }
    (review,) = rows["pull_request"]["metadata"]["pull_request"]["reviews"]
    assert (review["user"]["login"], review["state"]) == ("bob", "APPROVED")
    assert rows["required_status_checks"]["metadata"]["checks"][0]["app"]["slug"] == "gate"


async def test_a_bypassed_merge_shows_in_its_rule_suite(hub: SimulatedGitHub) -> None:
    repository, _change = await opened(hub)
    role = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    await hub.set_ruleset(repository, "main", [approvals(1)], bypass_actors=[role])
    async with as_user(hub, "ada") as ada:
        await ada.put(f"{PULL}/merge-async", json={"bypass_rules": True})
        await hub.settle()
    assert [suite.result for suite in repository.rule_suites] == ["bypass"]
