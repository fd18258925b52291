"""Apps, their installations and tokens. https://docs.github.com/rest/apps"""

from __future__ import annotations

import re
import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import serialize
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import ACCESS, actor_of, installation_for, require_app
from tests.github.build import HOUR, new_token
from tests.github.errors import ApiError, not_found
from tests.github.payloads_repositories import installed_repositories
from tests.github.rest.lookup import github_of, number_in, world_of
from tests.github.serialize_repositories import repository, viewed
from tests.github.state import Installation, Repository, Token, World
from tests.github.versions import OLDER

MOST_REPOSITORIES = 500
NOT_GRANTED = "The permissions requested are not granted to this installation."
NOT_ACCESSIBLE = "There is at least one repository that does not exist or is not accessible to the parent installation."


async def get_app(request: Request) -> Response:
    world, app = world_of(request), require_app(request)
    count = sum(i.app_id == app.id for i in world.installations.values())
    return answer(serialize.app(world, app) | {"installations_count": count})


async def get_app_by_slug(request: Request) -> Response:
    world, slug = world_of(request), request.path_params["slug"]
    found = next((a for a in world.apps.values() if a.slug == slug), None)
    if found is None:
        raise not_found()
    return answer(serialize.app(world, found))


async def list_installations(request: Request) -> Response:
    world, app = world_of(request), require_app(request)
    held = [i for i in world.installations.values() if i.app_id == app.id]
    page, link = page_of(request, held)
    return answer([serialize.installation(world, i) for i in page], headers=link)


def _own_installation(request: Request) -> Installation:
    app = require_app(request)
    found = world_of(request).installations.get(number_in(request, "installation_id"))
    if found is None or found.app_id != app.id:
        raise not_found()
    return found


async def get_installation(request: Request) -> Response:
    return answer(serialize.installation(world_of(request), _own_installation(request)))


async def repository_installation(request: Request) -> Response:
    world, app = world_of(request), require_app(request)
    repo = world.repository(request.path_params["owner"], request.path_params["repo"])
    found = installation_for(world, app.id, repo) if repo else None
    if found is None:
        raise not_found()
    return answer(serialize.installation(world, found))


async def account_installation(request: Request) -> Response:
    """Of an organisation or a user."""
    world, app, account = world_of(request), require_app(request), request.path_params["account"]
    for installation in world.installations.values():
        if (installation.app_id, installation.account) == (app.id, account):
            return answer(serialize.installation(world, installation))
    raise not_found()


async def organization_installations(request: Request) -> Response:
    """Of every App, for the organisation's owners."""
    world, account = world_of(request), request.path_params["account"]
    if world.organization_roles.get((account, actor_of(request).login)) != "admin":
        raise not_found()
    held = [one for one in world.installations.values() if one.account == account]
    page, link = page_of(request, held)
    shown = [serialize.installation(world, one) for one in page]
    return answer({"total_count": len(held), "installations": shown}, headers=link)


async def convert_manifest(request: Request) -> Response:
    """The last step of making an App from a manifest; a code works once."""
    github, code = github_of(request), request.path_params["code"]
    manifest = github.world.manifest_codes.pop(code, None)
    if manifest is None:
        raise not_found()
    name, secret = str(manifest["name"]), secrets.token_hex(20)
    hook = (manifest.get("hook_attributes") or {}).get("url")
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    permissions, events = manifest.get("default_permissions") or {}, manifest.get("default_events") or []
    app, key = github.register_app(slug, permissions, events, hook, secret)
    body = serialize.app(github.world, app) | {"name": name, "webhook_secret": secret, "pem": key}
    return answer(body | {"client_secret": app.client_secret}, 201)


async def create_token(request: Request) -> Response:
    """A token for one hour, narrowed by `permissions`, `repositories`, `repository_ids`; 422 for more than granted."""
    world, installation, body = world_of(request), _own_installation(request), await json_body(request)
    if installation.suspended:
        raise ApiError(403, "This installation has been suspended")
    permissions = narrowed_permissions(installation, body.get("permissions"))
    repositories = _narrowed_repositories(world, installation, body)
    value = new_token(world, installation, long=_wanted_form(request))
    selected = None if repositories is None else {r.id for r in repositories}
    world.tokens[value] = Token(
        value,
        "installation",
        world.apps[installation.app_id].bot_login,
        installation_id=installation.id,
        permissions=permissions,
        repository_ids=selected,
        expires_at=world.now() + HOUR,
    )
    answered: dict[str, Any] = {
        "token": value,
        "expires_at": serialize.stamp(world.tokens[value].expires_at),
        "permissions": permissions,
        "repository_selection": _selection(installation, selected),
    }
    if repositories is not None:
        answered["repositories"] = [repository(world, r) for r in repositories]
    return answer(answered, 201)


def _selection(installation: Installation, selected: set[int] | None) -> str:
    return "all" if selected is None and installation.repository_ids is None else "selected"


def _wanted_form(request: Request) -> bool | None:
    """GitHub's per-request override of the token's form."""
    wanted = request.headers.get("x-github-stateless-s2s-token")
    return None if wanted not in ("enabled", "disabled") else wanted == "enabled"


def narrowed_permissions(installation: Installation, wanted: object) -> dict[str, str]:
    """The permissions of a new token; ApiError 422 for any that the installation does not hold."""
    if wanted is None:
        return dict(installation.permissions)
    if not isinstance(wanted, dict):
        raise ApiError(422, "Invalid request.\n\nFor 'properties/permissions', value is not an object.")
    narrowed = {str(name): str(level) for name, level in wanted.items()}
    for name, level in narrowed.items():
        held = installation.permissions.get(name, "none")
        if level not in ACCESS or ACCESS.index(level) > ACCESS.index(held):
            raise ApiError(422, NOT_GRANTED)
    return {"metadata": "read", **narrowed}


def _narrowed_repositories(world: World, installation: Installation, body: dict[str, Any]) -> list[Repository] | None:
    names, numbers = body.get("repositories") or [], body.get("repository_ids") or []
    if not names and not numbers:
        return None
    if len(names) + len(numbers) > MOST_REPOSITORIES:
        raise ApiError(422, f"You can list up to {MOST_REPOSITORIES} repositories.")
    covered = installed_repositories(world, installation)
    by_name, by_id = {r.name.lower(): r for r in covered}, {r.id: r for r in covered}
    found = [by_name.get(str(n).lower()) for n in names] + [by_id.get(n) for n in numbers]
    if any(r is None for r in found):
        raise ApiError(422, NOT_ACCESSIBLE)
    return [r for r in found if r is not None]


async def revoke_token(request: Request) -> Response:
    actor = actor_of(request)
    if actor.kind != "installation":
        raise ApiError(401, "Requires authentication")
    value = request.headers["authorization"].partition(" ")[2].strip()
    world_of(request).tokens[value].revoked = True
    return no_content()


async def installation_repositories(request: Request) -> Response:
    """What this token may reach, not what its installation may."""
    actor, world = actor_of(request), world_of(request)
    if actor.kind != "installation" or actor.installation_id is None:
        raise ApiError(403, "Resource not accessible by integration")
    installation = world.installations[actor.installation_id]
    held = [r for r in installed_repositories(world, installation) if _in_token(actor.repository_ids, r)]
    page, link = page_of(request, held)
    request.state.accepted_permissions = "allows_permissionless_access=true"
    body = {
        "total_count": len(held),
        "repository_selection": _selection(installation, None if actor.repository_ids is None else set()),
        "repositories": [viewed(world, r, actor) for r in page],
    }
    return answer(body, headers=link)


def _in_token(repository_ids: frozenset[int] | None, record: Repository) -> bool:
    return repository_ids is None or record.id in repository_ids


async def delete_installation(request: Request) -> Response:
    """202 in version 2026-03-10: the rest happens in the background."""
    installation = _own_installation(request)
    github = github_of(request)
    await github.announce_installation(installation, "deleted", installation.account)
    del github.world.installations[installation.id]
    return no_content(204 if request.state.api_version == OLDER else 202)


async def suspend_installation(request: Request) -> Response:
    installation = _own_installation(request)
    installation.suspended = request.method == "PUT"
    action = "suspend" if installation.suspended else "unsuspend"
    await github_of(request).announce_installation(installation, action, installation.account)
    return no_content()


routes = [
    Route("/app", get_app),
    Route("/apps/{slug}", get_app_by_slug),
    Route("/app-manifests/{code}/conversions", convert_manifest, methods=["POST"]),
    Route("/app/installations", list_installations),
    Route("/app/installations/{installation_id}", get_installation),
    Route("/app/installations/{installation_id}", delete_installation, methods=["DELETE"]),
    Route("/app/installations/{installation_id}/access_tokens", create_token, methods=["POST"]),
    Route("/app/installations/{installation_id}/suspended", suspend_installation, methods=["PUT", "DELETE"]),
    Route("/repos/{owner}/{repo}/installation", repository_installation),
    Route("/orgs/{account}/installation", account_installation),
    Route("/orgs/{account}/installations", organization_installations),
    Route("/users/{account}/installation", account_installation),
    Route("/installation/repositories", installation_repositories),
    Route("/installation/token", revoke_token, methods=["DELETE"]),
]
