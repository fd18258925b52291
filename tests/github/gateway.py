"""The front door: every request passes here for faults, credentials, limits, validators, headers and the log."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.github.answers import JsonResponse, answer, entity_tag, is_known, refuse, strong_tag
from tests.github.auth import ANONYMOUS, Actor, authenticate
from tests.github.errors import ApiError, not_found
from tests.github.faults import ConnectionCut, Fault, FaultKind, NothingCame
from tests.github.rate_limits import PrimaryLimitReached, Resource
from tests.github.versions import NEWER, OLDER, VERSIONS

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

Endpoint = Callable[[Request], Awaitable[Response]]
GIT_PATH = re.compile(r"^/([^/]+)/([^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)$")
BY_ID = re.compile(r"^(/api/v3)?/repositories/(\d+)(/.*)?$")
OPERATION = re.compile(r"^\s*(?:#[^\n]*\n\s*)*(?:query|mutation)\s+(\w+)")
FREE = ("/rate_limit", "/_downloads/{key}")  # logs and artifacts come from a storage service without limits
PUBLIC_VARY = "Accept, Accept-Encoding, Accept, X-Requested-With"
PRIVATE_VARY = "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With"


@dataclass(frozen=True)
class RequestRecord:
    """One request as the log keeps it. `template` is the route's path; `operation` the GraphQL operation's name."""

    method: str
    path: str
    query: str
    template: str
    status: int
    actor: str
    app_id: int | None
    installation_id: int | None
    operation: str | None
    at: datetime

    @property
    def unchanged(self) -> bool:
        """Answered 304, which GitHub does not count."""
        return self.status == 304

    def __str__(self) -> str:
        what = self.operation or self.path + (f"?{self.query}" if self.query else "")
        return f"{self.status} {self.method} {what} by {self.actor or 'nobody'}"


class Gateway:
    """ASGI application: git smart HTTP by its paths, the rest by the router; `/repositories/{id}` is an alias."""

    def __init__(self, github: SimulatedGitHub, router: ASGIApp, git: ASGIApp) -> None:
        self.github = github
        self.router = router
        self.git = git

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.router(scope, receive, send)
        elif GIT_PATH.match(scope["path"]):
            await self.git(scope, receive, send)
        else:
            await self.router(self._by_name(scope), receive, send)

    def _by_name(self, scope: Scope) -> Scope:
        match = BY_ID.match(scope["path"])
        repository = self.github.world.repositories.get(int(match[2])) if match else None
        if match is None or repository is None:
            return scope
        path = f"{match[1] or ''}/repos/{repository.full_name}{match[3] or ''}"
        return {**scope, "path": path, "raw_path": path.encode()}


UNDONE: frozenset[FaultKind] = frozenset({"fail", "cut", "silent", "errors"})  # refused before anything was done


class Answering:
    """An endpoint with everything around it that GitHub does to every request."""

    def __init__(self, github: SimulatedGitHub, template: str, endpoint: Endpoint) -> None:
        self.github = github
        self.template = re.sub(r":\w+}", "}", template)
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await request.body()
        except ClientDisconnect:
            return  # whoever was killed in the middle of asking has asked nothing
        request.state.actor = ANONYMOUS
        request.state.accepted_permissions = None
        request.state.operation = await _operation(request, self.template)
        fault = self.github.faults.take(request.method, _plain_path(request), request.state.operation)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        response = await self._respond(request, fault)
        if fault is not None and fault.kind in ("cut", "cut_after"):
            await _cut(response, send)
        if fault is not None and fault.kind in ("silent", "silent_after"):
            raise NothingCame("no answer came in time")
        await response(scope, receive, send)

    async def _respond(self, request: Request, fault: Fault | None) -> Response:
        if fault is not None and fault.kind in UNDONE:
            response = _told(fault, _failure(fault))
        elif (
            fault is not None
            and fault.kind == "lag"
            and (old := self.github.last_answers.get(await _question(request)))
        ):
            response = Response(old.body, old.status_code, dict(old.headers))
        else:
            response = await self._answer(request)
            if response.status_code == 200:
                self.github.last_answers[await _question(request)] = response
        self._record(request, response.status_code)
        return response if fault is None else _told(fault, response)

    async def _answer(self, request: Request) -> Response:
        response = await self._guarded(request)
        for observe in self.github.response_observers:
            observe(request, self.template, response)
        actor: Actor = request.state.actor
        resource = _resource(self.template)
        response = self._validated(request, _described(response), actor)
        if response.status_code not in (304, 401) and self.template not in FREE and actor.is_counted:
            self.github.rate_limits.spend(actor.budget, resource)
        for name, value in self._headers(request, actor, resource).items():
            response.headers.setdefault(name, value)
        return response

    async def _guarded(self, request: Request) -> Response:
        try:
            request.state.api_version = _api_version(request)
            request.state.actor = authenticate(self.github.world, request.headers.get("authorization"))
            if self.template not in FREE:
                self.github.rate_limits.check(request.state.actor.budget, _resource(self.template))
            response = await self.endpoint(request)
            newer = request.state.api_version == NEWER and self.template != "/graphql"
            return response.trimmed() if newer and isinstance(response, JsonResponse) else response
        except PrimaryLimitReached as error:
            return refuse(error) if self.template != "/graphql" else _graphql_limit(error)
        except ApiError as error:
            return refuse(error)
        except Exception as error:  # noqa: BLE001 - a bug here must be an answer 500 and a failed test, not a hang
            self.github.crashes.append(error)
            return refuse(ApiError(500, f"Server Error: {error!r}"))

    def _validated(self, request: Request, response: Response, actor: Actor) -> Response:
        if request.method not in ("GET", "HEAD") or response.status_code != 200:
            return response
        credential = request.headers.get("authorization", "") if self.github.world.switches.etag_per_token else ""
        tag = entity_tag(bytes(response.body), actor.budget, credential, request.headers.get("accept", ""))
        if not is_known(request.headers.get("if-none-match"), tag):
            response.headers["etag"] = tag
            return response
        kept = {name: value for name, value in response.headers.items() if name == "link"}
        return Response(status_code=304, headers=kept | {"etag": tag})

    def _headers(self, request: Request, actor: Actor, resource: Resource) -> dict[str, str]:
        headers = {
            "server": "github.com",
            "date": self.github.world.now().strftime("%a, %d %b %Y %H:%M:%S GMT"),
            "cache-control": f"{'public' if actor.is_public else 'private'}, max-age=60, s-maxage=60",
            "vary": PUBLIC_VARY if actor.is_public else PRIVATE_VARY,
            "x-github-media-type": f"github.v3; format={_format(request)}",
            "x-github-request-id": ":".join(secrets.token_hex(2).upper() for _ in range(5)),
            "x-content-type-options": "nosniff",
        }
        if version := getattr(request.state, "api_version", None):
            headers["x-github-api-version-selected"] = version
        if request.state.accepted_permissions and actor.is_bot:
            headers["x-accepted-github-permissions"] = request.state.accepted_permissions
        limits = self.github.rate_limits.headers(actor.budget, resource) if actor.is_counted else {}
        return headers | limits

    def _record(self, request: Request, status: int) -> None:
        actor: Actor = request.state.actor
        self.github.requests.append(
            RequestRecord(
                method=request.method,
                path=_plain_path(request),
                query=request.url.query,
                template=self.template,
                status=status,
                actor=actor.login,
                app_id=actor.app_id,
                installation_id=actor.installation_id,
                operation=request.state.operation,
                at=self.github.world.now(),
            )
        )


async def unknown_route(request: Request) -> Response:
    """GitHub answers 404 for every path and method that it does not know."""
    raise not_found()


def _plain_path(request: Request) -> str:
    return request.url.path.removeprefix("/api/v3")


def _resource(template: str) -> Resource:
    return "graphql" if template == "/graphql" else "core"


def _api_version(request: Request) -> str:
    version = request.headers.get("x-github-api-version", OLDER)
    if version not in VERSIONS:
        message = f"{version!r} is not a valid API version. Supported versions: {', '.join(VERSIONS)}."
        raise ApiError(400, message)
    return version


def _format(request: Request) -> str:
    accept = request.headers.get("accept", "")
    return next((f for f in ("raw", "diff", "patch") if f".{f}" in accept or f"v3.{f}" in accept), "json")


async def _operation(request: Request, template: str) -> str | None:
    """The name of a GraphQL operation: as given, else as written in the document."""
    if template != "/graphql":
        return None
    try:
        body = json.loads(await request.body())
        named = body.get("operationName") or OPERATION.match(body.get("query") or "")
    except (ValueError, AttributeError, TypeError):
        return None
    return named if isinstance(named, str) or named is None else str(named[1])


def _graphql_limit(error: PrimaryLimitReached) -> Response:
    """https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api: the status is 200."""
    return answer({"errors": [{"type": "RATE_LIMITED", "message": error.message}]}, headers=error.headers)


async def _question(request: Request) -> str:
    """What must be equal for an old answer to be given again: caller, address and, for GraphQL, the document."""
    credential, body = request.headers.get("authorization", ""), (await request.body()).decode(errors="replace")
    return f"{request.method} {request.url} {credential} {body}"


def _described(response: Response) -> Response:
    """What was created has a strong validator and, when it has an address, a Location."""
    if response.status_code == 201 and isinstance(response, JsonResponse):
        response.headers["etag"] = strong_tag(bytes(response.body))
        if isinstance(response.data, dict) and "url" in response.data:
            response.headers["location"] = response.data["url"]
    return response


def _told(fault: Fault, response: Response) -> Response:
    """What the caller is told instead of the answer."""
    match fault.kind:
        case "fail_after":
            return _failure(fault)
        case "errors" | "errors_after":
            return answer({"data": None, "errors": [{"type": "INTERNAL", "message": "Something went wrong."}]})
        case "half":
            body = bytes(response.body)
            return Response(body[: len(body) // 2], response.status_code, media_type="application/json")
        case _:
            return response


def _failure(fault: Fault) -> Response:
    response = refuse(ApiError(fault.status, fault.message))
    response.headers.update(fault.headers)
    return response


async def _cut(response: Response, send: Send) -> None:
    """Sends half of the answer, then ends the connection."""
    body = bytes(response.body)
    headers = [(b"content-length", str(len(body) + 1).encode()), (b"content-type", b"application/json; charset=utf-8")]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
    raise ConnectionCut("the connection was closed within the answer")
