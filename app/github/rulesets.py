"""Rulesets of a repository, with a person's token: an App that could write them could unmake its own gate.

https://docs.github.com/en/rest/repos/rules
"""

from __future__ import annotations

from typing import Any

from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.reads import REPO

Json = dict[str, Any]


async def named(client: GitHubClient, owner: str, name: str, ruleset: str) -> Json | None:
    """The repository's own ruleset of a name, whole; None where there is none."""
    path = route(REPO + "/rulesets", owner=owner, name=name)
    pages, _ = await client.pages(path, purpose="read:rulesets", model=list[Json], most=10)
    found = [one for page in pages for one in page if one.get("name") == ruleset]
    own = next((one for one in found if one.get("source_type") == "Repository"), None)
    return None if own is None else await one(client, owner, name, int(own["id"]))


async def every(client: GitHubClient, owner: str, name: str) -> list[Json]:
    """All rulesets that hold for the repository, its owner's among them, whole."""
    path = route(REPO + "/rulesets", owner=owner, name=name)
    parents = {"includes_parents": "true"}
    pages, _ = await client.pages(path, purpose="read:rulesets", model=list[Json], most=10, params=parents)
    found = [one for page in pages for one in page if one.get("enforcement") == "active"]
    return [await one(client, owner, name, int(each["id"])) for each in found]


async def one(client: GitHubClient, owner: str, name: str, ruleset_id: int) -> Json:
    path = route(REPO + "/rulesets/{id}", owner=owner, name=name, id=ruleset_id)
    return await client.get(path, purpose="read:rulesets", model=Json)


async def write(client: GitHubClient, owner: str, name: str, ruleset: Json, replaces: int | None) -> Json:
    """Create it, or bring the one with this id to it. Raises Refused with GitHub's words."""
    if replaces is None:
        path = route(REPO + "/rulesets", owner=owner, name=name)
        return await client.post(path, purpose="rulesets", model=Json, json=ruleset)
    path = route(REPO + "/rulesets/{id}", owner=owner, name=name, id=replaces)
    return await client.put(path, purpose="rulesets", model=Json, json=ruleset)


async def in_force(client: GitHubClient, owner: str, name: str, branch: str) -> list[Json]:
    """The rules in force on a branch, from wherever they come."""
    path = route(REPO + "/rules/branches/{ref}", owner=owner, name=name, ref=branch)
    pages, _ = await client.pages(path, purpose="read:rules", model=list[Json], most=10)
    return [rule for page in pages for rule in page]


async def team(client: GitHubClient, organization: str, slug: str) -> int:
    """A team's id, by which rulesets name it. Raises NotFound."""
    path = route("/orgs/{org}/teams/{slug}", org=organization, slug=slug)
    found = await client.get(path, purpose="read:teams", model=Json)
    return int(found["id"])
