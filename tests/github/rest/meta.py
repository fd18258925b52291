"""GET /meta, /rate_limit, and the root."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer
from tests.github.auth import actor_of
from tests.github.rate_limits import Resource
from tests.github.rest.lookup import github_of, world_of
from tests.github.serialize import api

RESOURCES: tuple[Resource, ...] = ("core", "graphql", "search")

ROOT = {
    "current_user_url": "/user",
    "current_user_authorizations_html_url": "/settings/connections/applications{/client_id}",
    "code_search_url": "/search/code?q={query}{&page,per_page,sort,order}",
    "commit_search_url": "/search/commits?q={query}{&page,per_page,sort,order}",
    "emails_url": "/user/emails",
    "emojis_url": "/emojis",
    "events_url": "/events",
    "feeds_url": "/feeds",
    "followers_url": "/user/followers",
    "following_url": "/user/following{/target}",
    "gists_url": "/gists{/gist_id}",
    "issue_search_url": "/search/issues?q={query}{&page,per_page,sort,order}",
    "issues_url": "/issues",
    "keys_url": "/user/keys",
    "label_search_url": "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    "notifications_url": "/notifications",
    "organization_url": "/orgs/{org}",
    "organization_repositories_url": "/orgs/{org}/repos{?type,page,per_page,sort}",
    "organization_teams_url": "/orgs/{org}/teams",
    "public_gists_url": "/gists/public",
    "rate_limit_url": "/rate_limit",
    "repository_url": "/repos/{owner}/{repo}",
    "repository_search_url": "/search/repositories?q={query}{&page,per_page,sort,order}",
    "current_user_repositories_url": "/user/repos{?type,page,per_page,sort}",
    "starred_url": "/user/starred{/owner}{/repo}",
    "starred_gists_url": "/gists/starred",
    "user_url": "/users/{user}",
    "user_organizations_url": "/user/orgs",
    "user_repositories_url": "/users/{user}/repos{?type,page,per_page,sort}",
    "user_search_url": "/search/users?q={query}{&page,per_page,sort,order}",
}


async def root(request: Request) -> Response:
    base = api(world_of(request))
    return answer({name: base + path for name, path in ROOT.items()})


async def meta(request: Request) -> Response:
    loopback = ["127.0.0.1/32"]
    return answer({"verifiable_password_authentication": False, "hooks": loopback, "api": loopback, "git": loopback})


async def rate_limit(request: Request) -> Response:
    """Does not count itself."""
    limits, caller = github_of(request).rate_limits, actor_of(request).budget
    resources = {}
    for name in RESOURCES:
        headers = limits.headers(caller, name)
        keys = ("limit", "used", "remaining", "reset")
        resources[name] = {key: int(headers[f"x-ratelimit-{key}"]) for key in keys} | {"resource": name}
    return answer({"resources": resources, "rate": resources["core"]})


routes = [
    Route("/", root),
    Route("/meta", meta),
    Route("/rate_limit", rate_limit),
]
