"""Requests for reviews through the whole gate: the right people, once, and taken back when nobody needs them."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, fail_ci, open_shop, pass_ci
from tests.gate.test_stories import MEDIUM, MEDIUM_BUNDLE
from tests.github.operations.pulls import remove_requested_reviewers
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

NAMED = MEDIUM.replace("'on'", "'off'") + "approvers: {users: [bob, cleo, stranger], permission: write}\n"
TEAM = NAMED + "rules:\n  payers: {when: {areas: [payment]}, require: {approvals: {teams: [payers]}}}\n"


async def shop_of(stage: Scene, policy: str = NAMED) -> Repository:
    shop = await open_shop(stage, policy)
    stage.github.user("cleo")
    shop.collaborators["cleo"] = "write"
    return shop


async def payment(stage: Scene, shop: Repository, name: str = "payment") -> PullRequest:
    files = {f"shop/payment/{name}.py": "RATE = 2\n"}
    return await agent_pull(stage, shop, name, files, MEDIUM_BUNDLE)


def asked(pull: PullRequest) -> set[str]:
    return {*pull.requested_reviewers, *pull.requested_teams}


def requests_made(stage: Scene) -> int:
    return sum(one.method == "POST" and one.path.endswith("requested_reviewers") for one in stage.writes())


async def test_one_of_those_who_may_is_asked_once_and_the_next_pull_request_asks_another(stage: Scene) -> None:
    shop = await shop_of(stage)
    fail_ci(stage, shop)
    first = await payment(stage, shop)
    await stage.settle()
    assert asked(first) == set()  # nobody's time before the evidence is there
    pass_ci(stage, shop)
    await stage.github.push(shop, "agent/payment", {"shop/payment/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.settle()
    second = await payment(stage, shop, "other")
    await stage.settle()
    assert asked(first) | asked(second) >= {"bob", "cleo"}
    assert len(asked(first)) == len(asked(second)) == 1
    before = requests_made(stage)
    # Their review is outdated by a push; they are not asked again, and nobody else is.
    reviewer = first.requested_reviewers[0]
    await stage.github.review(shop, first.number, reviewer, "REQUEST_CHANGES", "No.")
    await stage.github.push(shop, "agent/payment", {"shop/payment/payment.py": "RATE = 4\n"}, author="courier[bot]")
    await stage.settle()
    assert (asked(first), requests_made(stage)) == (set(), before)
    # The other one approves by themselves: nobody else is needed.
    await stage.github.review(shop, second.number, "ada")
    await stage.settle()
    assert asked(second) == set()


async def test_who_takes_themselves_off_is_not_asked_again_and_another_one_is(stage: Scene) -> None:
    shop = await shop_of(stage)
    pull = await payment(stage, shop)
    await stage.settle()
    (reviewer,) = asked(pull)
    await stage.gate.database.query("update review_requests set asked_at = asked_at - interval '10 minutes'")
    await remove_requested_reviewers(stage.github, shop, pull, reviewer, [reviewer])
    await stage.settle()
    other = {"bob": "cleo", "cleo": "bob"}[reviewer]
    assert asked(pull) == {other}
    await stage.gate.database.query("update review_requests set asked_at = asked_at - interval '10 minutes'")
    await remove_requested_reviewers(stage.github, shop, pull, other, [other])
    await stage.settle()
    # The third is nobody whom GitHub lets the gate ask. Each was tried once.
    assert (asked(pull), requests_made(stage)) == (set(), 3)


async def test_what_github_itself_still_asks_for_is_explained_and_not_asked_twice(stage: Scene) -> None:
    shop = await shop_of(stage)
    own = {"required_approving_review_count": 2, "require_code_owner_review": True}
    await stage.github.set_ruleset(shop, "reviews", [{"type": "pull_request", "parameters": own}])
    pull = await payment(stage, shop)
    await stage.settle()
    await stage.github.review(shop, pull.number, "ada")
    await stage.settle()
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "success"}
    words = stage.summary(shop, pull, "review")
    assert "GitHub's own rules also ask for 2 approvals, an approval of a code owner of each touched path." in words
    assert asked(pull) == set()
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()


async def test_a_team_is_asked_a_draft_asks_nobody_and_what_people_asked_for_stays(stage: Scene) -> None:
    stage.github.team("acme", "payers", ["bob"])
    shop = await shop_of(stage, TEAM)
    shop.teams["payers"] = "write"
    pull = await payment(stage, shop)
    pull.requested_reviewers.append("ada")
    await stage.settle()
    assert "payers" in asked(pull)
    assert len(asked(pull)) == 3
    await stage.github.set_draft(shop, pull.number, "courier[bot]", draft=True)
    await stage.settle()
    assert asked(pull) == {"ada"}
    await stage.github.set_draft(shop, pull.number, "courier[bot]", draft=False)
    await stage.settle()
    assert "payers" in asked(pull)
