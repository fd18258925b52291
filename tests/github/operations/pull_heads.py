"""Pull requests follow their branches: a pushed head is synchronised, a moved base is judged anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github.events import DomainEvent, PullRequestChanged, RefUpdated
from tests.github.operations import mergeable
from tests.github.operations.pulls import close_pull, edit_pull, mark_merged
from tests.github.operations.reviews import dismiss_stale
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

PLAIN_PUSHES = ("push", "force_push")


def attach(github: SimulatedGitHub) -> None:
    async def follow(event: DomainEvent) -> None:
        if isinstance(event, RefUpdated) and event.branch is not None:
            await follow_heads(github, event, event.branch)
            await follow_bases(github, event, event.branch)

    github.listeners.append(follow)


async def follow_heads(github: SimulatedGitHub, event: RefUpdated, branch: str) -> None:
    for repository, pull in open_pulls_from(github, event.repository, branch):
        if event.deleted:
            await close_pull(github, repository, pull, event.actor)
        elif pull.head_sha != event.after:
            await synchronize(github, repository, pull, event)


def open_pulls_from(github: SimulatedGitHub, source: Repository, branch: str) -> list[tuple[Repository, PullRequest]]:
    """Open pull requests whose head is this branch, in whatever repository they are."""
    return [
        (repository, pull)
        for repository in github.world.repositories.values()
        for pull in repository.pulls.values()
        if pull.issue.state == "open" and (pull.head_repository_id, pull.head_ref) == (source.id, branch)
    ]


async def synchronize(github: SimulatedGitHub, repository: Repository, pull: PullRequest, event: RefUpdated) -> None:
    pull.head_sha = event.after
    pull.base_sha = await mergeable.base_tip(github, repository, pull) or pull.base_sha
    pull.issue.updated_at = github.world.now()
    await mergeable.renew_references(github, repository, pull)
    extra = {"before": event.before, "after": event.after}
    await github.publish(PullRequestChanged(repository, pull, "synchronize", event.actor, extra=extra))
    await dismiss_stale(github, repository, pull, event.before, event.actor)


async def follow_bases(github: SimulatedGitHub, event: RefUpdated, branch: str) -> None:
    """A pull request whose commits a plain push has brought into the base is merged, as GitHub marks it."""
    repository = event.repository
    for pull in list(repository.pulls.values()):
        if pull.issue.state != "open" or pull.base_ref != branch:
            continue
        if event.deleted:
            await _lose_base(github, pull, event, branch)
            continue
        fork_point = await github.git(repository).merge_base(event.after, pull.head_sha)
        if fork_point == pull.head_sha:
            await _landed(github, pull, event)
        else:
            pull.base_sha, pull.fork_point = event.after, fork_point or pull.fork_point


async def _lose_base(github: SimulatedGitHub, pull: PullRequest, event: RefUpdated, branch: str) -> None:
    """Closed, unless the branch was the head of a merged pull request: then that one's base takes its place.

    https://docs.github.com/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/changing-the-base-branch-of-a-pull-request
    """
    merged = [p for p in event.repository.pulls.values() if p.merged_at is not None and p.head_ref == branch]
    if merged:
        await edit_pull(github, event.repository, pull, event.actor, base=merged[-1].base_ref)
    else:
        await close_pull(github, event.repository, pull, event.actor)


async def _landed(github: SimulatedGitHub, pull: PullRequest, event: RefUpdated) -> None:
    """A merge by the API or the queue marks its pull requests itself."""
    if event.activity_type in PLAIN_PUSHES:
        await mark_merged(github, event.repository, pull, event.actor, event.after)
