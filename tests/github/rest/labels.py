"""Labels of a repository and of an issue. https://docs.github.com/rest/issues/labels"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import actor_of, require_any
from tests.github.errors import ApiError, invalid, not_found
from tests.github.events import LabelChanged
from tests.github.operations import issues
from tests.github.rest.lookup import github_of, issue_of, issue_repository_of, repository_of, world_of
from tests.github.serialize import label, label_named
from tests.github.state import Issue, Label, Repository

EITHER = ("issues", "pull_requests")


def _repository(request: Request, *, writing: bool = False) -> Repository:
    repository = repository_of(request)
    require_any(request, repository, EITHER, "write" if writing else "read")
    return repository


def _label(request: Request, repository: Repository) -> Label:
    found = issues.find_label(repository, request.path_params["name"])
    if found is None:
        raise not_found()
    return found


async def list_labels(request: Request) -> Response:
    repository, world = _repository(request), world_of(request)
    page, link = page_of(request, list(repository.labels.values()))
    return answer([label(world, repository, held) for held in page], headers=link)


async def create_label(request: Request) -> Response:
    repository, body, github = _repository(request, writing=True), await json_body(request), github_of(request)
    if not body.get("name"):
        raise invalid("Label", "name", "missing_field")
    color = str(body.get("color", "ededed")).lstrip("#")
    login, name = actor_of(request).login, str(body["name"])
    created = await issues.create_label(github, repository, login, name, color, body.get("description"))
    return answer(label(github.world, repository, created), 201)


async def get_label(request: Request) -> Response:
    repository = _repository(request)
    return answer(label(world_of(request), repository, _label(request, repository)))


async def change_label(request: Request) -> Response:
    repository, body, github = _repository(request, writing=True), await json_body(request), github_of(request)
    held = _label(request, repository)
    held.color = str(body.get("color", held.color)).lstrip("#")
    held.description = body.get("description", held.description)
    if body.get("new_name"):
        _rename(repository, held, str(body["new_name"]))
    await github.publish(LabelChanged(repository, held, "edited", actor_of(request).login))
    return answer(label(github.world, repository, held))


def _rename(repository: Repository, held: Label, name: str) -> None:
    del repository.labels[held.name]
    for issue in repository.issues.values():
        issue.labels = [name if n == held.name else n for n in issue.labels]
    held.name = name
    repository.labels[name] = held


async def delete_label(request: Request) -> Response:
    repository = _repository(request, writing=True)
    held = _label(request, repository)
    del repository.labels[held.name]
    for issue in repository.issues.values():
        issue.labels = [n for n in issue.labels if n != held.name]
    await github_of(request).publish(LabelChanged(repository, held, "deleted", actor_of(request).login))
    return no_content()


def _all(request: Request, repository: Repository, issue: Issue) -> Response:
    return answer([label_named(world_of(request), repository, name) for name in issue.labels])


async def list_issue_labels(request: Request) -> Response:
    repository, world = issue_repository_of(request), world_of(request)
    page, link = page_of(request, issue_of(request, repository).labels)
    return answer([label_named(world, repository, name) for name in page], headers=link)


async def _names(request: Request) -> list[str]:
    """`{"labels": [...]}` or the bare list."""
    raw = await request.body()
    if raw.lstrip().startswith(b"["):
        given = await request.json()
    else:
        given = (await json_body(request)).get("labels")
    if not isinstance(given, list):
        raise ApiError(422, "Invalid request.\n\nFor 'properties/labels', value is not an array.")
    return [str(item["name"]) if isinstance(item, dict) else str(item) for item in given]


async def add_issue_labels(request: Request) -> Response:
    repository = issue_repository_of(request, "write", user="triage")
    issue, names = issue_of(request, repository), await _names(request)
    await issues.add_labels(github_of(request), repository, issue, actor_of(request).login, names)
    return _all(request, repository, issue)


async def set_issue_labels(request: Request) -> Response:
    repository = issue_repository_of(request, "write", user="triage")
    issue, names = issue_of(request, repository), await _names(request)
    await issues.set_labels(github_of(request), repository, issue, actor_of(request).login, names)
    return _all(request, repository, issue)


async def remove_issue_label(request: Request) -> Response:
    repository = issue_repository_of(request, "write", user="triage")
    issue, name = issue_of(request, repository), request.path_params["name"]
    if not any(held.lower() == name.lower() for held in issue.labels):
        raise ApiError(404, "Label does not exist")
    await issues.remove_label(github_of(request), repository, issue, actor_of(request).login, name)
    return _all(request, repository, issue)


OF_ISSUE = "/repos/{owner}/{repo}/issues/{number:int}/labels"
routes = [
    Route("/repos/{owner}/{repo}/labels", list_labels),
    Route("/repos/{owner}/{repo}/labels", create_label, methods=["POST"]),
    Route("/repos/{owner}/{repo}/labels/{name:path}", get_label),
    Route("/repos/{owner}/{repo}/labels/{name:path}", change_label, methods=["PATCH"]),
    Route("/repos/{owner}/{repo}/labels/{name:path}", delete_label, methods=["DELETE"]),
    Route(OF_ISSUE, list_issue_labels),
    Route(OF_ISSUE, add_issue_labels, methods=["POST"]),
    Route(OF_ISSUE, set_issue_labels, methods=["PUT"]),
    Route(f"{OF_ISSUE}/{{name:path}}", remove_issue_label, methods=["DELETE"]),
]
