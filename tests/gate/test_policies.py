"""Policies as repositories, organisations and the server's operator write them, through the whole gate."""

from __future__ import annotations

import pytest

from app.gate.presets import read_presets
from policies.floor import load_floor
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop
from tests.github.rest.pulls import merge_base_into_head
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

STAYS = "version: 1\nqueue: {enqueue: 'off'}\n"
RULES = f"""{STAYS}risk: {{areas: {{payment: {{risk: low}}}}}}
override: {{permission: admin}}
review: {{keep_on_clean_merge: true}}
veto: {{users: [eve]}}
rules:
  payment:
    when: {{paths: [shop/payment.py]}}
    require: {{any: [{{approvals: {{teams: [payments]}}}}, {{approvals: {{organizations: [acme], count: 2}}}}]}}
  cart: {{when: {{paths: [shop/cart.py]}}, require: {{approvals: {{users: [bob]}}}}}}
"""
CART = {"shop/cart.py": "def total(prices):\n    return 0 + sum(prices)\n"}
GREEN, WAITS, VETOED = ("success", "success"), ("success", "in_progress"), ("success", "failure")


async def _verdict(stage: Scene, shop: Repository, pull: PullRequest) -> tuple[str, str]:
    await stage.settle()
    found = stage.verdict(shop, pull)
    return found["evidence"], found["review"]


async def _update(stage: Scene, shop: Repository, pull: PullRequest, files: dict[str, str]) -> None:
    """The target moves on, and GitHub's button merges it into the pull request's branch."""
    await stage.github.push(shop, "main", files, author="ada")
    await merge_base_into_head(stage.github, shop, pull, "courier[bot]", None)


async def test_rules_veto_kept_approvals_and_override(stage: Scene) -> None:
    stage.github.team("acme", "payments")
    stage.github.team("acme", "cards", ["bob"], parent="payments")
    shop = await open_shop(stage, RULES)
    paid = await agent_pull(stage, shop, "payment", {"shop/payment.py": "RATE = 2\n"})
    cart = await agent_pull(stage, shop, "cart", CART)
    await stage.github.review(shop, paid.number, "ada")
    await stage.github.review(shop, cart.number, "bob")
    asked = await stage.github.review(shop, cart.number, "eve", "REQUEST_CHANGES", "Not like this.")
    assert await _verdict(stage, shop, paid) == WAITS, "ada is in no team, and one member of acme is not two"
    assert "by acme/payments or members of acme" in stage.summary(shop, paid, "review")
    await stage.github.dismiss_review(shop, cart.number, asked, "ada")
    await stage.github.review(shop, paid.number, "bob")
    assert await _verdict(stage, shop, cart) == VETOED, "others do not withdraw a veto"
    assert "a dismissal by others does not end that" in stage.summary(shop, cart, "review")
    assert await _verdict(stage, shop, paid) == GREEN, "a member of the child team is one of the team"
    await stage.github.review(shop, cart.number, "eve")
    await _update(stage, shop, cart, {"README.md": "Hello\n"})
    assert await _verdict(stage, shop, cart) == GREEN, "a clean merge of the target changes nothing of it"
    await stage.github.push(shop, "agent/cart", {"shop/more.py": "A = 1\n"}, author="courier[bot]")
    await stage.settle()  # whoever overrides a head has seen it
    await stage.github.comment(shop, cart.number, "bob", f"/override {cart.head_sha[:8]} it burns")
    assert await _verdict(stage, shop, cart) == WAITS, "bob is no administrator"
    await stage.github.comment(shop, cart.number, "ada", f"/override {cart.head_sha[:8]} it burns")
    assert await _verdict(stage, shop, cart) == GREEN
    assert stage.summary(shop, cart, "review").startswith("Overridden by ada: it burns")
    await stage.github.push(shop, "agent/cart", {"shop/more.py": "A = 2\n"}, author="courier[bot]")
    assert await _verdict(stage, shop, cart) == WAITS, "it was given on another head"


async def test_where_a_policy_lies(stage: Scene) -> None:
    base = "version: 1\nqueue: {enqueue: 'off'}\nrules: {all: {require: {approvals: {}}}}\n"
    policies = await stage.github.repository("acme/policies", {"gate.yml": base}, collaborators={"ada": "admin"})
    commit = await stage.github.git(policies).rev_parse("refs/heads/main")
    organization = f"version: 1\nreuse: acme/policies/gate.yml@{commit}\nbranches: [release/*]\n"
    await stage.github.repository("acme/.github", {"mergegate.yml": organization}, collaborators={"ada": "admin"})
    shop = await open_shop(stage, None)
    pull = await agent_pull(stage, shop)
    assert await _verdict(stage, shop, pull) == WAITS
    assert "The policy is `acme/.github/mergegate.yml`" in stage.summary(shop, pull, "evidence")
    # A change of the organisation's file reaches every repository.
    changed = organization.replace("branches:", "mode: enforce\nbranches:") + "approvers: {users: [bob]}\n"
    await stage.github.push("acme/.github", "main", {"mergegate.yml": changed}, author="ada")
    await stage.settle()
    assert "Needs approval by bob" in stage.summary(shop, pull, "review")
    # The repository's own file comes first; a person who brings one reads what it would change.
    await stage.github.push(shop, "own", {".github/mergegate.yml": STAYS}, author="ada")
    own = await stage.github.open_pull(shop, "own", author="ada")
    await stage.settle()
    assert "It would turn 1 from pending to passed (`#1`)" in stage.summary(shop, own, "evidence")
    await stage.github.push(shop, "wrong", {".github/mergegate.yml": "version: 1\nrule: {}\n"}, author="ada")
    wrong = await stage.github.open_pull(shop, "wrong", author="ada")
    await stage.settle()
    assert stage.verdict(shop, wrong)["evidence"] == "failure"
    assert "line 2, column 1: `rule`: there is no such field. Did you mean `rules`?" in stage.summary(
        shop, wrong, "evidence"
    )
    # A release branch without a file of its own has what the default branch has.
    await stage.github.push(shop, "release/1", {"README.md": "One\n"}, author="ada")
    await stage.github.edit_pull(shop, pull.number, "ada", base="release/1")
    assert (await _verdict(stage, shop, pull))[1] == "in_progress"


async def test_the_servers_baseline_holds_whatever_a_repository_writes(stage: Scene) -> None:
    floor = load_floor("version: 1\nrules: {bob: {require: {approvals: {users: [bob]}}}}\n", read_presets())
    object.__setattr__(stage.gate, "floor", floor)  # as if the server had been started with it
    shop = await open_shop(stage, POLICY + "mode: observe\n")
    pull = await agent_pull(stage, shop)
    assert await _verdict(stage, shop, pull) == WAITS
    assert pull.merged_at is None
    await stage.github.review(shop, pull.number, "bob")
    assert await _verdict(stage, shop, pull) == GREEN
    assert pull.merged_at is None, "a repository that observes does not ask for merges, whatever the baseline says"
