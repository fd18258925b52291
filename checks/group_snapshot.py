"""Everything observed about one merge group at its head, frozen. What could not be read is an `Unread`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from checks.runs import Baseline, CheckRun, WorkflowFile, WorkflowRun
from checks.snapshot import Repository, Risk
from checks.unread import Unread

MemberState = Literal["passed", "failed", "pending", "errored"]


@dataclass(frozen=True, slots=True)
class DeclaredTests:
    """How many tests a bundle says were removed, and how many are skipped."""

    removed: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A pull request in a merge group, with the gate's verdict on it at this moment."""

    number: int
    enqueued_head: str
    current_head: str | None  # None: could not be read
    evidence: MemberState
    review: MemberState
    reason: str  # of the first thing that is not passed
    risk: Risk | None = None  # None: not known
    declared: DeclaredTests | None = DeclaredTests()  # None: a person's own work, which declares nothing


@dataclass(frozen=True, slots=True)
class TreeRebuild:
    """The group's tree against the tree rebuilt from base and members with git.

    `rebuilt` is None where git is not determined; then `outside_paths` (paths the group changes that no member
    changes) must be empty.
    """

    actual: str
    rebuilt: str | None
    outside_paths: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class GroupSnapshot:
    """A merge group at its head SHA."""

    repository: Repository
    head_sha: str
    base_sha: str
    target_ref: str
    members: tuple[GroupMember, ...] | Unread
    rebuild: TreeRebuild | Unread
    runs: tuple[WorkflowRun, ...] | Unread
    workflows: tuple[WorkflowFile, ...] | Unread
    observed_at: datetime
    head_seen_at: datetime | None = None  # when the gate first saw this group
    accepted_changes: tuple[str, ...] = ()  # paths that people's own members change, which may change workflows
    check_runs: tuple[CheckRun, ...] | Unread = ()  # of other Apps on the group's head
    baselines: tuple[Baseline, ...] | Unread | None = None  # of its base, else of the target branch; None: not asked
    frozen: str | None = None  # why nothing may land now, of the first member that may not pass that
    event: str = "merge_group"  # of the runs that count; `push` where the gate itself built it on a branch of its own
