"""Organisations and teams; an App needs `members: read`. https://docs.github.com/rest/teams"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.access import at_least, team_members
from tests.github.answers import answer, no_content, page_of
from tests.github.auth import ACCESS, actor_of
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import repository_of, world_of
from tests.github.serialize import api, organization, organization_simple, simple_user, team, team_full
from tests.github.serialize_repositories import ROLES, repository
from tests.github.state import Team, World


def _organization(request: Request) -> str:
    name: str = request.path_params["org"]
    account = world_of(request).accounts.get(name)
    if account is None or account.type != "Organization":
        raise not_found()
    return name


def _require_members(request: Request, org: str) -> None:
    """Members see their organisation's teams; an installation on it needs members: read. Strangers see nothing."""
    actor, world = actor_of(request), world_of(request)
    request.state.accepted_permissions = "members=read"
    if actor.kind == "user" and world.memberships.get((org, actor.login)) == "active":
        return
    if actor.kind == "installation" and actor.account == org:
        if ACCESS.index(actor.permissions.get("members", "none")) >= ACCESS.index("read"):
            return
        raise ApiError(403, "Resource not accessible by integration")
    raise not_found()


def _team(request: Request) -> Team:
    org = _organization(request)
    _require_members(request, org)
    found = world_of(request).teams.get((org, request.path_params["slug"]))
    if found is None:
        raise not_found()
    return found


async def get_organization(request: Request) -> Response:
    return answer(organization(world_of(request), _organization(request)))


async def list_teams(request: Request) -> Response:
    org, world = _organization(request), world_of(request)
    _require_members(request, org)
    page, link = page_of(request, [t for t in world.teams.values() if t.organization == org])
    return answer([team(world, t) for t in page], headers=link)


async def get_team(request: Request) -> Response:
    return answer(team_full(world_of(request), _team(request)))


async def list_members(request: Request) -> Response:
    """Active members only, those of child teams too."""
    found, world = _team(request), world_of(request)
    page, link = page_of(request, sorted(team_members(world, found)))
    return answer([simple_user(world, login) for login in page], headers=link)


async def get_membership(request: Request) -> Response:
    found, world, login = _team(request), world_of(request), request.path_params["username"]
    state = _membership(world, found, login)
    if state is None:
        raise not_found()
    owner = world.accounts[found.organization]
    url = f"{api(world)}/organizations/{owner.id}/team/{found.id}/memberships/{login}"
    return answer({"url": url, "role": "member", "state": state})


def _membership(world: World, record: Team, login: str) -> str | None:
    if login in team_members(world, record):
        return "active"
    return record.members.get(login)


async def list_team_repositories(request: Request) -> Response:
    found, world = _team(request), world_of(request)
    held = [r for r in world.repositories.values() if r.owner == found.organization and found.slug in r.teams]
    page, link = page_of(request, held)
    body = []
    for repo in page:
        level = repo.teams[found.slug]
        permissions = {name: at_least(level, role) for name, role in ROLES}
        body.append(repository(world, repo) | {"permissions": permissions, "role_name": level})
    return answer(body, headers=link)


async def list_organization_members(request: Request) -> Response:
    org, world = _organization(request), world_of(request)
    _require_members(request, org)
    members = [login for (o, login), state in world.memberships.items() if o == org and state == "active"]
    page, link = page_of(request, members)
    return answer([simple_user(world, login) for login in page], headers=link)


async def is_organization_member(request: Request) -> Response:
    org, world = _organization(request), world_of(request)
    _require_members(request, org)
    if world.memberships.get((org, request.path_params["username"])) != "active":
        raise not_found()
    return no_content()


async def get_organization_membership(request: Request) -> Response:
    org, world, login = _organization(request), world_of(request), request.path_params["username"]
    _require_members(request, org)
    state = world.memberships.get((org, login))
    if state is None:
        raise not_found()
    body = {
        "url": f"{api(world)}/orgs/{org}/memberships/{login}",
        "state": state,
        "role": world.organization_roles.get((org, login), "member"),
        "direct_membership": True,
        "organization_url": f"{api(world)}/orgs/{org}",
        "organization": organization_simple(world, org),
        "user": simple_user(world, login),
    }
    return answer(body)


async def list_repository_teams(request: Request) -> Response:
    """The teams that may do something in a repository, with their permission."""
    repo, world = repository_of(request), world_of(request)
    words = {role: name for name, role in ROLES}
    held = [(world.teams.get((repo.owner, slug)), level) for slug, level in repo.teams.items()]
    page, link = page_of(request, [(t, level) for t, level in held if t is not None])
    return answer([team(world, t, words[level]) for t, level in page], headers=link)


routes = [
    Route("/orgs/{org}", get_organization),
    Route("/orgs/{org}/teams", list_teams),
    Route("/orgs/{org}/teams/{slug}", get_team),
    Route("/orgs/{org}/teams/{slug}/members", list_members),
    Route("/orgs/{org}/teams/{slug}/memberships/{username}", get_membership),
    Route("/orgs/{org}/teams/{slug}/repos", list_team_repositories),
    Route("/orgs/{org}/members", list_organization_members),
    Route("/orgs/{org}/members/{username}", is_organization_member),
    Route("/orgs/{org}/memberships/{username}", get_organization_membership),
    Route("/repos/{owner}/{repo}/teams", list_repository_teams),
]
