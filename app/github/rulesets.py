"""Rulesets of a repository or an organisation, with a person's token: an App that writes them could unmake its gate.

https://docs.github.com/en/rest/repos/rules
"""

from __future__ import annotations

import asyncio
from typing import Any

from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.reads import REPO

Json = dict[str, Any]


def of_repository(owner: str, name: str) -> str:
    """The path below which a repository's rulesets are."""
    return route(REPO + "/rulesets", owner=owner, name=name)


def of_organization(organization: str) -> str:
    """The path below which an organisation's rulesets are: https://docs.github.com/en/rest/orgs/rules"""
    return route("/orgs/{org}/rulesets", org=organization)


async def named(client: GitHubClient, at: str, ruleset: str) -> Json | None:
    """The ruleset of a name, whole, at a path of `of_repository` or `of_organization`; None where there is none."""
    pages, _ = await client.pages(at, purpose="read:rulesets", model=list[Json], most=10)
    found = [one for page in pages for one in page if one.get("name") == ruleset]
    wanted = "Organization" if at.startswith("/orgs/") else "Repository"
    own = next((one for one in found if one.get("source_type") == wanted), None)
    return None if own is None else await client.get(f"{at}/{int(own['id'])}", purpose="read:rulesets", model=Json)


MOST_WHOLE = 12
"""So many rulesets of a repository are read whole; few have more than three."""


async def every(client: GitHubClient, owner: str, name: str) -> list[Json]:
    """All rulesets that hold for the repository, its owner's among them: whole, those beyond `MOST_WHOLE` as listed."""
    path = of_repository(owner, name)
    parents = {"includes_parents": "true"}
    pages, _ = await client.pages(path, purpose="read:rulesets", model=list[Json], most=10, params=parents)
    found = [one for page in pages for one in page if one.get("enforcement") == "active"]
    whole = [one(client, owner, name, int(each["id"])) for each in found[:MOST_WHOLE]]
    return [*await asyncio.gather(*whole), *found[MOST_WHOLE:]]


async def one(client: GitHubClient, owner: str, name: str, ruleset_id: int) -> Json:
    path = f"{of_repository(owner, name)}/{ruleset_id}"
    return await client.get(path, purpose="read:rulesets", model=Json)


async def write(client: GitHubClient, at: str, ruleset: Json, replaces: int | None) -> Json:
    """Create it at such a path, or bring the one with this id to it. Raises Refused with GitHub's words."""
    if replaces is None:
        return await client.post(at, purpose="rulesets", model=Json, json=ruleset)
    return await client.put(f"{at}/{replaces}", purpose="rulesets", model=Json, json=ruleset)


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
