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


async def root(request: Request) -> Response:
    base = api(world_of(request))
    return answer({"current_user_url": f"{base}/user", "rate_limit_url": f"{base}/rate_limit"})


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
