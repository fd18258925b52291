"""Rulesets of an organisation: the shape that githubkit's model has, for whom they hold, and who may see them."""

from __future__ import annotations

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import rule_suites, rulesets
from tests.github.operations.pushes import RefCommand
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import ADA, BOB, as_user, shop, valid
from tests.simulator.test_rulesets import ruleset

pytestmark = pytest.mark.anyio
URL = "/orgs/acme/rulesets"
HERE = {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}}


async def test_it_holds_for_the_repositories_that_it_names(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    hub.organization("acme", owners=["ada"])
    conditions = HERE | {"repository_name": {"include": ["sh*"], "exclude": []}}
    async with as_user(hub, "ada") as api:
        answer = await api.post(URL, json=ruleset(conditions=conditions))
        made = valid(models.RepositoryRuleset, answer.json())
        assert answer.status_code == 201
        (listed,) = (await api.get(URL)).json()
        assert (listed["id"], listed["source_type"], listed["source"]) == (made["id"], "Organization", "acme")
        rules = rulesets.effective_rules(hub.world, repository, "main")
        assert {rule["ruleset_source_type"] for rule in rules} == {"Organization"}
        elsewhere = conditions | {"repository_name": {"include": ["docs"], "exclude": []}}
        changed = await api.put(f"{URL}/{made['id']}", json={"conditions": elsewhere})
        assert changed.json()["conditions"]["repository_name"]["include"] == ["docs"]
        assert rulesets.effective_rules(hub.world, repository, "main") == []
        assert (await api.get(f"{URL}/1")).status_code == 404


async def test_only_owners_see_them_and_a_queue_is_no_rule_of_an_organisations(hub: SimulatedGitHub) -> None:
    await shop(hub)
    hub.organization("acme", owners=["ada"], members=["bob"])
    async with as_user(hub, "bob") as api:
        assert (await api.get(URL)).status_code == 404
    async with as_user(hub, "ada") as api:
        refused = await api.post(URL, json=ruleset(rules=[{"type": "merge_queue"}]))
        assert (refused.status_code, refused.json()["errors"]) == (422, ["Invalid rule 'merge_queue': "])


async def test_a_direct_push_leaves_a_rule_suite_that_says_whether_it_was_let_past(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    admins = {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    before = await hub.git(repository).rev_parse("refs/heads/main") or ""
    after = await hub.push(repository, "main", {"a": "b"}, pusher="ada")
    move = [RefCommand(before, after, "refs/heads/main")]
    await rule_suites.keep_push(hub, repository, ADA, move)
    assert repository.rule_suites == [], "no rule was judged"
    await hub.set_ruleset(repository, "r", [{"type": "pull_request"}], bypass_actors=[admins])
    await rule_suites.keep_push(hub, repository, ADA, move)
    (suite,) = repository.rule_suites
    assert (suite.result, suite.actor, suite.after) == ("bypass", "ada", after)
    await hub.set_ruleset(repository, "r", [{"type": "deletion"}])
    await rule_suites.keep_push(hub, repository, BOB, move)
    assert repository.rule_suites[-1].result == "pass"
    await hub.set_ruleset(repository, "r", [{"type": "deletion"}], bypass_actors=[admins | {"bypass_mode": "exempt"}])
    await rule_suites.keep_push(hub, repository, ADA, move)
    assert len(repository.rule_suites) == 2, "who is exempt leaves none"
