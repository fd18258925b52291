"""Repositories as GitHub's JSON."""

from __future__ import annotations

from tests.github import node_ids
from tests.github.access import at_least, permission_of
from tests.github.auth import Actor
from tests.github.serialize import Json, api, organization_simple, simple_user, stamp
from tests.github.state import Permission, Repository, World

# Suffix of each address below the repository's own.
ADDRESSES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
ROLES: tuple[tuple[str, Permission], ...] = (
    ("admin", "admin"),
    ("maintain", "maintain"),
    ("push", "write"),
    ("triage", "triage"),
    ("pull", "read"),
)


def repository_url(world: World, record: Repository) -> str:
    return f"{api(world)}/repos/{record.full_name}"


def repository(world: World, record: Repository) -> Json:
    """`repository`, as it is embedded in pull requests and lists."""
    url, html = repository_url(world, record), f"{world.base_url}/{record.full_name}"
    opened = sum(issue.state == "open" for issue in record.issues.values())
    return {
        "id": record.id,
        "node_id": node_ids.encode("Repository", record.id),
        "name": record.name,
        "full_name": record.full_name,
        "private": record.private,
        "owner": simple_user(world, record.owner),
        "html_url": html,
        "description": None,
        "fork": record.fork_of is not None,
        "url": url,
        **{name: url + suffix for name, suffix in ADDRESSES.items()},
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.pushed_at),
        "pushed_at": stamp(record.pushed_at),
        "git_url": f"git://{world.base_url.partition('://')[2]}/{record.full_name}.git",
        "ssh_url": f"git@{world.base_url.partition('://')[2]}:{record.full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "homepage": None,
        "mirror_url": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": True,
        "has_wiki": True,
        "has_pages": False,
        "has_downloads": True,
        "has_discussions": False,
        "has_pull_requests": True,
        "pull_request_creation_policy": "all",
        "forks_count": _forks(world, record),
        "archived": False,
        "disabled": False,
        "open_issues_count": opened,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if record.private else "public",
        "forks": _forks(world, record),
        "open_issues": opened,
        "watchers": 0,
        "default_branch": record.default_branch,
    }


def _forks(world: World, record: Repository) -> int:
    return sum(other.fork_of == record.id for other in world.repositories.values())


def viewed(world: World, record: Repository, actor: Actor) -> Json:
    """A repository with `permissions`, which are all false for an App whatever its token may do."""
    level = permission_of(world, record, actor.login) if actor.kind == "user" else "none"
    return repository(world, record) | {"permissions": {name: at_least(level, role) for name, role in ROLES}}


def full_repository(world: World, record: Repository, actor: Actor) -> Json:
    """`full-repository`."""
    body = viewed(world, record, actor) | {
        "temp_clone_token": None,
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": record.allow_auto_merge,
        "delete_branch_on_merge": False,
        "allow_update_branch": False,
        "squash_merge_commit_message": record.squash_merge_commit_message,
        "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
        "merge_commit_message": record.merge_commit_message,
        "merge_commit_title": "MERGE_MESSAGE",
        "network_count": 0,
        "subscribers_count": 0,
    }
    if world.accounts[record.owner].type == "Organization":
        body["organization"] = simple_user(world, record.owner)
    origin = world.repositories.get(record.fork_of or 0)
    if origin is not None:
        body |= {"parent": repository(world, origin), "source": repository(world, origin)}
    return body


def owner_of_payload(world: World, record: Repository) -> Json:
    """The `organization` key of a webhook, absent for repositories of people."""
    if world.accounts[record.owner].type != "Organization":
        return {}
    return {"organization": organization_simple(world, record.owner)}
