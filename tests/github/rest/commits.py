"""Commits, comparison, and the pull requests of a commit. https://docs.github.com/rest/commits"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.github import serialize_git
from tests.github.answers import answer, page_of
from tests.github.errors import ApiError, not_found
from tests.github.git import EMPTY_TREE, Git
from tests.github.rest.lookup import commit_of, github_of, repository_of, world_of
from tests.github.serialize_pulls import pull_simple
from tests.github.serialize_repositories import repository_url
from tests.github.state import PullRequest, Repository, World

COMPARED_FILES = 300
COMPARED_COMMITS = 250
COMMIT_FILES = 3000


async def list_commits(request: Request) -> Response:
    repository = repository_of(request, "contents")
    git = github_of(request).git(repository)
    start = await git.commit_id(request.query_params.get("sha") or repository.default_branch)
    if start is None:
        raise not_found()
    found = await git.commits(start, limit=10_000, path=request.query_params.get("path"))
    page, link = page_of(request, found)
    return answer([await _commit(request, repository, sha) for sha in page], headers=link)


async def _commit(request: Request, repository: Repository, sha: str) -> dict[str, Any]:
    record = await github_of(request).git(repository).commit(sha)
    return serialize_git.commit(world_of(request), repository, record)


async def get_commit(request: Request) -> Response:
    """With its files, 300 a page; as plain id or as a patch when so asked."""
    repository = repository_of(request, "contents")
    git = github_of(request).git(repository)
    sha = await commit_of(request, repository, request.path_params["ref"])
    accept = request.headers.get("accept", "")
    if "github.sha" in accept or "v3.sha" in accept:
        return PlainTextResponse(sha, headers={"content-type": "application/vnd.github.sha"})
    record = await git.commit(sha)
    before = record.parents[0] if record.parents else EMPTY_TREE
    if "diff" in accept:
        return PlainTextResponse(await git.diff_text(before, sha))
    changes = await git.diff(before, sha)
    page, link = page_of(request, changes, total_limit=COMMIT_FILES)
    shown = page if "per_page" in request.query_params or "page" in request.query_params else changes[:COMPARED_FILES]
    body = serialize_git.commit(world_of(request), repository, record)
    body["stats"] = serialize_git.stats(changes)
    body["files"] = [serialize_git.diff_entry(world_of(request), repository, c, sha) for c in shown]
    return answer(body, headers=link if len(changes) > COMPARED_FILES else {})


async def pulls_of_commit(request: Request) -> Response:
    """Pull requests that brought the commit, or that would."""
    repository, github = repository_of(request, "pull_requests"), github_of(request)
    sha = await commit_of(request, repository, request.path_params["sha"])
    git = github.git(repository)
    found = [p for p in repository.pulls.values() if await _holds(git, p, sha)]
    page, link = page_of(request, found)
    return answer([await pull_simple(github, repository, p) for p in page], headers=link)


async def _holds(git: Git, pull: PullRequest, sha: str) -> bool:
    if sha in (pull.head_sha, pull.merge_commit_sha):
        return True
    if not await git.is_ancestor(sha, pull.head_sha):
        return False
    return pull.fork_point is not None and not await git.is_ancestor(sha, pull.fork_point)


async def branches_where_head(request: Request) -> Response:
    repository, world = repository_of(request, "contents"), world_of(request)
    sha, url = request.path_params["sha"], repository_url(world, repository)
    heads = await github_of(request).git(repository).refs("refs/heads/")
    names = [ref.removeprefix("refs/heads/") for ref, tip in heads.items() if tip == sha]
    commit = {"sha": sha, "url": f"{url}/commits/{sha}"}
    return answer([{"name": n, "commit": commit, "protected": False} for n in names])


async def compare(request: Request) -> Response:
    """Three-dot comparison; files on the first page only, at most 300."""
    repository = repository_of(request, "contents")
    github, named = github_of(request), request.path_params["basehead"]
    base_name, dots, head_name = named.partition("...")
    if not dots:
        raise not_found()
    git = github.git(repository)
    base, head = await _end(request, repository, base_name), await _end(request, repository, head_name)
    start = await git.merge_base(base, head)
    if start is None:
        raise ApiError(404, f"No common ancestor between {base_name} and {head_name}.")
    if "diff" in request.headers.get("accept", ""):
        return PlainTextResponse(await git.diff_text(start, head))
    return await _comparison(request, repository, git, (base, head, start))


async def _end(request: Request, repository: Repository, name: str) -> str:
    """`branch`, an id, or `owner:branch` of a fork."""
    owner, colon, branch = name.rpartition(":")
    if not colon or owner == repository.owner:
        found = await github_of(request).git(repository).commit_id(branch)
    else:
        found = await _from_fork(request, repository, owner, branch)
    if found is None:
        raise not_found()
    return found


async def _from_fork(request: Request, repository: Repository, owner: str, branch: str) -> str | None:
    github = github_of(request)
    for fork in github.world.repositories.values():
        if (fork.owner, fork.fork_of) == (owner, repository.id) and await github.git(fork).commit_id(branch):
            ref = f"refs/forks/{fork.id}/{branch}"
            await github.git(repository).fetch(fork.git, f"refs/heads/{branch}", ref)
            return await github.git(repository).rev_parse(ref)
    return None


async def _comparison(request: Request, repository: Repository, git: Git, ends: tuple[str, str, str]) -> Response:
    base, head, start = ends
    ahead = list(reversed(await git.commits(f"{base}..{head}", limit=100_000)))
    behind = await git.count(f"{head}..{base}")
    paged = "page" in request.query_params or "per_page" in request.query_params
    page, link = page_of(request, ahead)
    shown = page if paged else ahead[-COMPARED_COMMITS:]
    world, first = world_of(request), request.query_params.get("page", "1") == "1"
    changes = (await git.diff(start, head))[:COMPARED_FILES] if first else []
    body = _addresses(world, repository, base, head) | {
        "base_commit": await _commit(request, repository, base),
        "merge_base_commit": await _commit(request, repository, start),
        "status": _status(len(ahead), behind),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [await _commit(request, repository, sha) for sha in shown],
    }
    if first:
        body["files"] = [serialize_git.diff_entry(world, repository, c, head) for c in changes]
    return answer(body, headers=link if paged else {})


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


def _addresses(world: World, repository: Repository, base: str, head: str) -> dict[str, Any]:
    html = f"{world.base_url}/{repository.full_name}/compare/{base}...{head}"
    return {
        "url": f"{repository_url(world, repository)}/compare/{base}...{head}",
        "html_url": html,
        "permalink_url": f"{world.base_url}/{repository.full_name}/compare/{base[:12]}...{head[:12]}",
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
    }


routes = [
    Route("/repos/{owner}/{repo}/commits", list_commits),
    Route("/repos/{owner}/{repo}/commits/{sha}/pulls", pulls_of_commit),
    Route("/repos/{owner}/{repo}/commits/{sha}/branches-where-head", branches_where_head),
    Route("/repos/{owner}/{repo}/commits/{ref:path}", get_commit),
    Route("/repos/{owner}/{repo}/compare/{basehead:path}", compare),
]
