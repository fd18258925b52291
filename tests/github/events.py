"""What happened in the simulated GitHub. Whoever changes a record publishes one of these.

Webhooks, Actions, the merge queue and the pull requests' heads follow from them. `actor` is always a login.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.github.git_objects import ZERO as ZERO
from tests.github.state import (
    CheckRun,
    CheckSuite,
    Comment,
    CommitStatus,
    Installation,
    Issue,
    Job,
    Label,
    PullRequest,
    QueueEntry,
    Repository,
    Review,
    ReviewComment,
    Ruleset,
    WorkflowRun,
)


@dataclass(frozen=True)
class DomainEvent:
    """Base of all events."""


@dataclass(frozen=True)
class RepositoryEvent(DomainEvent):
    """An event in one repository."""

    repository: Repository


@dataclass(frozen=True)
class RefUpdated(RepositoryEvent):
    """A ref was created (`before` all zeros), moved, or deleted (`after` all zeros). `ref` is the full name."""

    ref: str
    before: str
    after: str
    actor: str
    forced: bool = False
    activity_type: str = "push"  # as in the repository activity API: push, force_push, pr_merge ...

    @property
    def branch(self) -> str | None:
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else None

    @property
    def created(self) -> bool:
        return self.before == ZERO

    @property
    def deleted(self) -> bool:
        return self.after == ZERO


@dataclass(frozen=True)
class PullRequestChanged(RepositoryEvent):
    """`changes` is the webhook's `changes`; `extra` are further top-level keys (label, before, after, reason ...)."""

    pull: PullRequest
    action: str
    actor: str
    changes: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReviewSubmitted(RepositoryEvent):
    """`action` is submitted, edited or dismissed."""

    pull: PullRequest
    review: Review
    action: str
    actor: str


@dataclass(frozen=True)
class ReviewCommentCreated(RepositoryEvent):
    pull: PullRequest
    comment: ReviewComment
    actor: str


@dataclass(frozen=True)
class IssueChanged(RepositoryEvent):
    issue: Issue
    action: str
    actor: str
    changes: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CommentChanged(RepositoryEvent):
    """A comment on an issue or in the conversation of a pull request: created, edited, deleted."""

    issue: Issue
    comment: Comment
    action: str
    actor: str
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelChanged(RepositoryEvent):
    label: Label
    action: str
    actor: str


@dataclass(frozen=True)
class CheckRunChanged(RepositoryEvent):
    """`extra` carries `requested_action` for that action."""

    check_run: CheckRun
    action: str
    actor: str
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckSuiteChanged(RepositoryEvent):
    suite: CheckSuite
    action: str
    actor: str


@dataclass(frozen=True)
class StatusCreated(RepositoryEvent):
    status: CommitStatus


@dataclass(frozen=True)
class WorkflowRunChanged(RepositoryEvent):
    run: WorkflowRun
    action: str
    actor: str


@dataclass(frozen=True)
class WorkflowJobChanged(RepositoryEvent):
    run: WorkflowRun
    job: Job
    action: str
    actor: str


@dataclass(frozen=True)
class MergeGroupChanged(RepositoryEvent):
    """`action` is checks_requested or destroyed; `reason` (merged, invalidated, dequeued) only for the latter."""

    entry: QueueEntry
    action: str
    branch: str
    reason: str | None = None


@dataclass(frozen=True)
class RulesetChanged(RepositoryEvent):
    ruleset: Ruleset
    action: str
    actor: str
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RepositoryChanged(RepositoryEvent):
    action: str
    actor: str
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MemberChanged(RepositoryEvent):
    """A collaborator was added, edited or removed."""

    member: str
    action: str
    actor: str


@dataclass(frozen=True)
class TeamMemberChanged(DomainEvent):
    """The `membership` event: added or removed."""

    organization: str
    team: str
    member: str
    action: str
    actor: str


@dataclass(frozen=True)
class OrganizationMemberChanged(DomainEvent):
    """The `organization` event: member_added or member_removed."""

    organization: str
    member: str
    action: str
    actor: str


@dataclass(frozen=True)
class InstallationChanged(DomainEvent):
    """`installation`: created, deleted, suspend, unsuspend, new_permissions_accepted."""

    installation: Installation
    action: str
    actor: str


@dataclass(frozen=True)
class InstallationRepositoriesChanged(DomainEvent):
    installation: Installation
    added: tuple[int, ...]
    removed: tuple[int, ...]
    actor: str
