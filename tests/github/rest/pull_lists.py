"""What hangs on a pull request: files, commits, review comments, requested reviewers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import serialize_git, serialize_pulls
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import actor_of
from tests.github.errors import invalid, not_found
from tests.github.events import ReviewCommentCreated
from tests.github.git import FileChange
from tests.github.operations import mergeable, pulls
from tests.github.rest.lookup import github_of, number_in, pull_of, repository_of, world_of
from tests.github.serialize import users
from tests.github.state import PullRequest, Repository, ReviewComment

MOST_FILES = 3000
MOST_COMMITS = 250


async def list_files(request: Request) -> Response:
    """At most 3,000. Past the limit of patch lines a file shows no patch and no changes, without any mark."""
    repository, github = repository_of(request, "pull_requests"), github_of(request)
    pull = pull_of(request, repository)
    start = await mergeable.fork_point(github, repository, pull)
    changes = await github.git(repository).diff(start, pull.head_sha)
    page, link = page_of(request, changes, total_limit=MOST_FILES)
    return answer(_within_limit(request, repository, pull, page), headers=link)


def _within_limit(
    request: Request, repository: Repository, pull: PullRequest, changes: list[FileChange]
) -> list[dict[str, Any]]:
    world, lines, body = world_of(request), 0, []
    for change in changes:
        entry = serialize_git.diff_entry(world, repository, change, pull.head_sha)
        lines += entry.get("patch", "").count("\n") + 1
        if lines > world.switches.patch_lines_a_page:
            entry.pop("patch", None)
            entry |= {"additions": 0, "deletions": 0, "changes": 0}
        body.append(entry)
    return body


async def list_commits(request: Request) -> Response:
    """Oldest first, at most 250."""
    repository, github = repository_of(request, "pull_requests"), github_of(request)
    pull, git = pull_of(request, repository), github.git(repository)
    start = await mergeable.fork_point(github, repository, pull)
    found = list(reversed(await git.commits(f"{start}..{pull.head_sha}", limit=100_000)))
    page, link = page_of(request, found, total_limit=MOST_COMMITS)
    body = [serialize_git.commit(github.world, repository, await git.commit(sha)) for sha in page]
    return answer(body, headers=link)


async def list_comments(request: Request) -> Response:
    repository, world = repository_of(request, "pull_requests"), world_of(request)
    pull = pull_of(request, repository)
    pending = {r.id for r in pull.reviews if r.state == "PENDING"}
    page, link = page_of(request, [c for c in pull.review_comments if c.review_id not in pending])
    return answer([serialize_pulls.review_comment(world, repository, pull, c) for c in page], headers=link)


async def create_comment(request: Request) -> Response:
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body, github = pull_of(request, repository), await json_body(request), github_of(request)
    for name in ("body", "path"):
        if not body.get(name):
            raise invalid("PullRequestReviewComment", name, "missing_field")
    now = github.world.now()
    comment = ReviewComment(
        id=github.world.new_id(),
        user=actor_of(request).login,
        body=str(body["body"]),
        path=str(body["path"]),
        commit_id=str(body.get("commit_id") or pull.head_sha),
        created_at=now,
        updated_at=now,
        line=body.get("line"),
        side=str(body.get("side", "RIGHT")),
        in_reply_to=body.get("in_reply_to"),
    )
    pull.review_comments.append(comment)
    await github.publish(ReviewCommentCreated(repository, pull, comment, comment.user))
    return answer(serialize_pulls.review_comment(github.world, repository, pull, comment), 201)


async def get_comment(request: Request) -> Response:
    repository, wanted = repository_of(request, "pull_requests"), number_in(request, "comment_id")
    for pull in repository.pulls.values():
        for comment in pull.review_comments:
            if comment.id == wanted:
                return answer(serialize_pulls.review_comment(world_of(request), repository, pull, comment))
    raise not_found()


async def get_requested_reviewers(request: Request) -> Response:
    repository, world = repository_of(request, "pull_requests"), world_of(request)
    pull = pull_of(request, repository)
    teams = serialize_pulls.requested_teams(world, repository, pull)
    return answer({"users": users(world, pull.requested_reviewers), "teams": teams})


async def change_requested_reviewers(request: Request) -> Response:
    """POST asks (201), DELETE takes back (200)."""
    repository = repository_of(request, "pull_requests", "write")
    pull, body, github = pull_of(request, repository), await json_body(request), github_of(request)
    people, teams = body.get("reviewers") or [], body.get("team_reviewers") or []
    asked = request.method == "POST"
    change = pulls.request_reviewers if asked else pulls.remove_requested_reviewers
    await change(github, repository, pull, actor_of(request).login, people, teams)
    return answer(await serialize_pulls.pull_simple(github, repository, pull), 201 if asked else 200)


routes = [
    Route("/repos/{owner}/{repo}/pulls/{number:int}/files", list_files),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/commits", list_commits),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/comments", list_comments),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/comments", create_comment, methods=["POST"]),
    Route("/repos/{owner}/{repo}/pulls/comments/{comment_id}", get_comment),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/requested_reviewers", get_requested_reviewers),
    Route(
        "/repos/{owner}/{repo}/pulls/{number:int}/requested_reviewers",
        change_requested_reviewers,
        methods=["POST", "DELETE"],
    ),
]
