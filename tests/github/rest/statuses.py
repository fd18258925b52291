"""Commit statuses: https://docs.github.com/rest/commits/statuses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import checks
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import actor_of
from tests.github.errors import ApiError, invalid, not_found
from tests.github.events import StatusCreated
from tests.github.rest.lookup import github_of, repository_of
from tests.github.serialize_checks import combined_status, status
from tests.github.state import CommitStatus, Repository

STATES = ("error", "failure", "pending", "success")
DESCRIPTION_CHARACTERS = 140
STATUSES_A_CONTEXT = 1000
PREFIX = "/repos/{owner}/{repo}"


async def create(request: Request) -> Response:
    repository = repository_of(request, "statuses", "write")
    github, sha = github_of(request), request.path_params["sha"]
    if await github.git(repository).rev_parse(sha, "commit") is None:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    body = await json_body(request)
    context, description = str(body.get("context") or "default"), body.get("description")
    if body.get("state") not in STATES:
        raise invalid("Status", "state", "custom", "state is not included in the list")
    if description is not None and len(str(description)) > DESCRIPTION_CHARACTERS:
        raise invalid("Status", "description", "custom", "description is too long (maximum is 140 characters)")
    if sum(s.sha == sha and s.context == context for s in repository.statuses) >= STATUSES_A_CONTEXT:
        raise ApiError(422, "This SHA and context has reached the maximum number of statuses.")
    record = CommitStatus(
        github.world.new_id(),
        sha,
        context,
        body["state"],
        description,
        body.get("target_url"),
        actor_of(request).login,
        github.world.now(),
    )
    repository.statuses.append(record)
    await github.publish(StatusCreated(repository, record))
    return answer(status(github.world, repository, record), 201)


async def combined(request: Request) -> Response:
    repository = repository_of(request, "statuses")
    sha = await _sha(request, repository)
    page, headers = page_of(request, checks.newest_statuses(repository, sha))
    return answer(combined_status(github_of(request).world, repository, sha, page), headers=headers)


async def listed(request: Request) -> Response:
    repository = repository_of(request, "statuses")
    sha = await _sha(request, repository)
    found = [record for record in reversed(repository.statuses) if record.sha == sha]
    page, headers = page_of(request, found)
    return answer([status(github_of(request).world, repository, record) for record in page], headers=headers)


async def _sha(request: Request, repository: Repository) -> str:
    sha = await github_of(request).git(repository).commit_id(request.path_params["ref"])
    if sha is None:
        raise not_found()
    return sha


routes = [
    Route(f"{PREFIX}/statuses/{{sha}}", create, methods=["POST"]),
    Route(f"{PREFIX}/commits/{{ref:path}}/status", combined, methods=["GET"]),
    Route(f"{PREFIX}/commits/{{ref:path}}/statuses", listed, methods=["GET"]),
]
