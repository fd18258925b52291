"""Where secrets are kept, by name alone: https://docs.github.com/rest/actions/secrets, /rest/deployments/environments,
/rest/dependabot/secrets. A person needs write access for names, and administration for how long logs are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import node_ids
from tests.github.answers import answer, page_of
from tests.github.errors import not_found
from tests.github.rest.lookup import repository_of, world_of
from tests.github.serialize import stamp
from tests.github.serialize_repositories import repository_url
from tests.github.state import Deployable, Repository, World

PREFIX = "/repos/{owner}/{repo}"
LONGEST_KEPT = {False: 90, True: 400}  # days, of public and of private repositories


async def of_repository(request: Request) -> Response:
    return _names(request, repository_of(request, "secrets", user="write").secrets)


async def of_organization(request: Request) -> Response:
    return _names(request, repository_of(request, "secrets", user="write").organization_secrets)


async def of_dependabot(request: Request) -> Response:
    return _names(request, repository_of(request, "dependabot_secrets", user="write").dependabot_secrets)


async def of_environment(request: Request) -> Response:
    repository = repository_of(request, "environments", user="write")
    return _names(request, _environment(request, repository).secrets)


def _names(request: Request, names: Sequence[str]) -> Response:
    made = stamp(world_of(request).now())
    page, link = page_of(request, [{"name": name, "created_at": made, "updated_at": made} for name in names])
    return answer({"total_count": len(names), "secrets": page}, headers=link)


async def environments(request: Request) -> Response:
    repository, world = repository_of(request, "actions"), world_of(request)
    page, link = page_of(request, list(repository.environments.values()))
    shown = [_shown(world, repository, one) for one in page]
    return answer({"total_count": len(repository.environments), "environments": shown}, headers=link)


async def branch_policies(request: Request) -> Response:
    one = _environment(request, repository_of(request, "actions"))
    made = [{"id": number, "name": name, "type": "branch"} for number, name in enumerate(one.branches or (), 1)]
    page, link = page_of(request, made)
    return answer({"total_count": len(made), "branch_policies": page}, headers=link)


def _environment(request: Request, repository: Repository) -> Deployable:
    found = repository.environments.get(request.path_params["environment"])
    if found is None:
        raise not_found()
    return found


def _shown(world: World, repository: Repository, one: Deployable) -> dict[str, Any]:
    made = stamp(repository.created_at)
    rules: list[dict[str, Any]] = []
    if one.reviewed:
        node = node_ids.encode("EnvironmentRule", one.id)
        rules = [{"id": one.id, "node_id": node, "type": "required_reviewers", "reviewers": []}]
    if one.branches is not None or one.protected_only:
        rules.append(
            {"id": one.id + 1, "node_id": node_ids.encode("EnvironmentRule", one.id + 1), "type": "branch_policy"}
        )
    return {
        "id": one.id,
        "node_id": node_ids.encode("Environment", one.id),
        "name": one.name,
        "url": f"{repository_url(world, repository)}/environments/{one.name}",
        "html_url": f"{world.base_url}/{repository.full_name}/settings/environments/{one.id}/edit",
        "created_at": made,
        "updated_at": made,
        "can_admins_bypass": True,
        "protection_rules": rules,
        "deployment_branch_policy": _policy(one),
    }


def _policy(one: Deployable) -> dict[str, bool] | None:
    if one.branches is None and not one.protected_only:
        return None
    return {"protected_branches": one.protected_only, "custom_branch_policies": not one.protected_only}


async def retention(request: Request) -> Response:
    repository = repository_of(request, "administration")
    days = world_of(request).switches.retention_days
    return answer({"days": days, "maximum_allowed_days": LONGEST_KEPT[repository.private]})


routes = [
    Route(f"{PREFIX}/actions/secrets", of_repository),
    Route(f"{PREFIX}/actions/organization-secrets", of_organization),
    Route(f"{PREFIX}/dependabot/secrets", of_dependabot),
    Route(f"{PREFIX}/environments", environments),
    Route(f"{PREFIX}/environments/{{environment:path}}/deployment-branch-policies", branch_policies),
    Route(f"{PREFIX}/environments/{{environment:path}}/secrets", of_environment),
    Route(f"{PREFIX}/actions/permissions/artifact-and-log-retention", retention),
]
