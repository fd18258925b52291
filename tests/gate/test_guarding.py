"""A repository whose protection is taken away, and what lands past it: found once, recorded, shown, not repeated."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop, required, withhold_ci
from tests.gate.test_audit_story import records, report
from tests.github import rule_suites
from tests.github.auth import Actor
from tests.github.operations.pushes import RefCommand
from tests.github.state import CheckRun, PullRequest, Repository

pytestmark = pytest.mark.anyio

# https://docs.github.com/en/rest/repos/rules: the built-in role of administrators, for merges of pull requests alone.
BREAK_GLASS = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "pull_request"}
ALWAYS = BREAK_GLASS | {"bypass_mode": "always"}
PULL_REQUESTS: list[dict[str, Any]] = [
    {"type": "pull_request", "parameters": {"required_approving_review_count": 0}},
    {"type": "non_fast_forward"},
]


async def guarded(stage: Scene, actor: dict[str, Any] = BREAK_GLASS, policy: str = POLICY) -> Repository:
    shop = await open_shop(stage, policy)
    await protect(stage, shop, [actor])
    await look(stage)
    return shop


async def protect(stage: Scene, shop: Repository, actors: list[dict[str, Any]]) -> None:
    await stage.github.set_ruleset(shop, "gate", [*required(stage.app.id), *PULL_REQUESTS], bypass_actors=actors)


async def look(stage: Scene) -> None:
    """One resync."""
    await stage.resync()
    await stage.run_to_rest()


def shown(shop: Repository) -> list[CheckRun]:
    return sorted((run for run in shop.check_runs.values() if run.name == "mergegate/guard"), key=lambda run: run.id)


async def pushed(stage: Scene, shop: Repository, login: str) -> str:
    """A direct push to the default branch by somebody whom the rules let, with GitHub's record of it."""
    before = await stage.github.git(shop).rev_parse("refs/heads/main") or ""
    commit = await stage.github.push(shop, "main", {"hot.txt": "fix\n"}, author=login)
    command = RefCommand(before, commit, "refs/heads/main")
    await rule_suites.keep_push(stage.github, shop, Actor(login, "user"), [command])
    return commit


async def test_a_direct_push_is_found_once(stage: Scene) -> None:
    shop = await guarded(stage, ALWAYS)
    commit = await pushed(stage, shop, "ada")
    await stage.settle()
    await look(stage)
    (bypass,) = (await report(stage)).bypasses
    assert (bypass["sha"], bypass["by"], bypass["ref"]) == (commit, "ada", "refs/heads/main")
    (run,) = shown(shop)
    assert (run.head_sha, run.conclusion) == (commit, "failure")
    assert run.title == "Past the rules: rules bypassed by ada"


async def test_a_push_by_somebody_exempt_leaves_no_rule_suite_and_is_found_all_the_same(stage: Scene) -> None:
    shop = await guarded(stage, BREAK_GLASS | {"bypass_mode": "exempt"})
    commit = await pushed(stage, shop, "ada")
    assert shop.rule_suites == []
    await stage.settle()
    (bypass,) = (await report(stage)).bypasses
    assert (bypass["sha"], bypass["how"]) == (commit, "direct push")


async def test_what_came_before_the_gate_looked_is_not_told(stage: Scene) -> None:
    shop = await open_shop(stage)
    await protect(stage, shop, [ALWAYS])
    await pushed(stage, shop, "ada")
    for record in shop.activity:
        record.timestamp -= timedelta(hours=1)
    shop.rule_suites[0].pushed_at -= timedelta(hours=1)
    await stage.settle()
    await look(stage)
    assert (await report(stage)).bypasses == ()
    assert shown(shop) == []


async def test_protection_that_is_taken_away_alarms_within_one_resync_and_once(stage: Scene) -> None:
    shop = await guarded(stage)
    assert shown(shop) == []
    await stage.github.set_ruleset(shop, "gate", required(stage.app.id))
    await look(stage)
    await look(stage)
    (run,) = shown(shop)
    assert (run.title, run.conclusion) == ("main is protected less than it was", "failure")
    assert "commits can be pushed without a pull request" in (run.summary or "")
    await protect(stage, shop, [BREAK_GLASS])
    await look(stage)
    assert [run.conclusion for run in shown(shop)] == ["failure", "success"]
    gaps = [record.entry.data["gaps"] for record in await records(stage) if record.entry.kind == "rules"]
    assert [bool(found) for found in gaps] == [False, True, False]


async def test_a_repository_that_was_never_protected_is_not_alarmed_about(stage: Scene) -> None:
    shop = await open_shop(stage)
    await stage.github.set_ruleset(shop, "gate", [])
    await look(stage)
    commit = await pushed(stage, shop, "ada")
    await stage.settle()
    assert shown(shop) == []
    assert [one["sha"] for one in (await report(stage)).bypasses] == [commit]


async def test_breaking_the_glass_is_recorded_with_who_did_it(stage: Scene) -> None:
    """The checks stay open, and an administrator merges past the rules."""
    shop = await guarded(stage)
    withhold_ci(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await _merged_past_the_rules(stage, shop, pull, "ada")
    await stage.settle()
    await look(stage)
    told = await report(stage)
    (merge,) = told.merges
    assert (merge["pull"], merge["by"], merge["bypass"]) == (pull.number, "ada", True)
    assert "without a passing verdict" in merge["alarm"]
    (bypass,) = told.bypasses
    assert (bypass["sha"], bypass["by"]) == (pull.merge_commit_sha, "ada")
    (notice,) = [comment.body for comment in pull.issue.comments if "Landing alarm" in comment.body]
    assert "without a passing verdict" in notice


async def test_a_merge_while_the_gate_was_down_is_found_afterwards(stage: Scene) -> None:
    shop = await guarded(stage)
    pull = await agent_pull(stage, shop)
    await _merged_past_the_rules(stage, shop, pull, "ada")
    await look(stage)
    (bypass,) = (await report(stage)).bypasses
    assert (bypass["sha"], bypass["by"], bypass["how"]) == (pull.merge_commit_sha, "ada", "rules bypassed")
    assert [run.head_sha for run in shown(shop)] == [pull.merge_commit_sha]


async def test_a_merge_that_left_no_trace_in_the_rules_and_was_never_judged_is_found(stage: Scene) -> None:
    """By somebody exempt, while the gate was down."""
    shop = await guarded(stage)
    pull = await agent_pull(stage, shop)
    await _merged_past_the_rules(stage, shop, pull, "ada")
    shop.rule_suites.clear()
    await look(stage)
    assert (await report(stage)).bypasses == (), "the gate may still be about to look at it"
    stage.clock = timedelta(minutes=20)
    await look(stage)
    (bypass,) = (await report(stage)).bypasses
    assert (bypass["sha"], bypass["how"]) == (pull.merge_commit_sha, "merged without a verdict")


async def test_an_ordinary_merge_is_no_passage(stage: Scene) -> None:
    shop = await guarded(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    stage.clock = timedelta(minutes=20)
    await look(stage)
    assert (await report(stage)).bypasses == ()
    assert shown(shop) == []


async def _merged_past_the_rules(stage: Scene, shop: Repository, pull: PullRequest, login: str) -> None:
    """https://docs.github.com/rest/pulls/pulls, the asynchronous merge with `bypass_rules`."""
    token = stage.github.user_token(login)
    headers = {"authorization": f"Bearer {token}", "x-github-api-version": "2026-03-10"}
    transport = httpx.ASGITransport(app=stage.github.app)
    body = {"merge_action": "direct_merge", "bypass_rules": True, "sha": pull.head_sha}
    async with httpx.AsyncClient(transport=transport, base_url=stage.github.world.base_url, headers=headers) as person:
        path = f"/repos/{shop.full_name}/pulls/{pull.number}/merge-async"
        answer = await person.put(path, json=body)
        assert answer.status_code in (200, 202), answer.text
    await stage.github.settle()
    assert pull.merged_at is not None
