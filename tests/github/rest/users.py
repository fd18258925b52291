"""People: GET /user, /users/{username}, a repository's collaborators and their permission."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.access import LEVELS, at_least, permission_of
from tests.github.answers import answer, no_content, page_of
from tests.github.auth import require_user
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import repository_of, world_of
from tests.github.serialize import private_user, public_user, simple_user
from tests.github.serialize_repositories import ROLES
from tests.github.state import Permission, Repository, World

# `permission` knows four words only; `role_name` has them all.
COARSE = {"none": "none", "read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}


async def get_user(request: Request) -> Response:
    world = world_of(request)
    return answer(private_user(world, world.accounts[require_user(request)]))


async def get_named_user(request: Request) -> Response:
    world, login = world_of(request), request.path_params["username"]
    found = next((a for a in world.accounts.values() if a.login.lower() == login.lower()), None)
    if found is None:
        raise not_found()
    return answer(public_user(world, found))


async def get_user_by_id(request: Request) -> Response:
    world, wanted = world_of(request), request.path_params["account_id"]
    found = next((a for a in world.accounts.values() if str(a.id) == wanted), None)
    if found is None:
        raise not_found()
    return answer(public_user(world, found))


def collaborator(world: World, repository: Repository, login: str) -> dict[str, Any]:
    level = permission_of(world, repository, login)
    held = {name: at_least(level, role) for name, role in ROLES}
    return simple_user(world, login) | {"permissions": held, "role_name": level}


async def get_permission(request: Request) -> Response:
    """404 for bots and unknown people, as GitHub answers; `none` for strangers to a private repository."""
    repository, world = repository_of(request), world_of(request)
    account = world.accounts.get(request.path_params["username"])
    if account is None or account.type != "User":
        raise ApiError(404, f"{request.path_params['username']} is not a user")
    level = permission_of(world, repository, account.login)
    body = {"permission": COARSE[level], "role_name": level, "user": collaborator(world, repository, account.login)}
    return answer(body)


async def list_collaborators(request: Request) -> Response:
    repository, world = repository_of(request), world_of(request)
    people = [
        a.login for a in world.accounts.values() if a.type == "User" and _is_collaborator(world, repository, a.login)
    ]
    wanted = request.query_params.get("permission")
    if wanted is not None:
        level = dict(ROLES).get(wanted, "admin")
        people = [p for p in people if at_least(permission_of(world, repository, p), level)]
    page, link = page_of(request, people)
    return answer([collaborator(world, repository, login) for login in page], headers=link)


def _is_collaborator(world: World, repository: Repository, login: str) -> bool:
    """Beyond what everybody may do with a public repository."""
    anybody: Permission = "none" if repository.private else "read"
    level = permission_of(world, repository, login)
    return login in repository.collaborators or LEVELS.index(level) > LEVELS.index(anybody)


async def is_collaborator(request: Request) -> Response:
    repository, world = repository_of(request), world_of(request)
    if not _is_collaborator(world, repository, request.path_params["username"]):
        raise not_found()
    return no_content()


routes = [
    Route("/user", get_user),
    Route("/user/{account_id}", get_user_by_id),
    Route("/users/{username}", get_named_user),
    Route("/repos/{owner}/{repo}/collaborators", list_collaborators),
    Route("/repos/{owner}/{repo}/collaborators/{username}", is_collaborator),
    Route("/repos/{owner}/{repo}/collaborators/{username}/permission", get_permission),
]
