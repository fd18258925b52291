"""Rulesets of an organisation, which hold for its repositories by name: https://docs.github.com/rest/orgs/rules."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import node_ids
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import actor_of
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import number_in, world_of
from tests.github.rest.rulesets import RULE_TYPES
from tests.github.rule_defaults import completed
from tests.github.serialize import Json, api, stamp
from tests.github.state import Repository, Ruleset, World

# https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
OF_REPOSITORIES_ALONE = frozenset({"merge_queue"})


def _organization(request: Request) -> str:
    """Only owners may see or change them."""
    name, actor, world = request.path_params["org"], actor_of(request), world_of(request)
    if world.organization_roles.get((name, actor.login)) != "admin":
        raise not_found()
    return str(name)


async def listed(request: Request) -> Response:
    organization, world = _organization(request), world_of(request)
    page, headers = page_of(request, list(_held(world, organization).values()))
    return answer([_summary(world, organization, ruleset) for ruleset in page], headers=headers)


async def get(request: Request) -> Response:
    organization, world = _organization(request), world_of(request)
    return answer(_full(world, organization, _ruleset(request, organization)))


async def create(request: Request) -> Response:
    organization, world = _organization(request), world_of(request)
    body, now = await json_body(request), world.now()
    _validate(body)
    ruleset = Ruleset(
        id=world.new_id(),
        name=body["name"],
        target=body.get("target", "branch"),
        enforcement=body["enforcement"],
        conditions=body.get("conditions") or {},
        rules=completed(body.get("rules") or []),
        bypass_actors=body.get("bypass_actors") or [],
        created_at=now,
        updated_at=now,
    )
    _held(world, organization)[ruleset.id] = ruleset
    _inherit(world, organization)
    return answer(_full(world, organization, ruleset), 201)


async def update(request: Request) -> Response:
    organization, world = _organization(request), world_of(request)
    ruleset, body = _ruleset(request, organization), await json_body(request)
    _validate({"name": ruleset.name, **body})
    for key in ("name", "target", "enforcement", "conditions", "bypass_actors"):
        if key in body:
            setattr(ruleset, key, body[key])
    if "rules" in body:
        ruleset.rules = completed(body["rules"])
    ruleset.updated_at = world.now()
    _inherit(world, organization)
    return answer(_full(world, organization, ruleset))


def _held(world: World, organization: str) -> dict[int, Ruleset]:
    return world.organization_rulesets.setdefault(organization, {})


def _ruleset(request: Request, organization: str) -> Ruleset:
    found = _held(world_of(request), organization).get(number_in(request, "ruleset_id"))
    if found is None:
        raise not_found()
    return found


def _inherit(world: World, organization: str) -> None:
    for repository in world.repositories.values():
        if repository.owner == organization:
            held = _held(world, organization)
            repository.inherited_rulesets = {number: one for number, one in held.items() if _holds(one, repository)}


def _holds(ruleset: Ruleset, repository: Repository) -> bool:
    condition = ruleset.conditions.get("repository_name") or {}
    return any(name == "~ALL" or fnmatchcase(repository.name, name) for name in condition.get("include") or [])


def _validate(body: dict[str, Any]) -> None:
    kinds = {rule.get("type") for rule in body.get("rules") or []}
    if not body.get("name"):
        raise ApiError(422, 'Invalid request.\n\n"name" wasn\'t supplied.')
    if wrong := sorted(kinds - RULE_TYPES | kinds & OF_REPOSITORIES_ALONE):
        raise ApiError(422, "Validation Failed", [f"Invalid rule '{kind}': " for kind in wrong])


def _summary(world: World, organization: str, ruleset: Ruleset) -> Json:
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "target": ruleset.target,
        "source_type": "Organization",
        "source": organization,
        "enforcement": ruleset.enforcement,
        "node_id": node_ids.encode("RepositoryRuleset", ruleset.id),
        "_links": {"self": {"href": f"{api(world)}/orgs/{organization}/rulesets/{ruleset.id}"}},
        "created_at": stamp(ruleset.created_at),
        "updated_at": stamp(ruleset.updated_at),
    }


def _full(world: World, organization: str, ruleset: Ruleset) -> Json:
    whole = {"conditions": ruleset.conditions, "rules": ruleset.rules, "bypass_actors": ruleset.bypass_actors}
    return _summary(world, organization, ruleset) | whole


routes = [
    Route("/orgs/{org}/rulesets", listed, methods=["GET"]),
    Route("/orgs/{org}/rulesets", create, methods=["POST"]),
    Route("/orgs/{org}/rulesets/{ruleset_id}", get, methods=["GET"]),
    Route("/orgs/{org}/rulesets/{ruleset_id}", update, methods=["PUT"]),
]
