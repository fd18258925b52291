"""Merging a pull request, at once or in the background: https://docs.github.com/rest/pulls/pulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import async_merge, auto_merge, mergeability, rule_suites, rulesets
from tests.github.answers import answer, json_body
from tests.github.auth import Actor, actor_of
from tests.github.errors import ApiError, not_found
from tests.github.operations import mergeable, merges
from tests.github.rest.lookup import github_of, pull_of, repository_of
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

PREFIX = "/repos/{owner}/{repo}/pulls/{number}"
DOCUMENTATION = "https://docs.github.com/rest/pulls/pulls#merge-a-pull-request"


def attach(github: SimulatedGitHub) -> None:
    auto_merge.attach(github)


async def is_merged(request: Request) -> Response:
    repository = repository_of(request, "pull_requests")
    if pull_of(request, repository).merged_at is None:
        raise not_found()
    return Response(status_code=204)


async def merge(request: Request) -> Response:
    repository = repository_of(request, "contents", "write")
    github, pull, actor = github_of(request), pull_of(request, repository), actor_of(request)
    body = await json_body(request)
    method = body.get("merge_method") or "merge"
    if method not in merges.METHODS:
        raise ApiError(422, f"Invalid request.\n\n{method} is not a member of {list(merges.METHODS)}.")
    commit = await merge_now(github, repository, pull, actor, method, body)
    return answer({"sha": commit, "merged": True, "message": "Pull Request successfully merged"})


async def merge_now(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: Actor,
    method: str,
    options: dict[str, Any],
) -> str:
    """The landed commit. `options` are the route's sha, commit_title and commit_message; ApiError 403, 405 or 409."""
    merges.check_basics(pull, options.get("sha"))
    await _check(github, repository, pull, actor, method)
    return await _land(github, repository, pull, actor, method, options)


async def _check(github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: Actor, method: str) -> None:
    if pull.stack_id is not None:
        message = "Pull requests in a stack can only be merged with the asynchronous merge API"
        raise ApiError(405, message, documentation_url=DOCUMENTATION)
    await mergeable.refresh(github, repository, pull)
    if not pull.mergeable:
        raise ApiError(405, merges.NOT_MERGEABLE, documentation_url=DOCUMENTATION)
    await merges.check_workflows_permission(github, repository, pull, actor)
    _check_method(github, repository, pull, method)
    lines = await mergeability.refusals(github, repository, pull, method=method)
    if lines:
        raise ApiError(405, rulesets.message_of(lines), documentation_url=DOCUMENTATION)


def _check_method(github: SimulatedGitHub, repository: Repository, pull: PullRequest, method: str) -> None:
    rules = rulesets.effective_rules(github.world, repository, mergeability.target_branch(repository, pull))
    for parameters in rulesets.rules_of_type(rules, "pull_request"):
        if method not in parameters.get("allowed_merge_methods", merges.METHODS):
            name = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}[method]
            raise ApiError(405, f"{name} are not allowed on this repository.", documentation_url=DOCUMENTATION)


async def _land(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: Actor,
    method: str,
    body: dict[str, Any],
) -> str:
    tip = await mergeable.base_tip(github, repository, pull) or ""
    message = merges.Message(body.get("commit_title"), body.get("commit_message"))
    person = merges.person_of(github, actor.login)
    commit = await merges.merged_commit(github, repository, pull, tip, method, person, message)
    if commit is None:
        raise ApiError(405, merges.NOT_MERGEABLE, documentation_url=DOCUMENTATION)
    suite = await rule_suites.of_merge(github, repository, pull, commit, tip, actor.login)
    await merges.land(github, repository, [(pull, commit)], actor.login, branch=pull.base_ref, expected=tip)
    rule_suites.keep(repository, [suite])
    return commit


async def merge_async(request: Request) -> Response:
    repository, pull = _async_pull(request, "write")
    github, body = github_of(request), await json_body(request)
    status, result = async_merge.submit(github, repository, pull, actor_of(request), body)
    return answer(result, status)


async def merge_async_result(request: Request) -> Response:
    _repository, pull = _async_pull(request, "read")
    return answer(async_merge.poll(github_of(request), pull, request.path_params["uuid"]))


def _async_pull(request: Request, access: str) -> tuple[Repository, PullRequest]:
    repository = repository_of(request, "contents", "write" if access == "write" else "read")
    if not github_of(request).world.switches.async_merge:
        raise not_found()
    return repository, pull_of(request, repository)


routes = [
    Route(f"{PREFIX}/merge", is_merged, methods=["GET"]),
    Route(f"{PREFIX}/merge", merge, methods=["PUT"]),
    Route(f"{PREFIX}/merge-async", merge_async, methods=["PUT"]),
    Route(f"{PREFIX}/merge-async/{{uuid}}", merge_async_result, methods=["GET"]),
]
