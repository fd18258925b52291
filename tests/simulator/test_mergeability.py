"""Whether a pull request could be merged: git's word and the rules of its target."""

from __future__ import annotations

from typing import Any

import pytest

from tests.github import mergeability
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import (
    ACTIONS,
    approvals,
    as_user,
    opened,
    required,
    set_check,
)

pytestmark = pytest.mark.anyio


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
