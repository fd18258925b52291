"""What a verdict costs: requests to GitHub, counted at GitHub's side. Token minting and log redirects are left out."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, agent_pull, open_shop, release_ci, withhold_ci
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

NOT_QUEUED = MEDIUM.replace("'on'", "'off'")


async def waiting_for_ci(stage: Scene, policy: str = NOT_QUEUED) -> tuple[Repository, PullRequest]:
    """A pull request that was looked at while its one workflow run of two jobs was in progress."""
    shop = await open_shop(stage, policy)
    withhold_ci(stage, shop)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "in_progress"
    return shop, pull


async def test_at_most_twelve_requests_from_complete_ci_to_the_first_full_verdict(stage: Scene) -> None:
    shop, pull = await waiting_for_ci(stage)
    before = len(stage.requests())
    await release_ci(stage, shop)
    await stage.run_to_rest()
    spent = stage.requests()[before:]
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert len(spent) <= 12, [str(one) for one in spent]


async def test_at_most_four_requests_after_a_new_review(stage: Scene) -> None:
    shop, pull = await waiting_for_ci(stage)
    await release_ci(stage, shop)
    await stage.settle()
    before = len(stage.requests())
    await stage.github.review(shop, pull.number, "bob")
    await stage.run_to_rest()
    spent = stage.requests()[before:]
    assert stage.verdict(shop, pull) == GREEN
    assert len(spent) <= 4, [str(one) for one in spent]


async def test_at_most_four_requests_after_a_review_by_a_team_member(stage: Scene) -> None:
    team = "approvers:\n  teams: [reviewers]\n  users: []\n  permission: null\n"
    stage.github.organization("acme")
    stage.github.team("acme", "reviewers", ["bob"])
    shop, pull = await waiting_for_ci(stage, NOT_QUEUED + team)
    await release_ci(stage, shop)
    await stage.settle()
    before = len(stage.requests())
    await stage.github.review(shop, pull.number, "bob")
    await stage.run_to_rest()
    spent = stage.requests()[before:]
    assert stage.verdict(shop, pull) == GREEN
    assert len(spent) <= 4, [str(one) for one in spent]


@pytest.mark.parametrize("event", ["label", "comment", "other status", "comment review"])
async def test_an_event_that_changes_nothing_writes_nothing(stage: Scene, event: str) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, body=BUNDLE)
    await stage.settle()
    before = len(stage.writes())
    match event:
        case "label":
            await stage.github.add_labels(shop, pull.number, "ada", "nice")
        case "comment":
            await stage.github.comment(shop, pull.number, "ada", "Looks good.")
        case "other status":
            await stage.github.push(shop, "elsewhere", {"x": "1\n"}, author="ada")
        case "comment review":
            await stage.github.review(shop, pull.number, "bob", "COMMENT", "Why?")
    await stage.run_to_rest()
    assert len(stage.writes()) == before
