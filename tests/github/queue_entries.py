"""Looking things up in merge queues: entries, their places, a queue's settings, the layers of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.github import rulesets
from tests.github.state import PullRequest, QueueEntry, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

# The documented defaults of the rule's parameters.
DEFAULTS: dict[str, Any] = {
    "check_response_timeout_minutes": 60,
    "grouping_strategy": "ALLGREEN",
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "MERGE",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}


def find(repository: Repository, pull: PullRequest) -> QueueEntry | None:
    entries = (entry for queue in repository.queues.values() for entry in queue)
    return next((entry for entry in entries if entry.pull_number == pull.number), None)


def position(repository: Repository, entry: QueueEntry) -> int:
    """1 for the head of the queue."""
    return repository.queues[branch_of(repository, entry)].index(entry) + 1


def branch_of(repository: Repository, entry: QueueEntry) -> str:
    return next(branch for branch, queue in repository.queues.items() if entry in queue)


def parameters(github: SimulatedGitHub, repository: Repository, branch: str) -> dict[str, Any] | None:
    """The queue's settings with defaults filled in; None without a queue."""
    given = rulesets.queue_parameters(github.world, repository, branch)
    return None if given is None else DEFAULTS | given


def stack_members(repository: Repository, pull: PullRequest) -> list[PullRequest]:
    """The pull request itself, or of a stack every open layer up to it, from the bottom."""
    stack = repository.stacks.get(pull.stack_id or 0)
    if stack is None or pull.number not in stack.pulls:
        return [pull]
    layers = [repository.pulls[number] for number in stack.pulls[: stack.pulls.index(pull.number) + 1]]
    return [layer for layer in layers if layer.issue.state == "open"]
