"""Webhook bodies about refs, repositories, people and installations."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tests.github import node_ids
from tests.github.events import (
    ZERO,
    InstallationChanged,
    InstallationRepositoriesChanged,
    MemberChanged,
    OrganizationMemberChanged,
    RefUpdated,
    RepositoryChanged,
    TeamMemberChanged,
)
from tests.github.git import Commit, Git, Person
from tests.github.payloads import Message, builder, envelope, message
from tests.github.serialize import Json, installation, organization_simple, simple_user, stamp, team
from tests.github.serialize_git import account_of
from tests.github.state import Installation, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

COMMITS_IN_PUSH = 2048


@builder(RefUpdated)
async def ref_updated(github: SimulatedGitHub, event: RefUpdated) -> list[Message]:
    """`push` for every move; `create` and `delete` besides."""
    messages = [await _push(github, event)]
    kind = "branch" if event.branch is not None else "tag"
    name = event.ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    named: Json = {"ref": name, "ref_type": kind, "pusher_type": "user"}
    if event.created:
        described = named | {"master_branch": event.repository.default_branch, "description": None}
        messages.append(message(github, "create", event.repository, event.actor, described))
    if event.deleted:
        messages.append(message(github, "delete", event.repository, event.actor, named))
    return messages


async def _push(github: SimulatedGitHub, event: RefUpdated) -> Message:
    repo, git = event.repository, github.git(event.repository)
    html = f"{github.world.base_url}/{repo.full_name}"
    commits = [] if event.deleted else await _pushed(github.world, repo, git, event)
    body: Json = {
        "ref": event.ref,
        "before": event.before,
        "after": event.after,
        "created": event.created,
        "deleted": event.deleted,
        "forced": event.forced,
        "base_ref": None,
        "compare": f"{html}/compare/{event.before[:12]}...{event.after[:12]}",
        "commits": commits,
        "head_commit": None if event.deleted else await _head_commit(github.world, repo, git, event.after),
        "pusher": {"name": event.actor, "email": f"{event.actor}@users.noreply.github.com"},
        **envelope(github, repo, event.actor),
    }
    body["repository"] |= _push_form(repo)
    return Message("push", body, repo)


def _push_form(repo: Repository) -> Json:
    """Only in `push` a repository's times are numbers, and its owner has name and address."""
    return {
        "created_at": int(repo.created_at.timestamp()),
        "pushed_at": int(repo.pushed_at.timestamp()),
        "stargazers": 0,
        "master_branch": repo.default_branch,
    }


async def _pushed(world: World, repo: Repository, git: Git, event: RefUpdated) -> list[Json]:
    """The new commits, oldest first."""
    known = [f"^{event.before}"] if event.before != ZERO else [f"^{event.after}"]
    found = await git.commits(event.after, *known, limit=COMMITS_IN_PUSH)
    return [await _head_commit(world, repo, git, sha) for sha in reversed(found)]


async def _head_commit(world: World, repo: Repository, git: Git, sha: str) -> Json:
    commit = await git.commit(await git.rev_parse(sha, "commit") or sha)
    changes = await git.diff(commit.parents[0], sha) if commit.parents else []
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": stamp(commit.committed_at),
        "url": f"{world.base_url}/{repo.full_name}/commit/{sha}",
        "author": _committer(world, commit.author, commit.authored_at),
        "committer": _committer(world, commit.committer, commit.committed_at),
        "added": [c.path for c in changes if c.status in ("added", "renamed", "copied")],
        "removed": [c.previous_path or c.path for c in changes if c.status in ("removed", "renamed")],
        "modified": [c.path for c in changes if c.status in ("modified", "changed")],
    }


def _committer(world: World, person: Person, at: datetime) -> Json:
    account = account_of(world, person)
    body: Json = {"name": person.name, "email": person.email, "date": stamp(at)}
    return body | ({"username": account.login} if account else {})


def simple_commit(commit: Commit) -> Json:
    """`simple-commit`, as in check suites and merge groups."""
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": stamp(commit.committed_at),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    }


@builder(RepositoryChanged)
async def repository_changed(github: SimulatedGitHub, event: RepositoryChanged) -> list[Message]:
    body: Json = {"action": event.action, **({"changes": event.changes} if event.changes else {})}
    return [message(github, "repository", event.repository, event.actor, body)]


@builder(MemberChanged)
async def member_changed(github: SimulatedGitHub, event: MemberChanged) -> list[Message]:
    body: Json = {"action": event.action, "member": simple_user(github.world, event.member)}
    if event.action in ("added", "edited"):
        level = event.repository.collaborators.get(event.member, "read")
        body["changes"] = {"permission": {"from": None, "to": level}}
    return [message(github, "member", event.repository, event.actor, body)]


@builder(TeamMemberChanged)
async def team_member_changed(github: SimulatedGitHub, event: TeamMemberChanged) -> list[Message]:
    world = github.world
    body: Json = {
        "action": event.action,
        "scope": "team",
        "member": simple_user(world, event.member),
        "team": team(world, world.teams[event.organization, event.team]),
        "organization": organization_simple(world, event.organization),
        "sender": simple_user(world, event.actor),
    }
    return [Message("membership", body, organization=event.organization)]


@builder(OrganizationMemberChanged)
async def organization_member_changed(github: SimulatedGitHub, event: OrganizationMemberChanged) -> list[Message]:
    world = github.world
    membership: Json = {
        "url": f"{world.base_url}/api/v3/orgs/{event.organization}/memberships/{event.member}",
        "state": world.memberships.get((event.organization, event.member), "inactive"),
        "role": world.organization_roles.get((event.organization, event.member), "member"),
        "organization_url": f"{world.base_url}/api/v3/orgs/{event.organization}",
        "user": simple_user(world, event.member),
    }
    body: Json = {
        "action": event.action,
        "membership": membership,
        "organization": organization_simple(world, event.organization),
        "sender": simple_user(world, event.actor),
    }
    return [Message("organization", body, organization=event.organization)]


def _named(world: World, repository_id: int) -> Json:
    repo = world.repositories[repository_id]
    return {
        "id": repo.id,
        "node_id": node_ids.encode("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def installed_repositories(world: World, record: Installation) -> list[Repository]:
    """The repositories that an installation covers."""
    return [
        repo
        for repo in world.repositories.values()
        if repo.owner == record.account and (record.repository_ids is None or repo.id in record.repository_ids)
    ]


@builder(InstallationChanged)
async def installation_changed(github: SimulatedGitHub, event: InstallationChanged) -> list[Message]:
    world = github.world
    body: Json = {
        "action": event.action,
        "installation": installation(world, event.installation),
        "repositories": [_named(world, r.id) for r in installed_repositories(world, event.installation)],
        "requester": None,
        "sender": simple_user(world, event.actor),
    }
    return [Message("installation", body, installation_id=event.installation.id)]


@builder(InstallationRepositoriesChanged)
async def installation_repositories_changed(
    github: SimulatedGitHub, event: InstallationRepositoriesChanged
) -> list[Message]:
    world = github.world
    body: Json = {
        "action": "added" if event.added else "removed",
        "installation": installation(world, event.installation),
        "repository_selection": "all" if event.installation.repository_ids is None else "selected",
        "repositories_added": [_named(world, number) for number in event.added],
        "repositories_removed": [_named(world, number) for number in event.removed],
        "requester": None,
        "sender": simple_user(world, event.actor),
    }
    return [Message("installation_repositories", body, installation_id=event.installation.id)]
