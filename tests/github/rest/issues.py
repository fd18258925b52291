"""Issues, pull requests included. https://docs.github.com/rest/issues"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import serialize_issues
from tests.github.access import at_least, permission_of
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import actor_of, refusal
from tests.github.errors import invalid
from tests.github.operations import issues, pulls
from tests.github.rest.lookup import github_of, issue_of, issue_repository_of, repository_of, world_of
from tests.github.state import Issue, Repository


def _names(given: object) -> list[str]:
    """Labels may be given as texts or as objects with a name."""
    items = given if isinstance(given, list) else []
    return [str(item["name"]) if isinstance(item, dict) else str(item) for item in items]


async def list_issues(request: Request) -> Response:
    repository, world = repository_of(request, "issues"), world_of(request)
    query = dict(request.query_params)
    found = [i for i in repository.issues.values() if _is_wanted(i, query)]
    moment = "updated_at" if query.get("sort") == "updated" else "created_at"
    found.sort(key=lambda i: (getattr(i, moment), i.number), reverse=query.get("direction", "desc") == "desc")
    page, link = page_of(request, found)
    return answer([serialize_issues.issue(world, repository, i) for i in page], headers=link)


def _is_wanted(issue: Issue, query: dict[str, str]) -> bool:
    labels = [name for name in query.get("labels", "").split(",") if name]
    since = query.get("since")
    return (
        query.get("state", "open") in (issue.state, "all")
        and all(name in issue.labels for name in labels)
        and query.get("creator") in (None, issue.user)
        and ("assignee" not in query or query["assignee"] in issue.assignees)
        and (since is None or issue.updated_at >= datetime.fromisoformat(since))
    )


async def create_issue(request: Request) -> Response:
    repository = repository_of(request, "issues", "write", user="read")
    body, github, actor = await json_body(request), github_of(request), actor_of(request)
    if not body.get("title"):
        raise invalid("Issue", "title", "missing_field")
    issue = await issues.open_issue(
        github,
        repository,
        title=str(body["title"]),
        body=body.get("body"),
        author=actor.login,
        labels=_names(body.get("labels")),
        assignees=_names(body.get("assignees")),
    )
    return answer(serialize_issues.issue(github.world, repository, issue), 201)


async def get_issue(request: Request) -> Response:
    repository = issue_repository_of(request)
    return answer(serialize_issues.issue(world_of(request), repository, issue_of(request, repository)))


async def change_issue(request: Request) -> Response:
    """Title, body, state, labels, assignees; for a pull request the same words change the pull request."""
    repository = issue_repository_of(request, "write", user="read")
    issue, body = issue_of(request, repository), await json_body(request)
    _check_may_change(request, repository, issue)
    if body.get("state") not in (None, "open", "closed"):
        raise invalid("Issue", "state", "invalid")
    await _change(request, repository, issue, body)
    return answer(serialize_issues.issue(world_of(request), repository, issue))


def _check_may_change(request: Request, repository: Repository, issue: Issue) -> None:
    actor = actor_of(request)
    if actor.kind != "user" or actor.login == issue.user:
        return
    if not at_least(permission_of(world_of(request), repository, actor.login), "triage"):
        raise refusal(actor)


async def _change(request: Request, repository: Repository, issue: Issue, body: dict[str, Any]) -> None:
    github, login = github_of(request), actor_of(request).login
    title, text = body.get("title"), body.get("body")
    await issues.edit_issue(github, repository, issue, login, title=title, body=text)
    if "labels" in body:
        await issues.set_labels(github, repository, issue, login, _names(body["labels"]))
    if "assignees" in body:
        await issues.set_assignees(github, repository, issue, login, _names(body["assignees"]))
    if body.get("state") is not None:
        await _set_state(request, repository, issue, str(body["state"]))


async def _set_state(request: Request, repository: Repository, issue: Issue, state: str) -> None:
    github, login = github_of(request), actor_of(request).login
    pull = repository.pulls.get(issue.number)
    if pull is None:
        await issues.set_issue_state(github, repository, issue, login, state)
    elif state == "closed":
        await pulls.close_pull(github, repository, pull, login)
    else:
        await pulls.reopen_pull(github, repository, pull, login)


async def change_assignees(request: Request) -> Response:
    """POST adds (201), DELETE removes (200)."""
    repository = issue_repository_of(request, "write")
    issue, body, github = issue_of(request, repository), await json_body(request), github_of(request)
    named, adding = _names(body.get("assignees")), request.method == "POST"
    wanted = [*issue.assignees, *named] if adding else [a for a in issue.assignees if a not in named]
    await issues.set_assignees(github, repository, issue, actor_of(request).login, wanted)
    return answer(serialize_issues.issue(github.world, repository, issue), 201 if adding else 200)


routes = [
    Route("/repos/{owner}/{repo}/issues", list_issues),
    Route("/repos/{owner}/{repo}/issues", create_issue, methods=["POST"]),
    Route("/repos/{owner}/{repo}/issues/{number:int}", get_issue),
    Route("/repos/{owner}/{repo}/issues/{number:int}", change_issue, methods=["PATCH"]),
    Route("/repos/{owner}/{repo}/issues/{number:int}/assignees", change_assignees, methods=["POST", "DELETE"]),
]
