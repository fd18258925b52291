"""Issues and their comments as GitHub's JSON."""

from __future__ import annotations

from tests.github import node_ids
from tests.github.access import association
from tests.github.serialize import Json, app, label_named, reaction_rollup, simple_user, stamp, users, via_app
from tests.github.serialize_repositories import repository_url
from tests.github.state import Comment, Issue, Repository, World


def issue(world: World, repository: Repository, record: Issue) -> Json:
    """`issue`; a pull request shows itself by the key `pull_request`."""
    root = repository_url(world, repository)
    url = f"{root}/issues/{record.number}"
    pull = repository.pulls.get(record.number)
    kind, page = ("PullRequest", "pull") if pull else ("Issue", "issues")
    body: Json = {
        "url": url,
        "repository_url": root,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{world.base_url}/{repository.full_name}/{page}/{record.number}",
        "id": record.id,
        "node_id": node_ids.encode(kind, pull.id if pull else record.id),
        "number": record.number,
        "title": record.title,
        "user": simple_user(world, record.user),
        "labels": [label_named(world, repository, name) for name in record.labels],
        "state": record.state,
        "locked": False,
        "assignee": simple_user(world, record.assignees[0]) if record.assignees else None,
        "assignees": users(world, record.assignees),
        "milestone": None,
        "comments": len(record.comments),
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.updated_at),
        "closed_at": stamp(record.closed_at),
        "author_association": association(world, repository, record.user),
        "active_lock_reason": None,
        "body": record.body,
        "closed_by": simple_user(world, record.closed_by) if record.closed_by else None,
        "reactions": reaction_rollup(url, record.reactions),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": via_app(world, record.user),
        "state_reason": "completed" if record.state == "closed" and pull is None else None,
    }
    if pull is not None:
        html = f"{world.base_url}/{repository.full_name}/pull/{record.number}"
        body["draft"] = pull.draft
        body["pull_request"] = {
            "url": f"{root}/pulls/{record.number}",
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": stamp(pull.merged_at),
        }
    return body


def comment(world: World, repository: Repository, parent: Issue, record: Comment) -> Json:
    """`issue-comment`."""
    root = repository_url(world, repository)
    page = "pull" if parent.number in repository.pulls else "issues"
    url = f"{root}/issues/comments/{record.id}"
    html = f"{world.base_url}/{repository.full_name}/{page}/{parent.number}"
    return {
        "url": url,
        "html_url": f"{html}#issuecomment-{record.id}",
        "issue_url": f"{root}/issues/{parent.number}",
        "id": record.id,
        "node_id": node_ids.encode("IssueComment", record.id),
        "user": simple_user(world, record.user),
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.updated_at),
        "body": record.body,
        "author_association": association(world, repository, record.user),
        "reactions": reaction_rollup(url, record.reactions),
        "performed_via_github_app": app(world, world.apps[record.app_id]) if record.app_id is not None else None,
    }
