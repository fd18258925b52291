"""Pull requests, reviews and review comments as GitHub's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github import node_ids
from tests.github.access import association
from tests.github.operations import mergeable
from tests.github.serialize import (
    Json,
    label_named,
    reaction_rollup,
    simple_user,
    stamp,
    team,
    users,
)
from tests.github.serialize_git import stats
from tests.github.serialize_repositories import repository, repository_url
from tests.github.state import PullRequest, Repository, Review, ReviewComment, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


async def pull_simple(github: SimulatedGitHub, repo: Repository, record: PullRequest) -> Json:
    """`pull-request-simple`, as in lists."""
    world, issue = github.world, record.issue
    root, html = repository_url(world, repo), f"{world.base_url}/{repo.full_name}/pull/{record.number}"
    url = f"{root}/pulls/{record.number}"
    return {
        "url": url,
        "id": record.id,
        "node_id": node_ids.encode("PullRequest", record.id),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": f"{root}/issues/{record.number}",
        "number": record.number,
        "state": issue.state,
        "locked": False,
        "title": issue.title,
        "user": simple_user(world, issue.user),
        "body": issue.body,
        "created_at": stamp(issue.created_at),
        "updated_at": stamp(issue.updated_at),
        "closed_at": stamp(issue.closed_at),
        "merged_at": stamp(record.merged_at),
        "merge_commit_sha": record.merge_commit_sha or record.test_merge_sha,
        "assignee": simple_user(world, issue.assignees[0]) if issue.assignees else None,
        "assignees": users(world, issue.assignees),
        "requested_reviewers": users(world, record.requested_reviewers),
        "requested_teams": requested_teams(world, repo, record),
        "labels": [label_named(world, repo, name) for name in issue.labels],
        "milestone": None,
        "draft": record.draft,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": f"{root}/pulls/comments{{/number}}",
        "comments_url": f"{root}/issues/{record.number}/comments",
        "statuses_url": f"{root}/statuses/{record.head_sha}",
        "head": _head(world, repo, record),
        "base": _end(world, repo, record.base_ref, record.base_sha),
        "_links": _links(root, html, record),
        "author_association": association(world, repo, issue.user),
        "auto_merge": auto_merge(world, record),
        "active_lock_reason": None,
        "stack": await stack(github, repo, record),
    }


def requested_teams(world: World, repo: Repository, record: PullRequest) -> list[Json]:
    found = (world.teams.get((repo.owner, slug)) for slug in record.requested_teams)
    return [team(world, t) for t in found if t is not None]


def _head(world: World, repo: Repository, record: PullRequest) -> Json:
    source = world.repositories.get(record.head_repository_id or 0)
    if source is None:
        gone = {"label": f"unknown repository:{record.head_ref}", "user": None, "repo": None}
        return gone | {"ref": record.head_ref, "sha": record.head_sha}
    return _end(world, source, record.head_ref, record.head_sha)


def _end(world: World, repo: Repository, ref: str, sha: str) -> Json:
    return {
        "label": f"{repo.owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": simple_user(world, repo.owner),
        "repo": repository(world, repo),
    }


def _links(root: str, html: str, record: PullRequest) -> Json:
    url, issue = f"{root}/pulls/{record.number}", f"{root}/issues/{record.number}"
    addresses = {
        "self": url,
        "html": html,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{root}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{root}/statuses/{record.head_sha}",
    }
    return {name: {"href": address} for name, address in addresses.items()}


def auto_merge(world: World, record: PullRequest) -> Json | None:
    if record.auto_merge is None:
        return None
    return {
        "enabled_by": simple_user(world, record.auto_merge["by"]),
        "merge_method": record.auto_merge["method"].lower(),
        "commit_title": record.auto_merge.get("commit_title"),
        "commit_message": record.auto_merge.get("commit_message"),
    }


async def stack(github: SimulatedGitHub, repo: Repository, record: PullRequest) -> Json | None:
    """`pull-request-stack`, null outside a stack; position 1 is the bottom."""
    found = repo.stacks.get(record.stack_id) if record.stack_id is not None else None
    if found is None or record.number not in found.pulls:
        return None
    return {
        "id": found.id,
        "number": found.number,
        "base": {"ref": found.base_ref, "sha": await github.git(repo).rev_parse(f"refs/heads/{found.base_ref}")},
        "size": len(found.pulls),
        "position": found.pulls.index(record.number) + 1,
    }


async def pull_full(github: SimulatedGitHub, repo: Repository, record: PullRequest, *, judged: bool = True) -> Json:
    """`pull-request`. Reading it counts as a reading of `mergeable`, unless it is not `judged` as in webhooks."""
    git = github.git(repo)
    start = await mergeable.fork_point(github, repo, record)
    changes = await git.diff(start, record.head_sha)
    simple = await pull_simple(github, repo, record)
    merge = await mergeable.visible(github, repo, record) if judged else None
    state = "unknown" if merge is None else await github.mergeable_state(repo, record)
    counted = stats(changes)
    return simple | {
        "merged": record.merged_at is not None,
        "mergeable": merge,
        "rebaseable": merge,
        "mergeable_state": state,
        "merged_by": simple_user(github.world, record.merged_by) if record.merged_by else None,
        "comments": len(record.issue.comments),
        "review_comments": len(record.review_comments),
        "maintainer_can_modify": record.maintainer_can_modify,
        "commits": await git.count(f"{start}..{record.head_sha}"),
        "additions": counted["additions"],
        "deletions": counted["deletions"],
        "changed_files": len(changes),
    }


def review(world: World, repo: Repository, pull: PullRequest, record: Review) -> Json:
    """`pull-request-review`; a pending one has no time."""
    root, html = repository_url(world, repo), f"{world.base_url}/{repo.full_name}/pull/{pull.number}"
    html_url, pull_url = f"{html}#pullrequestreview-{record.id}", f"{root}/pulls/{pull.number}"
    body: Json = {
        "id": record.id,
        "node_id": node_ids.encode("PullRequestReview", record.id),
        "user": simple_user(world, record.user),
        "body": record.body,
        "state": record.state,
        "html_url": html_url,
        "pull_request_url": pull_url,
        "author_association": association(world, repo, record.user),
        "_links": {"html": {"href": html_url}, "pull_request": {"href": pull_url}},
        "commit_id": record.commit_id,
    }
    if record.state != "PENDING":
        body["submitted_at"] = stamp(record.submitted_at)
    return body


def review_comment(world: World, repo: Repository, pull: PullRequest, record: ReviewComment) -> Json:
    """`pull-request-review-comment`."""
    root, html = repository_url(world, repo), f"{world.base_url}/{repo.full_name}/pull/{pull.number}"
    url, html_url = f"{root}/pulls/comments/{record.id}", f"{html}#discussion_r{record.id}"
    pull_url = f"{root}/pulls/{pull.number}"
    body: Json = {
        "url": url,
        "pull_request_review_id": record.review_id,
        "id": record.id,
        "node_id": node_ids.encode("PullRequestReviewComment", record.id),
        "diff_hunk": "@@ -1 +1 @@",
        "path": record.path,
        "commit_id": record.commit_id,
        "original_commit_id": record.commit_id,
        "user": simple_user(world, record.user),
        "body": record.body,
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.updated_at),
        "html_url": html_url,
        "pull_request_url": pull_url,
        "author_association": association(world, repo, record.user),
        "_links": {"self": {"href": url}, "html": {"href": html_url}, "pull_request": {"href": pull_url}},
        "line": record.line,
        "original_line": record.line,
        "start_line": None,
        "original_start_line": None,
        "start_side": None,
        "side": record.side,
        "position": record.line,
        "original_position": record.line,
        "subject_type": "line",
        "reactions": reaction_rollup(url, record.reactions),
    }
    if record.in_reply_to is not None:
        body["in_reply_to_id"] = record.in_reply_to
    return body
