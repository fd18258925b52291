"""The merge queue's doors: entering and leaving. What happens in between is in `merge_groups`.

https://docs.github.com/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/merging-a-pull-request-with-a-merge-queue
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github import mergeability, rulesets
from tests.github.auth import Actor, allowed
from tests.github.errors import ApiError, unprocessable
from tests.github.merge_groups import QUEUE_BOT, MergeQueues
from tests.github.operations import merges
from tests.github.queue_entries import find, stack_members
from tests.github.state import Account, PullRequest, QueueEntry, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


QUEUE_BOT_ID = 118344674  # as on github.com


def attach(github: SimulatedGitHub) -> None:
    github.merge_queues = MergeQueues(github)
    github.listeners.append(github.merge_queues.on_event)
    github.settlers.append(github.merge_queues.settle)
    github.world.accounts.setdefault(QUEUE_BOT, Account(QUEUE_BOT_ID, QUEUE_BOT, "Bot"))


async def enqueue(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: Actor,
    expected_head: str | None = None,
    jump: bool = False,
) -> QueueEntry:
    """Add a pull request (of a stack: with all open layers below it) to its target's queue; its entry.

    ApiError 422 with the reason when there is no queue or the pull request may not enter, 403 without the rights.
    """
    _check_rights(github, repository, actor, jump=jump)
    branch = mergeability.target_branch(repository, pull)
    if rulesets.queue_parameters(github.world, repository, branch) is None:
        raise unprocessable(f"Merge queue is not enabled for the branch {branch}")
    if expected_head is not None and expected_head != pull.head_sha:
        raise unprocessable(merges.HEAD_MODIFIED)
    members = [p for p in stack_members(repository, pull) if find(repository, p) is None]
    if not members:
        raise unprocessable("Pull request is already in the merge queue")
    for member in members:
        await _check_entry(github, repository, member)
    return await github.merge_queues.add(repository, branch, members, actor.login, jump=jump)


async def dequeue(github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: Actor) -> QueueEntry:
    """Take a pull request out of its queue; the entry that was. ApiError 422 when it is not queued."""
    _check_rights(github, repository, actor, jump=False)
    entry = find(repository, pull)
    if entry is None:
        raise unprocessable("Pull request is not in the merge queue")
    if entry.state == "LOCKED":
        raise unprocessable("The merge queue entry is locked: it is being merged")
    await github.merge_queues.remove(repository, entry, "MANUAL", actor.login)
    return entry


def _check_rights(github: SimulatedGitHub, repository: Repository, actor: Actor, *, jump: bool) -> None:
    if not allowed(github.world, actor, repository, "contents", "write"):
        raise ApiError(403, "Resource not accessible by integration" if actor.is_bot else "Must have push access")
    if jump and not allowed(github.world, actor, repository, "administration", "write", user="admin"):
        raise unprocessable("Only administrators can jump the merge queue")


async def _check_entry(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> None:
    try:
        merges.check_basics(pull, None)
    except ApiError as error:
        raise unprocessable(error.message) from error
    if await mergeability.state(github, repository, pull) == "DIRTY":
        raise unprocessable(merges.NOT_MERGEABLE)
    lines = await mergeability.refusals(github, repository, pull, queue=True)
    if lines:
        raise unprocessable(rulesets.message_of(lines))
