"""Evidence of the level `ci`: what the workflows' own runs on this head prove."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from checks.finding import Finding
from checks.paths import PathPatterns
from checks.snapshot import GroupSnapshot, Job, Snapshot


@dataclass(frozen=True, slots=True)
class CiRequirement:
    """Which runs count and what they must have done.

    `workflows` None: every workflow file. `jobs` are names of jobs that must have succeeded (`test` also stands for
    its matrix legs `test (…)`); `commands` must have run exactly so; those of the ticket are added by the check.
    `wait` is how long after the head was seen a missing run is still awaited.
    """

    workflows: PathPatterns | None = None
    jobs: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    allow_push: bool = False
    wait: timedelta = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class CiResult:
    """`jobs` are those whose conclusion and log agree on success, for what is shown and compared afterwards."""

    findings: tuple[Finding, ...]
    jobs: tuple[Job, ...]


def check(snapshot: Snapshot, requirement: CiRequirement) -> CiResult:
    raise NotImplementedError


def check_group(group: GroupSnapshot, requirement: CiRequirement, accepted_changes: Collection[str] = ()) -> CiResult:
    """The same for a merge group: runs of the event `merge_group` on the group's head.

    `accepted_changes` are workflow files that people's own pull requests in the group change.
    """
    raise NotImplementedError
