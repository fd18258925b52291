"""Issues, labels, comments, reactions, teams."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.server import SimulatedGitHub
from tests.simulator.shop import as_user, client, pull, shop, valid

pytestmark = pytest.mark.anyio
SHOP = "/repos/acme/shop"
ISSUES = f"{SHOP}/issues"


@pytest.fixture
async def api(hub: SimulatedGitHub) -> AsyncIterator[httpx.AsyncClient]:
    await shop(hub)
    async with as_user(hub, "ada") as caller:
        yield caller


async def test_a_ticket_from_opening_to_closing(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    made = await api.post(ISSUES, json={"title": "T", "body": "B", "labels": ["bug"], "assignees": ["bob"]})
    body = valid(models.Issue, made.json())
    assert (made.status_code, [n["name"] for n in body["labels"]]) == (201, ["bug"])
    assert [u["login"] for u in body["assignees"]] == ["bob"]
    assert "pull_request" not in body
    changed = await api.patch(f"{ISSUES}/1", json={"labels": ["risk", "bug"], "state": "closed", "assignees": []})
    body = valid(models.Issue, changed.json())
    assert ({n["name"] for n in body["labels"]}, body["state"], body["assignees"]) == ({"risk", "bug"}, "closed", [])
    assert (body["closed_by"]["login"], body["state_reason"]) == ("ada", "completed")
    assert (await api.get(ISSUES)).json() == []
    found = valid(list[models.Issue], (await api.get(f"{ISSUES}?state=closed&labels=risk,bug")).json())
    assert [i["number"] for i in found] == [1]
    assert (await api.get(f"{ISSUES}?state=all&labels=other")).json() == []
    assert (await api.post(ISSUES, json={"body": "no title"})).status_code == 422


async def test_a_pull_request_is_an_issue_too(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    await pull(hub, hub.repo("acme/shop"))
    body = valid(models.Issue, (await api.get(f"{ISSUES}/1")).json())
    assert body["pull_request"]["url"].endswith(f"{SHOP}/pulls/1")
    assert [i["number"] for i in (await api.get(ISSUES)).json()] == [1]
    await api.patch(f"{ISSUES}/1", json={"state": "closed"})
    assert (await api.get(f"{SHOP}/pulls/1")).json()["state"] == "closed"


async def test_labels(api: httpx.AsyncClient) -> None:
    made = await api.post(f"{SHOP}/labels", json={"name": "needs person", "color": "#ff0000", "description": "D"})
    assert (made.status_code, valid(models.Label, made.json())["color"]) == (201, "ff0000")
    twice = await api.post(f"{SHOP}/labels", json={"name": "Needs Person"})
    assert twice.json()["errors"] == [{"resource": "Label", "field": "name", "code": "already_exists"}]
    await api.post(ISSUES, json={"title": "T"})
    added = await api.post(f"{ISSUES}/1/labels", json={"labels": ["needs person", "new"]})
    assert [n["name"] for n in valid(list[models.Label], added.json())] == ["needs person", "new"]
    gone = await api.delete(f"{ISSUES}/1/labels/needs%20person")
    assert [n["name"] for n in gone.json()] == ["new"]
    absent = await api.delete(f"{ISSUES}/1/labels/none")
    assert (absent.status_code, absent.json()["message"]) == (404, "Label does not exist")
    replaced = await api.put(f"{ISSUES}/1/labels", json=["one", "two"])
    assert [n["name"] for n in replaced.json()] == ["one", "two"]
    renamed = await api.patch(f"{SHOP}/labels/one", json={"new_name": "uno"})
    assert renamed.json()["name"] == "uno"
    assert [n["name"] for n in (await api.get(f"{ISSUES}/1/labels")).json()] == ["uno", "two"]
    assert (await api.delete(f"{SHOP}/labels/uno")).status_code == 204
    assert [n["name"] for n in (await api.get(f"{SHOP}/labels")).json()] == ["needs person", "new", "two"]


async def test_comments(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    await api.post(ISSUES, json={"title": "T"})
    made = await api.post(f"{ISSUES}/1/comments", json={"body": "One"})
    comment = valid(models.IssueComment, made.json())
    assert (made.status_code, comment["body"], comment["author_association"]) == (201, "One", "COLLABORATOR")
    path = f"{ISSUES}/comments/{comment['id']}"
    async with as_user(hub, "dan") as dan, as_user(hub, "bob") as bob:
        assert (await dan.patch(path, json={"body": "Dan"})).status_code == 403
        assert (await bob.patch(path, json={"body": "Bob"})).json()["body"] == "Bob"
        assert (await dan.post(f"{ISSUES}/1/comments", json={"body": "Mine"})).status_code == 201
    assert [c["body"] for c in (await api.get(f"{ISSUES}/1/comments")).json()] == ["Bob", "Mine"]
    assert len((await api.get(f"{ISSUES}/comments")).json()) == 2
    assert (await api.delete(path)).status_code == 204
    assert (await api.get(path)).status_code == 404
    for body in ("", "  ", None):
        assert (await api.post(f"{ISSUES}/1/comments", json={"body": body})).status_code == 422
    assert (await api.post(f"{ISSUES}/1/comments", json={"body": "x" * 65537})).status_code == 422


async def test_reactions(hub: SimulatedGitHub, api: httpx.AsyncClient) -> None:
    await api.post(ISSUES, json={"title": "T"})
    comment = await hub.comment("acme/shop", 1, "bob", "/retry")
    path = f"{ISSUES}/comments/{comment.id}/reactions"
    first, second = [await api.post(path, json={"content": "eyes"}) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    valid(models.Reaction, first.json())
    rollup = (await api.get(f"{ISSUES}/comments/{comment.id}")).json()["reactions"]
    assert (rollup["total_count"], rollup["eyes"], rollup["+1"]) == (1, 1, 0)
    assert (await api.post(path, json={"content": "sneer"})).status_code == 422
    assert (await api.delete(f"{path}/{first.json()['id']}")).status_code == 204
    assert (await api.post(f"{ISSUES}/1/reactions", json={"content": "+1"})).status_code == 201


async def test_an_app_comments_on_pull_requests_with_either_permission(
    hub: SimulatedGitHub, api: httpx.AsyncClient
) -> None:
    await pull(hub, hub.repo("acme/shop"))
    await api.post(ISSUES, json={"title": "T"})
    app, _ = hub.register_app("gate", {"pull_requests": "write", "issues": "write"}, [])
    installation = hub.install(app, "acme")
    for permission, expected in (("pull_requests", (201, 403)), ("issues", (201, 201))):
        token = hub.installation_token(installation, {permission: "write"})
        async with client(hub, token) as bot:
            answers = [await bot.post(f"{ISSUES}/{n}/comments", json={"body": "Hello"}) for n in (1, 2)]
        assert tuple(a.status_code for a in answers) == expected
        assert answers[0].json()["performed_via_github_app"]["slug"] == "gate"
        assert answers[0].headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


async def test_teams(hub: SimulatedGitHub) -> None:
    hub.organization("acme", owners=["ada"], members=["bob"])
    team = hub.team("acme", "core", ["carl"])
    team.members["paul"] = "pending"
    hub.team("acme", "young", ["nina"], parent="core")
    (await shop(hub)).teams["core"] = "maintain"
    app, _ = hub.register_app("gate", {"members": "read"}, [])
    async with client(hub, hub.installation_token(hub.install(app, "acme"))) as api:
        body = valid(models.TeamFull, (await api.get("/orgs/acme/teams/core")).json())
        assert (body["slug"], body["members_count"], body["repos_count"]) == ("core", 2, 1)
        young = valid(models.TeamFull, (await api.get("/orgs/acme/teams/young")).json())
        assert young["parent"]["slug"] == "core"
        members = valid(list[models.SimpleUser], (await api.get("/orgs/acme/teams/core/members")).json())
        assert [m["login"] for m in members] == ["carl", "nina"]
        for login, state in (("carl", "active"), ("nina", "active"), ("paul", "pending")):
            found = (await api.get(f"/orgs/acme/teams/core/memberships/{login}")).json()
            assert valid(models.TeamMembership, found)["state"] == state
        assert (await api.get("/orgs/acme/teams/core/memberships/bob")).status_code == 404
        assert (await api.get("/orgs/acme/teams/none")).status_code == 404
        repositories = valid(list[models.TeamRepository], (await api.get("/orgs/acme/teams/core/repos")).json())
        assert [(r["full_name"], r["role_name"]) for r in repositories] == [("acme/shop", "maintain")]
        owner = valid(models.OrgMembership, (await api.get("/orgs/acme/memberships/ada")).json())
        assert (owner["role"], owner["state"]) == ("admin", "active")
        listed = valid(list[models.Team], (await api.get(f"{SHOP}/teams")).json())
        assert [(t["slug"], t["permission"]) for t in listed] == [("core", "maintain")]


async def test_teams_are_hidden_without_membership_or_permission(hub: SimulatedGitHub) -> None:
    hub.organization("acme", members=["bob"])
    hub.team("acme", "core", ["carl"])
    await shop(hub)
    app, _ = hub.register_app("gate", {"issues": "read"}, [])
    token = hub.installation_token(hub.install(app, "acme"))
    for caller, status in ((client(hub, token), 403), (as_user(hub, "dan"), 404), (as_user(hub, "bob"), 200)):
        async with caller as api:
            assert (await api.get("/orgs/acme/teams/core/members")).status_code == status
