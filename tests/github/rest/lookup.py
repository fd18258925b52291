"""What a path names: the repository, pull request or issue, or GitHub's 404."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from tests.github.auth import Access, require, require_any
from tests.github.errors import ApiError, not_found, unprocessable
from tests.github.state import Comment, Issue, Permission, PullRequest, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def github_of(request: Request) -> SimulatedGitHub:
    return cast("SimulatedGitHub", request.app.state.github)


def world_of(request: Request) -> World:
    return github_of(request).world


def repository_of(
    request: Request,
    permission: str = "metadata",
    access: Access = "read",
    *,
    user: Permission | None = None,
) -> Repository:
    """The repository of the path when the caller holds `permission`; ApiError 404 or 403 else (see `auth.require`)."""
    found = world_of(request).repository(request.path_params["owner"], request.path_params["repo"])
    if found is None:
        raise not_found()
    request.state.repository = found
    require(request, found, permission, access, user=user)
    return found


def number_in(request: Request, name: str = "number") -> int:
    text = str(request.path_params[name])
    if not text.isdecimal():
        raise not_found()
    return int(text)


def issue_repository_of(request: Request, access: Access = "read", *, user: Permission | None = None) -> Repository:
    """For routes of an issue by number: for a pull request's number the permission on pull requests will do too."""
    found = repository_of(request)
    is_pull = number_in(request) in found.pulls
    require_any(request, found, ("issues", "pull_requests") if is_pull else ("issues",), access, user=user)
    return found


def pull_of(request: Request, repository: Repository) -> PullRequest:
    found = repository.pulls.get(number_in(request))
    if found is None:
        raise not_found()
    return found


def issue_of(request: Request, repository: Repository) -> Issue:
    """An issue or a pull request's issue half."""
    found = repository.issues.get(number_in(request))
    if found is None:
        raise not_found()
    return found


def comment_of(request: Request, repository: Repository) -> tuple[Issue, Comment]:
    wanted = number_in(request, "comment_id")
    for issue in repository.issues.values():
        for comment in issue.comments:
            if comment.id == wanted:
                return issue, comment
    raise not_found()


async def commit_of(request: Request, repository: Repository, name: str) -> str:
    """The object id behind a branch, tag or id; ApiError 422 as GitHub answers for commits it does not have."""
    found = await github_of(request).git(repository).commit_id(name)
    if found is None:
        raise unprocessable(f"No commit found for SHA: {name}")
    return found


def boolean(body: dict[str, object], name: str, *, default: bool = False) -> bool:
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise ApiError(422, f"Invalid request.\n\n{value!r} is not a boolean.")
    return value
