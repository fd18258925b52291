"""What a merge queue decides from the records: which entries are green, late, ready to land."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.github import mergeability
from tests.github.queue_entries import parameters
from tests.github.state import QueueEntry, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def late(github: SimulatedGitHub, repository: Repository, branch: str, entry: QueueEntry) -> bool:
    settings = parameters(github, repository, branch)
    if settings is None or entry.state != "AWAITING_CHECKS" or entry.requested_at is None:
        return False
    limit = timedelta(minutes=settings["check_response_timeout_minutes"])
    return github.world.now() >= entry.requested_at + limit


def verdict(github: SimulatedGitHub, repository: Repository, branch: str, sha: str) -> str:
    states = {check.state for check in mergeability.required_checks(github.world, repository, branch, sha)}
    if "failing" in states:
        return "UNMERGEABLE"
    return "MERGEABLE" if states <= {"passing"} else "AWAITING_CHECKS"


def ready(github: SimulatedGitHub, repository: Repository, branch: str) -> list[QueueEntry]:
    """The entries that may land now, from the head: all green, or with HEADGREEN up to the last green one."""
    settings = parameters(github, repository, branch)
    if settings is None:
        return []
    first = repository.queues.get(branch, [])[: settings["max_entries_to_merge"]]
    green = [entry.state == "MERGEABLE" for entry in first]
    if settings["grouping_strategy"] == "HEADGREEN":
        return first[: max((place for place, good in enumerate(green, start=1) if good), default=0)]
    return first[: green.index(False) if False in green else len(first)]


def waited(github: SimulatedGitHub, repository: Repository, branch: str) -> bool:
    settings, green = parameters(github, repository, branch), ready(github, repository, branch)
    if settings is None or not green or green[0].requested_at is None:
        return False
    wait = timedelta(minutes=settings["min_entries_to_merge_wait_minutes"])
    return github.world.now() >= green[0].requested_at + wait
