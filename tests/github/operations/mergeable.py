"""What git says about merging a pull request: `mergeable`, and the references under refs/pull.

refs/pull/N/merge is renewed when the head is pushed or the base changed, not when the base's tip moves (GitHub changed
this on 2026-02-19), so it may have an older base as its first parent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github.git import Person
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

WEB_FLOW = Person("GitHub", "noreply@github.com")


async def base_tip(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> str | None:
    return await github.git(repository).rev_parse(f"refs/heads/{pull.base_ref}")


async def refresh(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> None:
    """Makes `mergeable` speak of the present head and the present tip of the base."""
    tip = await base_tip(github, repository, pull)
    if tip is None or pull.mergeable_for == (pull.head_sha, tip):
        return
    tree = await github.git(repository).merge_tree(tip, pull.head_sha)
    pull.mergeable = tree is not None
    pull.mergeable_for = (pull.head_sha, tip)
    pull.mergeable_reads_left = github.world.switches.mergeable_lag_reads


async def fork_point(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> str:
    """Where a pull request's own commits start; it stays as it was when they have landed in the base."""
    tip = await base_tip(github, repository, pull) if pull.issue.state == "open" else None
    found = await github.git(repository).merge_base(tip, pull.head_sha) if tip else None
    if found is not None and found != pull.head_sha:
        pull.fork_point = found
    return pull.fork_point or pull.base_sha


async def visible(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> bool | None:
    """`mergeable` as a reader is told it: null for the first reads after a change, as the switch says."""
    if pull.issue.state == "closed":
        return None
    await refresh(github, repository, pull)
    if pull.mergeable_reads_left > 0:
        pull.mergeable_reads_left -= 1
        return None
    return pull.mergeable


async def renew_references(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> None:
    """Points refs/pull/N/head at the head, and refs/pull/N/merge at a fresh test merge or, on conflict, at nothing."""
    await _take_head(github, repository, pull)
    await refresh(github, repository, pull)
    await fork_point(github, repository, pull)
    git = github.git(repository)
    tip = await base_tip(github, repository, pull)
    tree = await git.merge_tree(tip, pull.head_sha) if tip else None
    if tip is None or tree is None:
        await git.update_ref(f"refs/pull/{pull.number}/merge", "0" * 40)
        pull.test_merge_sha = None
        return
    message = f"Merge {pull.head_sha} into {tip}"
    commit = await git.commit_tree(tree, [tip, pull.head_sha], message, WEB_FLOW, at=github.world.now())
    await git.update_ref(f"refs/pull/{pull.number}/merge", commit)
    repository.verified_commits.add(commit)
    pull.test_merge_sha = commit


async def _take_head(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> None:
    ref = f"refs/pull/{pull.number}/head"
    head = github.world.repositories.get(pull.head_repository_id or 0)
    if head is not None and head.id != repository.id:
        await github.git(repository).fetch(head.git, f"refs/heads/{pull.head_ref}", ref)
        return
    await github.git(repository).update_ref(ref, pull.head_sha)
