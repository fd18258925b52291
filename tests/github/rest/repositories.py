"""GET /repos/{owner}/{repo}, its activity and its hash algorithm. https://docs.github.com/rest/repos/repos"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import node_ids
from tests.github.answers import answer, json_body, page_address, page_of, page_size
from tests.github.auth import actor_of, can_see
from tests.github.errors import invalid
from tests.github.events import RepositoryChanged
from tests.github.rest.lookup import github_of, repository_of, world_of
from tests.github.serialize import simple_user, stamp
from tests.github.serialize_repositories import full_repository, viewed
from tests.github.state import PushRecord, Repository, World

PERIODS = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "quarter": timedelta(days=91),
    "year": timedelta(days=365),
}


async def get_repository(request: Request) -> Response:
    return answer(full_repository(world_of(request), repository_of(request), actor_of(request)))


async def change_repository(request: Request) -> Response:
    """The settings that matter here: the default branch, auto-merge and visibility."""
    repository, body = repository_of(request, "administration", "write"), await json_body(request)
    github, changes = github_of(request), {}
    branch = body.get("default_branch", repository.default_branch)
    if await github.git(repository).rev_parse(f"refs/heads/{branch}") is None:
        raise invalid("Repository", "default_branch", "invalid", f"The branch {branch} was not found.")
    if branch != repository.default_branch:
        changes["default_branch"] = {"from": repository.default_branch}
        repository.default_branch = branch
    repository.allow_auto_merge = bool(body.get("allow_auto_merge", repository.allow_auto_merge))
    repository.private = bool(body.get("private", repository.private))
    actor = actor_of(request)
    await github.publish(RepositoryChanged(repository, "edited", actor.login, changes))
    return answer(full_repository(github.world, repository, actor))


async def list_organization_repositories(request: Request) -> Response:
    world, actor = world_of(request), actor_of(request)
    owner = request.path_params["account"]
    held = [r for r in world.repositories.values() if r.owner == owner and can_see(world, actor, r)]
    page, link = page_of(request, held)
    return answer([viewed(world, r, actor) for r in page], headers=link)


async def hash_algorithm(request: Request) -> Response:
    repository_of(request)
    return answer({"hash_algorithm": "sha1"})


def _activity(world: World, record: PushRecord, repository: Repository) -> dict[str, Any]:
    return {
        "id": record.id,
        "node_id": node_ids.encode("Ref", repository.id, f"push/{record.id}"),
        "before": record.before,
        "after": record.after,
        "ref": record.ref,
        "timestamp": stamp(record.timestamp),
        "activity_type": record.activity_type,
        "actor": simple_user(world, record.actor),
    }


async def list_activity(request: Request) -> Response:
    """Who moved which ref from where to where; newest first, by cursor (`after`, `before` are ids of rows)."""
    repository, world = repository_of(request, "contents"), world_of(request)
    rows = _wanted_rows(request, repository.activity, world.now())
    if request.query_params.get("direction", "desc") == "desc":
        rows.reverse()
    position = _cursor_position(request, rows)
    size = page_size(request)
    page = rows[position : position + size]
    links = []
    if position + size < len(rows):
        links.append(f'<{page_address(request, after=page[-1].id)}>; rel="next"')
    return answer([_activity(world, r, repository) for r in page], headers={"link": links[0]} if links else {})


def _cursor_position(request: Request, rows: list[PushRecord]) -> int:
    after = request.query_params.get("after", "")
    return next((n + 1 for n, row in enumerate(rows) if str(row.id) == after), 0)


def _wanted_rows(request: Request, rows: list[PushRecord], now: datetime) -> list[PushRecord]:
    query = request.query_params
    ref, actor, kind = query.get("ref"), query.get("actor"), query.get("activity_type")
    period = PERIODS.get(query.get("time_period", ""))
    full = ref if ref is None or ref.startswith("refs/") else f"refs/heads/{ref}"
    return [
        row
        for row in rows
        if full in (None, row.ref)
        and actor in (None, row.actor)
        and kind in (None, row.activity_type)
        and (period is None or row.timestamp >= now - period)
    ]


routes = [
    Route("/repos/{owner}/{repo}", get_repository),
    Route("/repos/{owner}/{repo}", change_repository, methods=["PATCH"]),
    Route("/orgs/{account}/repos", list_organization_repositories),
    Route("/users/{account}/repos", list_organization_repositories),
    Route("/repos/{owner}/{repo}/hash-algorithm", hash_algorithm),
    Route("/repos/{owner}/{repo}/activity", list_activity),
]
