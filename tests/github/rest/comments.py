"""Comments on issues and pull requests, and reactions. https://docs.github.com/rest/issues/comments"""

from __future__ import annotations

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import serialize_issues
from tests.github.access import at_least, permission_of
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import Actor, actor_of, refusal, require_any
from tests.github.errors import ApiError, invalid, not_found
from tests.github.operations import issues
from tests.github.rest.lookup import (
    comment_of,
    github_of,
    issue_of,
    issue_repository_of,
    number_in,
    repository_of,
    world_of,
)
from tests.github.serialize import reaction
from tests.github.state import Comment, Issue, Reaction, Repository, World

LONGEST_BODY = 65536  # characters


async def list_comments(request: Request) -> Response:
    """Oldest first."""
    repository, world = issue_repository_of(request), world_of(request)
    issue, since = issue_of(request, repository), request.query_params.get("since")
    found = [c for c in issue.comments if since is None or c.updated_at >= datetime.fromisoformat(since)]
    page, link = page_of(request, found)
    return answer([serialize_issues.comment(world, repository, issue, c) for c in page], headers=link)


async def list_repository_comments(request: Request) -> Response:
    repository, world = repository_of(request, "issues"), world_of(request)
    found = [(i, c) for i in repository.issues.values() for c in i.comments]
    found.sort(key=lambda pair: pair[1].id)
    page, link = page_of(request, found)
    return answer([serialize_issues.comment(world, repository, i, c) for i, c in page], headers=link)


async def _text(request: Request) -> str:
    body = (await json_body(request)).get("body")
    if not isinstance(body, str) or not body.strip():
        raise invalid("IssueComment", "body", "missing_field", "body cannot be blank")
    if len(body) > LONGEST_BODY:
        raise ApiError(422, "Validation Failed", [f"body is too long (maximum is {LONGEST_BODY} characters)"])
    return body


async def create_comment(request: Request) -> Response:
    repository = issue_repository_of(request, "write", user="read")
    issue, text, github = issue_of(request, repository), await _text(request), github_of(request)
    actor = actor_of(request)
    through = github.world.apps.get(actor.through or 0)
    comment = await issues.create_comment(github, repository, issue, actor.login, text, through=through)
    return answer(serialize_issues.comment(github.world, repository, issue, comment), 201)


def _found(request: Request, access: str = "read") -> tuple[Repository, Issue, Comment]:
    """The comment of the path; a writer must be its author or hold write permission."""
    repository = repository_of(request)
    issue, comment = comment_of(request, repository)
    names = ("issues", "pull_requests") if issue.number in repository.pulls else ("issues",)
    actor = require_any(request, repository, names, "write" if access == "write" else "read", user="read")
    if access == "write" and actor.kind == "user" and actor.login != comment.user:
        _check_moderator(world_of(request), repository, actor)
    return repository, issue, comment


def _check_moderator(world: World, repository: Repository, actor: Actor) -> None:
    if not at_least(permission_of(world, repository, actor.login), "write"):
        raise refusal(actor)


async def get_comment(request: Request) -> Response:
    return answer(serialize_issues.comment(world_of(request), *_found(request)))


async def change_comment(request: Request) -> Response:
    repository, issue, comment = _found(request, "write")
    github, text = github_of(request), await _text(request)
    await issues.edit_comment(github, repository, issue, comment, actor_of(request).login, text)
    return answer(serialize_issues.comment(github.world, repository, issue, comment))


async def delete_comment(request: Request) -> Response:
    repository, issue, comment = _found(request, "write")
    await issues.delete_comment(github_of(request), repository, issue, comment, actor_of(request).login)
    return no_content()


def _reactions(request: Request) -> list[Reaction]:
    """Those of a comment or, by number, of an issue."""
    if "comment_id" in request.path_params:
        return _found(request)[2].reactions
    return issue_of(request, issue_repository_of(request, user="read")).reactions


async def list_reactions(request: Request) -> Response:
    world, wanted = world_of(request), request.query_params.get("content")
    page, link = page_of(request, [r for r in _reactions(request) if wanted in (None, r.content)])
    return answer([reaction(world, r) for r in page], headers=link)


async def create_reaction(request: Request) -> Response:
    """201, or 200 with the reaction that the same user gave before."""
    if "comment_id" in request.path_params:
        _require_writing(request)
    else:
        issue_repository_of(request, "write", user="read")
    body, github = await json_body(request), github_of(request)
    given, new = issues.react(github, _reactions(request), actor_of(request).login, str(body.get("content", "")))
    return answer(reaction(github.world, given), 201 if new else 200)


def _require_writing(request: Request) -> None:
    """Whoever may read may react; an App needs write."""
    repository, issue, _ = _found(request)
    names = ("issues", "pull_requests") if issue.number in repository.pulls else ("issues",)
    require_any(request, repository, names, "write", user="read")


async def delete_reaction(request: Request) -> Response:
    held, wanted = _reactions(request), number_in(request, "reaction_id")
    found = next((r for r in held if r.id == wanted and r.user == actor_of(request).login), None)
    if found is None:
        raise not_found()
    held.remove(found)
    return no_content()


COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
ISSUE = "/repos/{owner}/{repo}/issues/{number:int}"
routes = [
    Route("/repos/{owner}/{repo}/issues/comments", list_repository_comments),
    Route(COMMENT, get_comment),
    Route(COMMENT, change_comment, methods=["PATCH"]),
    Route(COMMENT, delete_comment, methods=["DELETE"]),
    Route(f"{ISSUE}/comments", list_comments),
    Route(f"{ISSUE}/comments", create_comment, methods=["POST"]),
    Route(f"{COMMENT}/reactions", list_reactions),
    Route(f"{COMMENT}/reactions", create_reaction, methods=["POST"]),
    Route(f"{COMMENT}/reactions/{{reaction_id}}", delete_reaction, methods=["DELETE"]),
    Route(f"{ISSUE}/reactions", list_reactions),
    Route(f"{ISSUE}/reactions", create_reaction, methods=["POST"]),
    Route(f"{ISSUE}/reactions/{{reaction_id}}", delete_reaction, methods=["DELETE"]),
]
