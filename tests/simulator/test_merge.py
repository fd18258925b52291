"""Merging at once, and auto-merge without a queue."""

from __future__ import annotations

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import auto_merge
from tests.github.errors import ApiError
from tests.github.git import Person
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import (
    ADA,
    approvals,
    as_app,
    as_user,
    gate,
    opened,
    pull,
    queue,
    required,
    set_check,
    shop,
    valid,
)

pytestmark = pytest.mark.anyio
PULL = "/repos/acme/shop/pulls/1"


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
