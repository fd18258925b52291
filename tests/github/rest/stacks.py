"""Stacked pull requests. https://docs.github.com/rest/pulls/stacks"""

from __future__ import annotations

import itertools
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import node_ids
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import actor_of
from tests.github.errors import invalid, not_found
from tests.github.rest.lookup import github_of, number_in, repository_of, world_of
from tests.github.serialize import simple_user, stamp
from tests.github.serialize_repositories import repository_url
from tests.github.state import PullRequest, Repository, Stack, World

FEWEST, MOST = 2, 100


def _stack(world: World, repo: Repository, stack: Stack) -> dict[str, Any]:
    members = [repo.pulls[number] for number in stack.pulls]
    return {
        "id": stack.id,
        "number": stack.number,
        "node_id": "PRS_" + node_ids.encode("PullRequest", stack.id).partition("_")[2],
        "url": f"{repository_url(world, repo)}/stacks/{stack.number}",
        "base": {"ref": stack.base_ref},
        "open": any(p.issue.state == "open" for p in members),
        "created_at": stamp(min(p.issue.created_at for p in members)),
    }


def _minimal(world: World, repo: Repository, stack: Stack) -> dict[str, Any]:
    members = [
        {
            "number": p.number,
            "state": p.issue.state,
            "draft": p.draft,
            "merged_at": stamp(p.merged_at),
            "head": {"ref": p.head_ref, "sha": p.head_sha},
        }
        for p in (repo.pulls[number] for number in stack.pulls)
    ]
    return _stack(world, repo, stack) | {"pull_requests": members}


def _full(world: World, repo: Repository, stack: Stack) -> dict[str, Any]:
    members = [_member(world, repo, repo.pulls[number]) for number in stack.pulls]
    return _stack(world, repo, stack) | {"pull_requests": members}


def _member(world: World, repo: Repository, pull: PullRequest) -> dict[str, Any]:
    named = {"id": repo.id, "url": repository_url(world, repo), "name": repo.name}
    return {
        "id": pull.id,
        "number": pull.number,
        "url": f"{repository_url(world, repo)}/pulls/{pull.number}",
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": named},
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": named},
        "node_id": node_ids.encode("PullRequest", pull.id),
        "title": pull.issue.title,
        "state": pull.issue.state,
        "merged_at": stamp(pull.merged_at),
        "draft": pull.draft,
        "html_url": f"{world.base_url}/{repo.full_name}/pull/{pull.number}",
        "user": simple_user(world, pull.issue.user),
    }


def _found(request: Request, repo: Repository) -> Stack:
    wanted = number_in(request, "stack_number")
    found = next((s for s in repo.stacks.values() if s.number == wanted), None)
    if found is None:
        raise not_found()
    return found


async def list_stacks(request: Request) -> Response:
    repo, world = repository_of(request, "pull_requests"), world_of(request)
    wanted = request.query_params.get("pull_request")
    held = [s for s in repo.stacks.values() if wanted is None or wanted in map(str, s.pulls)]
    page, link = page_of(request, held)
    return answer([_minimal(world, repo, s) for s in page], headers=link)


async def get_stack(request: Request) -> Response:
    repo = repository_of(request, "pull_requests")
    return answer(_full(world_of(request), repo, _found(request, repo)))


async def create_stack(request: Request) -> Response:
    """From bottom to top; each layer's base must be the branch of the one below."""
    repo, github = repository_of(request, "pull_requests", "write"), github_of(request)
    numbers = (await json_body(request)).get("pull_requests") or []
    if not FEWEST <= len(numbers) <= MOST or not _is_chain(repo, numbers):
        raise invalid("PullRequestStack", "pull_requests", "invalid")
    stack = github.stack(repo, numbers)
    await github.announce_stack(repo, stack, actor_of(request).login)
    return answer(_full(github.world, repo, stack), 201)


def _is_chain(repo: Repository, numbers: list[int]) -> bool:
    """Open, of this repository, in no stack yet, and one upon the other."""
    members = [repo.pulls.get(number) for number in numbers]
    pulls = [p for p in members if p is not None and p.issue.state == "open" and p.stack_id is None]
    if len(pulls) != len(numbers) or any(p.head_repository_id != repo.id for p in pulls):
        return False
    return all(above.base_ref == below.head_ref for below, above in itertools.pairwise(pulls))


async def add_to_stack(request: Request) -> Response:
    repo, github = repository_of(request, "pull_requests", "write"), github_of(request)
    stack, numbers = _found(request, repo), (await json_body(request)).get("pull_requests") or []
    top = repo.pulls[stack.pulls[-1]]
    if not _is_chain(repo, numbers) or repo.pulls[numbers[0]].base_ref != top.head_ref:
        raise invalid("PullRequestStack", "pull_requests", "invalid")
    stack.pulls += numbers
    for number in numbers:
        repo.pulls[number].stack_id = stack.id
    await github.announce_stack(repo, stack, actor_of(request).login)
    return answer(_full(github.world, repo, stack))


async def unstack(request: Request) -> Response:
    """Takes the unmerged ones out; 204 when nothing is left. GitHub has no webhook for it."""
    repo, world = repository_of(request, "pull_requests", "write"), world_of(request)
    stack = _found(request, repo)
    queued = {entry.pull_number for entries in repo.queues.values() for entry in entries}
    for number in [n for n in stack.pulls if repo.pulls[n].merged_at is None and n not in queued]:
        stack.pulls.remove(number)
        repo.pulls[number].stack_id = None
    if stack.pulls:
        return answer(_full(world, repo, stack))
    del repo.stacks[stack.id]
    return no_content()


ONE = "/repos/{owner}/{repo}/stacks/{stack_number}"
routes = [
    Route("/repos/{owner}/{repo}/stacks", list_stacks),
    Route("/repos/{owner}/{repo}/stacks", create_stack, methods=["POST"]),
    Route(ONE, get_stack),
    Route(f"{ONE}/add", add_to_stack, methods=["POST"]),
    Route(f"{ONE}/unstack", unstack, methods=["POST"]),
]
