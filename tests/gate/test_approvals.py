"""Approvals by a comment: `/approve CODE` counts like a review, on exactly what its code stood for."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, hold_groups, open_shop, release_ci
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT
from tests.github.operations import issues
from tests.github.state import Comment, PullRequest, Repository

pytestmark = pytest.mark.anyio

EVIDENCE = MEDIUM.replace("{risk: medium}", "{risk: medium, review: evidence}")
STAYS = EVIDENCE.replace("'on'", "'off'")
WAITS = {"evidence": "success", "review": "in_progress"}


async def waiting(stage: Scene, policy: str = STAYS) -> tuple[Repository, PullRequest]:
    """A pull request that is complete but for one approval."""
    shop = await open_shop(stage, policy)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    return shop, pull


def code(stage: Scene, shop: Repository, pull: PullRequest) -> str:
    """As a person reads it in the check's title."""
    title = stage.summary(shop, pull, "review").partition("\n")[0]
    found = re.search("/approve ([A-Z]{4,})$", title)
    assert found is not None, title
    return found.group(1)


async def say(stage: Scene, shop: Repository, pull: PullRequest, who: str, body: str) -> Comment:
    comment = await stage.github.comment(shop, pull.number, who, body)
    await stage.settle()
    return comment


def reactions(comment: Comment) -> list[str]:
    return [reaction.content for reaction in comment.reactions]


async def test_a_code_from_the_title_approves_and_only_for_those_who_may(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    letters = code(stage, shop, pull)
    reader = await say(stage, shop, pull, "eve", f"/approve {letters}")
    agent = await say(stage, shop, pull, "courier[bot]", f"/approve {letters}")
    mistyped = await say(stage, shop, pull, "bob", "/approve ZZZZ")
    assert stage.verdict(shop, pull) == WAITS
    assert "eve has only the permission read" in stage.summary(shop, pull, "review")
    person = await say(stage, shop, pull, "bob", f"／approve {letters.lower()} \r\nRead it on the train.")
    assert stage.verdict(shop, pull) == GREEN
    assert "Approved by bob" in stage.summary(shop, pull, "review")
    told = [reactions(comment) for comment in (reader, agent, mistyped, person)]
    assert told == [["confused"], [], ["confused"], ["+1"]]


async def test_a_code_in_a_reviews_text_approves_too(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    await stage.github.review(shop, pull.number, "bob", "COMMENT", f"/approve {code(stage, shop, pull)}\n\nAll read.")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert "Approved by bob" in stage.summary(shop, pull, "review")


async def test_an_edit_withdraws_and_no_edit_approves(stage: Scene) -> None:
    # Also of somebody with a veto a withdrawn approval is no request for changes.
    shop, pull = await waiting(stage, STAYS + "veto: {users: [bob]}\n")
    letters = code(stage, shop, pull)
    approval = await say(stage, shop, pull, "bob", f"/approve {letters}")
    assert stage.verdict(shop, pull) == GREEN
    await issues.edit_comment(stage.github, shop, pull.issue, approval, "bob", f"/approve {letters} after all")
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    remark = await say(stage, shop, pull, "bob", "Hm.")
    await issues.edit_comment(stage.github, shop, pull.issue, remark, "bob", f"/approve {letters}")
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    deleted = await say(stage, shop, pull, "bob", f"/approve {letters}")
    assert stage.verdict(shop, pull) == GREEN
    await issues.delete_comment(stage.github, shop, pull.issue, deleted, "ada")
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS


async def test_a_code_stands_for_one_head_and_one_bundle(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    first = code(stage, shop, pull)
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.settle()
    second = code(stage, shop, pull)
    assert second != first
    late = await say(stage, shop, pull, "bob", f"/approve {first}")
    assert stage.verdict(shop, pull) == WAITS
    assert "bob approved the earlier commit" in stage.summary(shop, pull, "review")
    changed = MEDIUM_BUNDLE.replace("known: [none]", "known: [it may lose orders]")
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", body=changed)
    await stage.settle()
    third = code(stage, shop, pull)
    await say(stage, shop, pull, "bob", f"/approve {second}")
    assert "bob approved before the bundle was changed" in stage.summary(shop, pull, "review")
    # What does not count takes nothing from what does.
    await stage.github.review(shop, pull.number, "bob")
    await say(stage, shop, pull, "bob", f"/approve {second}")
    assert stage.verdict(shop, pull) == GREEN
    counts = await say(stage, shop, pull, "ada", f"/approve {third}")
    assert (reactions(late), reactions(counts)) == (["confused"], ["+1"])
    # In which order, where both came within a second, nobody says.
    first_line = stage.summary(shop, pull, "review").splitlines()[0]
    assert first_line in ("Approved by ada, bob", "Approved by bob, ada")


async def test_a_commit_id_approves_that_head(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    before = pull.head_sha
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.settle()
    old = await say(stage, shop, pull, "bob", f"/approve {before[:10]}")
    unknown = await say(stage, shop, pull, "bob", f"/approve {'0' * 12}")
    assert stage.verdict(shop, pull) == WAITS
    new = await say(stage, shop, pull, "bob", f"/approve {pull.head_sha[:7].upper()}")
    assert stage.verdict(shop, pull) == GREEN
    assert [reactions(one) for one in (old, unknown, new)] == [["confused"], ["confused"], ["+1"]]


async def test_an_older_commit_ends_no_request_for_changes(stage: Scene) -> None:
    shop, pull = await waiting(stage, STAYS + "veto: {users: [bob]}\n")
    before, letters = pull.head_sha, code(stage, shop, pull)
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.github.review(shop, pull.number, "bob", "REQUEST_CHANGES", "Not like this.")
    await stage.settle()
    await say(stage, shop, pull, "bob", f"/approve {before[:10]}")
    old = await say(stage, shop, pull, "bob", f"/approve {letters}")
    assert "bob asked for changes and has a veto" in stage.summary(shop, pull, "review")
    await issues.delete_comment(stage.github, shop, pull.issue, old, "bob")
    await stage.settle()
    assert "bob asked for changes and has a veto" in stage.summary(shop, pull, "review")
    await say(stage, shop, pull, "bob", f"/approve {pull.head_sha[:10]}")
    assert stage.verdict(shop, pull) == GREEN
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 4\n"}, author="courier[bot]")
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    assert "veto" not in stage.summary(shop, pull, "review")


async def test_a_comment_whose_delivery_was_lost_is_found_by_the_next_look(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    now, letters = stage.github.world.now(), code(stage, shop, pull)
    lost = Comment(stage.github.world.new_id(), "bob", f"/approve {letters}", now, now)
    pull.issue.comments.append(lost)
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert reactions(lost) == ["+1"]
    pull.issue.comments.remove(lost)
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS


async def test_a_commit_that_came_later_is_not_the_one_that_was_meant(stage: Scene) -> None:
    # Whoever pushes can look for a commit whose first letters are those that somebody wrote about another one.
    shop, pull = await waiting(stage)
    earlier = stage.github.world.now() - timedelta(minutes=1)
    made_to_fit = Comment(stage.github.world.new_id(), "bob", f"/approve {pull.head_sha[:7]}", earlier, earlier)
    pull.issue.comments.append(made_to_fit)
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    assert reactions(made_to_fit) == ["confused"]
    whole = Comment(stage.github.world.new_id(), "bob", f"/approve {pull.head_sha}", earlier, earlier)
    pull.issue.comments.append(whole)
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN


async def test_membership_is_read_again_for_the_merge_group(stage: Scene) -> None:
    team = "approvers:\n  teams: [reviewers]\n  users: []\n  permission: null\n"
    stage.github.team("acme", "reviewers", ["bob"])
    shop = await open_shop(stage, EVIDENCE + team)
    hold_groups(stage, shop)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await say(stage, shop, pull, "bob", f"/approve {code(stage, shop, pull)}")
    group = shop.queues["main"][0].group_sha
    assert group is not None
    assert stage.checks(shop, group)["mergegate/review"] == "success"
    stage.github.world.teams["acme", "reviewers"].members.clear()
    await release_ci(stage, shop)
    await stage.run_to_rest()
    assert pull.merged_at is None
    assert stage.checks(shop, group)["mergegate/review"] != "success"
