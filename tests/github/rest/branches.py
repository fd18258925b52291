"""Branches. Classic protection does not exist here: its route answers 404, as where only rulesets are used."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer, page_of
from tests.github.errors import ApiError
from tests.github.rest.lookup import github_of, repository_of, world_of
from tests.github.serialize_git import commit
from tests.github.serialize_repositories import repository_url
from tests.github.state import Repository

UNPROTECTED = {
    "enabled": False,
    "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
}


def _is_protected(request: Request, repository: Repository, name: str) -> bool:
    """A branch that a ruleset covers calls itself protected."""
    return bool(github_of(request).effective_rules(repository, name))


async def _tip(request: Request, repository: Repository, name: str) -> str:
    sha = await github_of(request).git(repository).rev_parse(f"refs/heads/{name}")
    if sha is None:
        raise ApiError(404, "Branch not found")
    return sha


async def list_branches(request: Request) -> Response:
    repository, world = repository_of(request, "contents"), world_of(request)
    heads = await github_of(request).git(repository).refs("refs/heads/")
    wanted = request.query_params.get("protected")
    names = [(ref.removeprefix("refs/heads/"), sha) for ref, sha in heads.items()]
    if wanted is not None:
        names = [(n, sha) for n, sha in names if _is_protected(request, repository, n) == (wanted == "true")]
    page, link = page_of(request, names)
    url = repository_url(world, repository)
    body: list[dict[str, Any]] = [
        {
            "name": name,
            "commit": {"sha": sha, "url": f"{url}/commits/{sha}"},
            "protected": _is_protected(request, repository, name),
        }
        for name, sha in page
    ]
    return answer(body, headers=link)


async def get_branch(request: Request) -> Response:
    repository, world, name = repository_of(request, "contents"), world_of(request), request.path_params["branch"]
    tip = await _tip(request, repository, name)
    url = f"{repository_url(world, repository)}/branches/{name}"
    body = {
        "name": name,
        "commit": commit(world, repository, await github_of(request).git(repository).commit(tip)),
        "_links": {"self": url, "html": f"{world.base_url}/{repository.full_name}/tree/{name}"},
        "protected": _is_protected(request, repository, name),
        "protection": UNPROTECTED,
        "protection_url": f"{url}/protection",
    }
    return answer(body)


async def get_protection(request: Request) -> Response:
    repository = repository_of(request, "administration")
    await _tip(request, repository, request.path_params["branch"])
    raise ApiError(404, "Branch not protected")


routes = [
    Route("/repos/{owner}/{repo}/branches", list_branches),
    Route("/repos/{owner}/{repo}/branches/{branch:path}/protection", get_protection),
    Route("/repos/{owner}/{repo}/branches/{branch:path}", get_branch),
]
