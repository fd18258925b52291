"""Webhook bodies of everything that is no check, run or queue, against GitHub's webhook schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.github.contract.observe import install
from tests.github.events import (
    DomainEvent,
    InstallationRepositoriesChanged,
    MemberChanged,
    OrganizationMemberChanged,
    RepositoryChanged,
    TeamMemberChanged,
)
from tests.github.server import SimulatedGitHub
from tests.github.state import Delivery, Installation, Repository
from tests.simulator.shop import as_user, pull, shop

pytestmark = pytest.mark.anyio
EVENTS = [
    "create",
    "delete",
    "issue_comment",
    "issues",
    "label",
    "member",
    "membership",
    "organization",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
]
# GitHub's description, as it is published in the package that the schemas come from, has no schema for these.
WITHOUT_SCHEMA = {"webhook create", "webhook delete", "webhook membership added", "webhook membership removed"}
Payload = dict[str, Any]


@pytest.fixture
async def repository(hub: SimulatedGitHub) -> Repository:
    hub.organization("acme", owners=["ada"], members=["bob"])
    hub.team("acme", "core", ["carl"])
    made = await shop(hub)
    made.teams["core"] = "write"
    app, _ = hub.register_app("gate", {"pull_requests": "write"}, EVENTS, "http://127.0.0.1:9/", "secret")
    hub.install(app, "acme")
    return made


def told(hub: SimulatedGitHub, event: str, action: str | None = None) -> Payload:
    """The body of the one delivery of that kind."""
    [found] = [d for d in hub.world.deliveries if (d.event, d.action) == (event, action)]
    body: Payload = json.loads(found.payload)
    return body


def kinds(deliveries: list[Delivery]) -> set[str]:
    return {f"{d.event}.{d.action}" if d.action else d.event for d in deliveries}


def others(repository: Repository, installation: Installation) -> list[DomainEvent]:
    return [
        MemberChanged(repository, "bob", "added", "ada"),
        MemberChanged(repository, "bob", "removed", "ada"),
        OrganizationMemberChanged("acme", "bob", "member_added", "ada"),
        OrganizationMemberChanged("acme", "bob", "member_removed", "ada"),
        TeamMemberChanged("acme", "core", "carl", "added", "ada"),
        TeamMemberChanged("acme", "core", "carl", "removed", "ada"),
        RepositoryChanged(repository, "edited", "ada", {"default_branch": {"from": "master"}}),
        RepositoryChanged(repository, "privatized", "ada"),
        InstallationRepositoriesChanged(installation, (repository.id,), (), "ada"),
        InstallationRepositoriesChanged(installation, (), (repository.id,), "ada"),
    ]


async def test_people_repositories_and_installations(hub: SimulatedGitHub, repository: Repository) -> None:
    findings = install(hub)
    [installation] = hub.world.installations.values()
    for action in ("created", "new_permissions_accepted", "suspend", "unsuspend", "deleted"):
        await hub.announce_installation(installation, action, "ada")
    for event in others(repository, installation):
        await hub.publish(event)
    await hub.settle()
    findings.assert_clean()
    assert findings.undescribed <= WITHOUT_SCHEMA
    assert len(kinds(hub.world.deliveries)) == 15
    assert told(hub, "installation", "created")["repositories"][0]["full_name"] == "acme/shop"
    assert told(hub, "membership", "added")["team"]["slug"] == "core"
    assert told(hub, "installation_repositories", "added")["repositories_added"][0]["id"] == repository.id


async def test_issues_and_labels(hub: SimulatedGitHub, repository: Repository) -> None:
    findings = install(hub)
    base = "/repos/acme/shop"
    async with as_user(hub, "ada") as api:
        await api.post(f"{base}/labels", json={"name": "a"})
        await api.patch(f"{base}/labels/a", json={"color": "000000"})
        await api.post(f"{base}/issues", json={"title": "T", "labels": ["a"], "assignees": ["bob"]})
        await api.patch(f"{base}/issues/1", json={"title": "U", "labels": [], "assignees": ["ada"]})
        await api.patch(f"{base}/issues/1", json={"assignees": []})
        await api.patch(f"{base}/issues/1", json={"state": "closed"})
        await api.patch(f"{base}/issues/1", json={"state": "open"})
        comment = (await api.post(f"{base}/issues/1/comments", json={"body": "one"})).json()["id"]
        await api.patch(f"{base}/issues/comments/{comment}", json={"body": "two"})
        await api.delete(f"{base}/issues/comments/{comment}")
        await api.delete(f"{base}/labels/a")
    await hub.settle()
    findings.assert_clean()
    assert kinds(hub.world.deliveries) == {
        "issue_comment.created",
        "issue_comment.deleted",
        "issue_comment.edited",
        "issues.assigned",
        "issues.closed",
        "issues.edited",
        "issues.labeled",
        "issues.opened",
        "issues.reopened",
        "issues.unassigned",
        "issues.unlabeled",
        "label.created",
        "label.deleted",
        "label.edited",
    }
    assert told(hub, "issue_comment", "edited")["changes"] == {"body": {"from": "one"}}
    assert told(hub, "issues", "unlabeled")["label"]["name"] == "a"


async def test_pull_requests(hub: SimulatedGitHub, repository: Repository) -> None:
    findings = install(hub)
    await hub.push(repository, "release", {"r": "r"}, author="bob")
    change = await pull(hub, repository)
    base = "/repos/acme/shop"
    async with as_user(hub, "bob") as bob:
        asked = {"reviewers": ["cat"], "team_reviewers": ["core"]}
        await bob.post(f"{base}/pulls/1/requested_reviewers", json=asked)
        await bob.request("DELETE", f"{base}/pulls/1/requested_reviewers", json=asked)
        await bob.post(f"{base}/issues/1/assignees", json={"assignees": ["bob"]})
        await bob.post(f"{base}/issues/1/labels", json={"labels": ["a"]})
        await bob.delete(f"{base}/issues/1/labels/a")
        note = {"path": "change", "line": 1, "body": "why?"}
        given = await bob.post(f"{base}/pulls/1/reviews", json={"event": "APPROVE", "comments": [note]})
        review = f"{base}/pulls/1/reviews/{given.json()['id']}"
        await bob.put(review, json={"body": "changed"})
        await bob.put(f"{review}/dismissals", json={"message": "no"})
        await bob.patch(f"{base}/pulls/1", json={"base": "release"})
    await hub.push(repository, "change", {"more": "x"}, author="ada")
    await hub.set_draft(repository, 1, "ada", draft=True)
    await hub.set_draft(repository, 1, "ada", draft=False)
    await hub.push(repository, "upper", {"u": "u"}, author="ada", base="change")
    upper = await hub.open_pull(repository, "upper", "change", author="ada")
    await hub.announce_stack(repository, hub.stack(repository, [change.number, upper.number]), "ada")
    await hub.delete_branch(repository, "change", "ada")
    await hub.settle()
    findings.assert_clean()
    actions = {d.action for d in hub.world.deliveries if d.event == "pull_request"}
    assert actions == {
        "assigned",
        "closed",
        "converted_to_draft",
        "edited",
        "labeled",
        "opened",
        "ready_for_review",
        "review_request_removed",
        "review_requested",
        "stacked",
        "synchronize",
        "unlabeled",
    }
    changes = told(hub, "pull_request", "edited")["changes"]
    assert changes["base"]["ref"] == {"from": "main"}
    assert {d.action for d in hub.world.deliveries if d.event == "pull_request_review"} == {
        "dismissed",
        "edited",
        "submitted",
    }
    assert told(hub, "pull_request_review_comment", "created")["comment"]["path"] == "change"
    assert told(hub, "delete")["ref"] == "change"


async def test_a_push_lists_its_commits(hub: SimulatedGitHub, repository: Repository) -> None:
    await hub.push(repository, "work", {"a": "1"}, author="bob", message="One")
    hub.world.deliveries.clear()
    await hub.push(repository, "work", {"a": "2", "b": "1", "README.md": None}, author="bob", message="Two\n\nBody")
    body = told(hub, "push")
    [commit] = body["commits"]
    assert (commit["id"], commit["message"]) == (body["after"], "Two\n\nBody")
    assert (commit["added"], commit["modified"], commit["removed"]) == (["b"], ["a"], ["README.md"])
    assert (commit["author"]["username"], body["head_commit"]["id"]) == ("bob", body["after"])


@pytest.mark.parametrize(
    ("size", "delivered"),
    [(1000, True), (26 * 1024 * 1024, False)],
)
async def test_a_body_over_25_megabytes_is_never_sent(
    hub: SimulatedGitHub, repository: Repository, size: int, delivered: bool
) -> None:
    await hub.open_issue(repository, "T", "x" * size, "bob")
    assert ("issues.opened" in kinds(hub.world.deliveries)) == delivered
