"""Pull requests: list, open, read, change, update the branch. https://docs.github.com/rest/pulls/pulls"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.github import serialize_pulls
from tests.github.access import at_least, permission_of
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import Actor, actor_of, refusal
from tests.github.errors import ApiError, invalid, unprocessable
from tests.github.operations import mergeable, pulls
from tests.github.operations.mergeable import WEB_FLOW
from tests.github.operations.pushes import update_ref
from tests.github.rest.lookup import boolean, github_of, pull_of, repository_of
from tests.github.serialize_repositories import repository_url
from tests.github.state import PullRequest, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

DIFF_FILES = 300


async def list_pulls(request: Request) -> Response:
    repository, github = repository_of(request, "pull_requests"), github_of(request)
    query = request.query_params
    found = [p for p in repository.pulls.values() if _is_wanted(github.world, p, dict(query))]
    moment = "updated_at" if query.get("sort") == "updated" else "created_at"
    ascending = query.get("direction", "desc" if query.get("sort", "created") == "created" else "asc") == "asc"
    found.sort(key=lambda p: (getattr(p.issue, moment), p.number), reverse=not ascending)
    page, link = page_of(request, found)
    body = [await serialize_pulls.pull_simple(github, repository, p) for p in page]
    return answer(body, headers=link)


def _is_wanted(world: World, pull: PullRequest, query: dict[str, str]) -> bool:
    source = world.repositories.get(pull.head_repository_id or 0)
    head = f"{source.owner}:{pull.head_ref}" if source else None
    return (
        query.get("state", "open") in (pull.issue.state, "all")
        and query.get("base") in (None, pull.base_ref)
        and query.get("head") in (None, head)
    )


async def create_pull(request: Request) -> Response:
    repository = repository_of(request, "pull_requests", "write", user="read")
    body, github = await json_body(request), github_of(request)
    for name in ("head", "base"):
        if not isinstance(body.get(name), str):
            raise invalid("PullRequest", name, "missing_field")
    if not body.get("title"):
        raise invalid("PullRequest", "title", "missing_field")
    pull = await pulls.open_pull(
        github,
        repository,
        head=body["head"],
        base=body["base"],
        title=str(body["title"]),
        body=body.get("body"),
        author=actor_of(request).login,
        draft=boolean(body, "draft"),
    )
    pull.maintainer_can_modify = boolean(body, "maintainer_can_modify", default=True)
    return answer(await serialize_pulls.pull_full(github, repository, pull), 201)


async def get_pull(request: Request) -> Response:
    """As JSON, or as a patch when the diff or patch media type is asked for."""
    repository, github = repository_of(request, "pull_requests"), github_of(request)
    pull = pull_of(request, repository)
    accept = request.headers.get("accept", "")
    if "diff" in accept or "patch" in accept:
        return await _diff(request, repository, pull)
    return answer(await serialize_pulls.pull_full(github, repository, pull))


async def _diff(request: Request, repository: Repository, pull: PullRequest) -> Response:
    github = github_of(request)
    git, start = github.git(repository), await mergeable.fork_point(github, repository, pull)
    if len(await git.diff(start, pull.head_sha)) > DIFF_FILES:
        message = f"Sorry, the diff exceeded the maximum number of files ({DIFF_FILES})."
        raise ApiError(406, message, [{"resource": "PullRequest", "field": "diff", "code": "too_large"}])
    return PlainTextResponse(await git.diff_text(start, pull.head_sha))


async def change_pull(request: Request) -> Response:
    """Title, body, base and state; people may change their own, else write permission is needed."""
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body, github = pull_of(request, repository), await json_body(request), github_of(request)
    actor = actor_of(request)
    _check_may_change(github.world, repository, pull, actor)
    state = body.get("state")
    if state not in (None, "open", "closed"):
        raise invalid("PullRequest", "state", "invalid")
    if body.get("base") is not None and pull.issue.state == "closed":
        raise unprocessable("Validation Failed: Cannot change the base branch of a closed pull request.")
    await pulls.edit_pull(
        github,
        repository,
        pull,
        actor.login,
        title=body.get("title"),
        body=body.get("body"),
        base=body.get("base"),
    )
    if state == "closed":
        await pulls.close_pull(github, repository, pull, actor.login)
    if state == "open":
        await pulls.reopen_pull(github, repository, pull, actor.login)
    return answer(await serialize_pulls.pull_full(github, repository, pull))


def _check_may_change(world: World, repository: Repository, pull: PullRequest, actor: Actor) -> None:
    if actor.kind != "user" or actor.login == pull.issue.user:
        return
    if not at_least(permission_of(world, repository, actor.login), "write"):
        raise refusal(actor)


async def update_branch(request: Request) -> Response:
    """Merges the base into the head's branch; 202 although it is done at once."""
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body, github = pull_of(request, repository), await json_body(request), github_of(request)
    await merge_base_into_head(github, repository, pull, actor_of(request).login, body.get("expected_head_sha"))
    url = f"{repository_url(github.world, repository)}/pulls/{pull.number}"
    return answer({"message": "Updating pull request branch.", "url": url}, 202)


async def merge_base_into_head(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, login: str, expected: str | None
) -> None:
    """Pushes the merge to the head's branch in the name of `login`; ApiError 422 when there is nothing to merge."""
    if expected is not None and expected != pull.head_sha:
        raise unprocessable("expected head sha didn’t match current head ref.")
    commit = await _merge_of_base(github, repository, pull, login)
    source = github.world.repositories[pull.head_repository_id or repository.id]
    if source.id != repository.id:
        await github.git(source).fetch(repository.git, commit, f"refs/updates/{pull.number}")
    await update_ref(github, source, f"refs/heads/{pull.head_ref}", commit, login)


async def _merge_of_base(github: SimulatedGitHub, repository: Repository, pull: PullRequest, login: str) -> str:
    git, tip = github.git(repository), await mergeable.base_tip(github, repository, pull)
    if tip is None or await git.is_ancestor(tip, pull.head_sha):
        raise unprocessable("There are no new commits on the base branch.")
    tree = await git.merge_tree(pull.head_sha, tip)
    if tree is None:
        raise unprocessable("merge conflict between base and head")
    message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    parents, now = [pull.head_sha, tip], github.world.now()
    commit = await git.commit_tree(tree, parents, message, github.person(login), at=now, committer=WEB_FLOW)
    repository.verified_commits.add(commit)
    return commit


routes = [
    Route("/repos/{owner}/{repo}/pulls", list_pulls),
    Route("/repos/{owner}/{repo}/pulls", create_pull, methods=["POST"]),
    Route("/repos/{owner}/{repo}/pulls/{number:int}", get_pull),
    Route("/repos/{owner}/{repo}/pulls/{number:int}", change_pull, methods=["PATCH"]),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/update-branch", update_branch, methods=["PUT"]),
]
