"""Rulesets: which branches they bind, what they refuse, and what the API shows to whom."""

from __future__ import annotations

from typing import Any

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import rulesets
from tests.github.auth import Actor
from tests.github.operations.pushes import RefCommand
from tests.github.server import SimulatedGitHub
from tests.github.state import Repository
from tests.simulator.shop import ADA, BOB, approvals, as_app, as_user, client, gate, required, shop, valid

pytestmark = pytest.mark.anyio
URL = "/repos/acme/shop/rulesets"
ACTIONS = 15368


def ruleset(**changes: Any) -> dict[str, Any]:
    base = {
        "name": "protect",
        "target": "branch",
        "enforcement": "active",
        "conditions": {"ref_name": {"include": ["refs/heads/main"], "exclude": []}},
        "bypass_actors": [],
        "rules": [{"type": "deletion"}, approvals(1), required("test", ACTIONS)],
    }
    return base | changes


@pytest.mark.parametrize(
    ("include", "exclude", "bound", "free"),
    [
        (["~DEFAULT_BRANCH"], [], ["main"], ["release/1"]),
        (["~ALL"], ["refs/heads/agent/**/*"], ["main", "release/1"], ["agent/a", "agent/a/b"]),
        (["refs/heads/release/*"], [], ["release/1"], ["release/1/2", "main"]),
        (["refs/heads/rel**"], [], ["release/1"], ["main"]),
        ([], [], [], ["main"]),
    ],
)
async def test_conditions_choose_branches(
    hub: SimulatedGitHub, include: list[str], exclude: list[str], bound: list[str], free: list[str]
) -> None:
    repository = await shop(hub)
    made = await hub.set_ruleset(repository, "r", [{"type": "deletion"}], include=include)
    made.conditions["ref_name"]["exclude"] = exclude
    assert [b for b in bound + free if rulesets.effective_rules(hub.world, repository, b)] == bound


async def test_only_active_rulesets_bind(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    for enforcement in ("disabled", "evaluate"):
        await hub.set_ruleset(repository, enforcement, [{"type": "deletion"}], enforcement=enforcement)
    assert rulesets.effective_rules(hub.world, repository, "main") == []


async def test_create_read_change_and_delete(hub: SimulatedGitHub) -> None:
    await shop(hub)
    async with as_user(hub, "ada") as admin:
        answer = await admin.post(URL, json=ruleset())
        assert answer.status_code == 201, answer.text
        body = valid(models.RepositoryRuleset, answer.json())
        assert body["bypass_actors"] == []
        assert body["current_user_can_bypass"] == "never"
        url = f"{URL}/{body['id']}"
        assert (await admin.get(url)).json() == body
        (listed,) = (await admin.get(URL)).json()
        assert {"rules", "conditions", "bypass_actors"} & set(valid(models.RepositoryRuleset, listed)) == set()
        changed = await admin.put(url, json={"enforcement": "disabled"})
        assert changed.json()["enforcement"] == "disabled"
        assert changed.json()["rules"] == body["rules"]
        assert (await admin.delete(url)).status_code == 204
        assert (await admin.get(url)).status_code == 404


async def test_a_pull_request_rule_is_completed_and_unknown_keys_are_kept(hub: SimulatedGitHub) -> None:
    await shop(hub)
    async with as_user(hub, "ada") as admin:
        rule = approvals(2, something_new={"enabled": True})
        made = (await admin.post(URL, json=ruleset(rules=[rule]))).json()
    assert made["rules"][0]["parameters"] == {
        # final-provider-readback.json of ohcaygo/merge-proof (MIT)
        "required_approving_review_count": 2,
        "dismiss_stale_reviews_on_push": False,
        "required_reviewers": [],
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_review_thread_resolution": False,
        "require_extra_approval_for_unattributed_changes": True,
        "allowed_merge_methods": ["merge", "squash", "rebase"],
        "something_new": {"enabled": True},
    }


async def test_effective_rules_name_their_source_and_integration(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    repository = await shop(hub)
    made = await hub.set_ruleset(repository, "r", [required("test", ACTIONS), {"type": "from_the_future"}])
    async with as_app(hub, app) as api:
        rules = (await api.get("/repos/acme/shop/rules/branches/main")).json()
        assert (await api.get("/repos/acme/shop/rules/branches/other")).json() == []
    source = {"ruleset_source_type": "Repository", "ruleset_source": "acme/shop", "ruleset_id": made.id}
    assert rules == [required("test", ACTIONS) | source, {"type": "from_the_future"} | source]
    valid(models.RepositoryRuleDetailedOneof8, rules[0])


async def test_bypass_actors_are_shown_to_those_who_may_edit(hub: SimulatedGitHub) -> None:
    app = gate(hub)
    repository = await shop(hub)
    bypass = [{"actor_id": app.id, "actor_type": "Integration", "bypass_mode": "exempt"}]
    made = await hub.set_ruleset(repository, "r", [{"type": "deletion"}], bypass_actors=bypass)
    async with as_app(hub, app) as api, as_user(hub, "ada") as admin, client(hub) as nobody:
        seen = (await api.get(f"{URL}/{made.id}")).json()
        assert "bypass_actors" not in seen
        assert seen["current_user_can_bypass"] == "exempt"
        assert (await admin.get(f"{URL}/{made.id}")).json()["bypass_actors"] == bypass
        assert "current_user_can_bypass" not in (await nobody.get(f"{URL}/{made.id}")).json()
        assert (await api.post(URL, json=ruleset())).status_code == 403


# Bodies recorded on the real GitHub by ohcaygo/merge-proof (MIT), repository-policy-matrix.json.
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"rules": [{"type": "license_compliance_scanning"}]}, "Invalid rule 'license_compliance_scanning': "),
        ({"rules": [{"type": "tag_name_pattern"}]}, "Invalid rule 'tag_name_pattern': "),
        (
            {"rules": [{"type": "workflows", "parameters": {"workflows": []}}]},
            "Invalid rule 'workflows': Invalid parameter workflows: Workflow error at index 0: ",
        ),
        ({"target": "push", "rules": []}, "Source public repos cannot have push rules"),
    ],
)
async def test_refusals_as_recorded(hub: SimulatedGitHub, changes: dict[str, Any], error: str) -> None:
    repository = await shop(hub)
    async with as_user(hub, "ada") as admin:
        answer = await admin.post(URL, json=ruleset(**changes))
    assert (answer.status_code, answer.json()["message"]) == (422, "Validation Failed")
    assert answer.json()["errors"] == [error]
    assert repository.rulesets == {}


@pytest.mark.parametrize(
    "changes", [{"name": ""}, {"enforcement": "soon"}, {"target": "moon"}, {"rules": [required("")]}, {"rules": ["x"]}]
)
async def test_other_bad_rulesets_are_422(hub: SimulatedGitHub, changes: dict[str, Any]) -> None:
    await shop(hub)
    async with as_user(hub, "ada") as admin:
        assert (await admin.post(URL, json=ruleset(**changes))).status_code == 422


async def refusal(hub: SimulatedGitHub, repository: Repository, actor: Actor, before: str, after: str) -> str | None:
    return await rulesets.refused_push(hub, repository, actor, RefCommand(before, after, "refs/heads/main"))


async def test_a_direct_push_is_refused_in_the_recorded_words(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    await hub.set_ruleset(repository, "r", [approvals(1), required("l3 org validation", ACTIONS)])
    tip = await hub.git(repository).rev_parse("main") or ""
    new = await hub.push(repository, "other", {"a": "b"})
    # O03-github-enforcement.json of ohcaygo/merge-proof (MIT)
    assert await refusal(hub, repository, ADA, tip, new) == (
        "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"
        'Required status check "l3 org validation" is expected.\n\n'
    )
    zero = "0" * 40
    assert await rulesets.refused_push(hub, repository, ADA, RefCommand(zero, new, "refs/heads/free")) is None


async def test_deletion_force_and_bypass(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    role = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    rules: list[dict[str, Any]] = [{"type": "deletion"}, {"type": "non_fast_forward"}]
    await hub.set_ruleset(repository, "r", rules, bypass_actors=[role])
    old = await hub.git(repository).rev_parse("main") or ""
    new = await hub.push(repository, "main", {"a": "b"}, pusher="ada")
    assert "Cannot delete this branch" in (await refusal(hub, repository, BOB, new, "0" * 40) or "")
    assert "Cannot force-push to this branch" in (await refusal(hub, repository, BOB, new, old) or "")
    assert await refusal(hub, repository, BOB, old, new) is None
    assert await refusal(hub, repository, ADA, new, "0" * 40) is None  # ada is an administrator
