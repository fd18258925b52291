"""Auto-merge: a standing wish that GitHub fulfils as soon as nothing keeps the pull request from merging.

https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github import merge_queue, mergeability, queue_entries, rule_suites, rulesets
from tests.github.auth import Actor, allowed
from tests.github.errors import ApiError, unprocessable
from tests.github.events import (
    CheckRunChanged,
    DomainEvent,
    PullRequestChanged,
    RepositoryEvent,
    ReviewSubmitted,
    RulesetChanged,
    StatusCreated,
)
from tests.github.operations import mergeable, merges
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

NOT_ALLOWED = "Pull request Auto merge is not allowed for this repository"  # recorded wording
CAUSES = (CheckRunChanged, PullRequestChanged, ReviewSubmitted, RulesetChanged, StatusCreated)


def attach(github: SimulatedGitHub) -> None:
    async def watch(event: DomainEvent) -> None:
        if isinstance(event, CAUSES):
            await _look(github, event)

    github.listeners.append(watch)


async def enable(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: Actor,
    method: str = "merge",
    *,
    expected_head: str | None = None,
    title: str | None = None,
    body: str | None = None,
) -> None:
    """Switch auto-merge on; with a queue and nothing in the way the pull request is enqueued at once.

    ApiError 422 when the repository does not allow it, the pull request is not open, is in a stack, has moved, or
    could be merged right away.
    """
    if not allowed(github.world, actor, repository, "contents", "write"):
        raise ApiError(403, "Resource not accessible by integration" if actor.is_bot else "Must have push access")
    _check(repository, pull, expected_head)
    branch = mergeability.target_branch(repository, pull)
    queue = rulesets.queue_parameters(github.world, repository, branch)
    state = await mergeability.state(github, repository, pull)
    if queue is None and state in {"CLEAN", "UNSTABLE"}:
        raise unprocessable(f"Pull request Pull request is in {state.lower()} status")
    now = github.world.now()
    wish = {"method": method, "by": actor.login, "enabled_at": now, "title": title, "body": body, "actor": actor}
    pull.auto_merge = wish
    await github.publish(PullRequestChanged(repository, pull, "auto_merge_enabled", actor.login))


async def disable(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: Actor, reason: str = "manual"
) -> None:
    """Switch auto-merge off; ApiError 422 when it is not on."""
    if pull.auto_merge is None:
        raise unprocessable("Can't disable auto-merge for this pull request.")
    pull.auto_merge = None
    extra = {"reason": reason}
    await github.publish(PullRequestChanged(repository, pull, "auto_merge_disabled", actor.login, extra=extra))


def _check(repository: Repository, pull: PullRequest, expected_head: str | None) -> None:
    if not repository.allow_auto_merge:
        raise unprocessable(NOT_ALLOWED)
    if pull.stack_id is not None:
        raise unprocessable("Auto-merge is not available for pull requests in a stack")
    if pull.issue.state == "closed":
        raise unprocessable("Pull request is closed")
    if pull.draft:
        raise unprocessable("Pull request Pull request is in draft state")
    if expected_head is not None and expected_head != pull.head_sha:
        raise unprocessable(merges.HEAD_MODIFIED)


async def _look(github: SimulatedGitHub, event: RepositoryEvent) -> None:
    for pull in list(event.repository.pulls.values()):
        if pull.auto_merge is None or pull.issue.state != "open":
            continue
        if isinstance(event, PullRequestChanged) and event.pull is pull and "base" in event.changes:
            await disable(github, event.repository, pull, pull.auto_merge["actor"], "base changed")
        elif await mergeability.state(github, event.repository, pull) in {"CLEAN", "UNSTABLE"}:
            await _fulfil(github, event.repository, pull)


async def _fulfil(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> None:
    wish = pull.auto_merge
    if wish is None:
        return
    branch = mergeability.target_branch(repository, pull)
    if rulesets.queue_parameters(github.world, repository, branch) is not None:
        if queue_entries.find(repository, pull) is None:
            await merge_queue.enqueue(github, repository, pull, wish["actor"])
        return
    tip = await mergeable.base_tip(github, repository, pull)
    person = merges.person_of(github, wish["by"])
    message = merges.Message(wish["title"], wish["body"])
    commit = await merges.merged_commit(github, repository, pull, tip or "", wish["method"], person, message)
    if commit is not None and tip is not None and pull.auto_merge is wish:
        pull.auto_merge = None
        suite = await rule_suites.of_merge(github, repository, pull, commit, tip, wish["by"])
        await merges.land(github, repository, [(pull, commit)], wish["by"], branch=pull.base_ref, expected=tip)
        rule_suites.keep(repository, [suite])
