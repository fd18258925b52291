"""What the GraphQL documents answer about pull requests and the merge queue; the parts are in `models`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field

from app.github.models import Actor, App, Comment, Connection, HeadCommit, Label, Model, Oid, PullCommit, TargetCommit


class Review(Model):
    """`commit` is None when the reviewed commit is gone, `author` for a deleted account."""

    id: str
    full_database_id: int
    state: str
    body: str
    submitted_at: AwareDatetime | None
    updated_at: AwareDatetime
    last_edited_at: AwareDatetime | None
    commit: Oid | None
    author: Actor | None
    author_can_push_to_repository: bool
    author_association: str


class Event(Model):
    created_at: AwareDatetime | None = None


class Timeline(Model):
    nodes: tuple[Event | None, ...] | None


class QueueRemoval(Model):
    """The pull request left the merge queue, by a merge or without one. `before_commit` is its group's commit then."""

    created_at: AwareDatetime | None = None
    reason: str | None = None
    before_commit: Oid | None = None


class QueueRemovals(Model):
    nodes: tuple[QueueRemoval | None, ...] | None


class QueueEntry(Model):
    """`head_commit` and `base_commit` are None until the entry's group is built. States are GitHub's words."""

    id: str
    position: int
    state: str
    enqueued_at: AwareDatetime
    enqueuer: Actor
    head_commit: Oid | None
    base_commit: Oid | None


class EntryHead(Model):
    """The head of the group that an entry of the queue is tried with; None until it is built."""

    head_commit: Oid | None


class Queue(Model):
    id: str


class AutoMerge(Model):
    enabled_at: AwareDatetime | None
    enabled_by: Actor | None


class Reviewer(Model):
    """A requested reviewer: a person has `login`, a team `slug`."""

    type: str = Field(alias="__typename")
    login: str | None = None
    slug: str | None = None
    database_id: int | None = None


class ReviewRequest(Model):
    requested_reviewer: Reviewer | None


class MergeCommit(Model):
    oid: str
    tree: Oid
    parents: Connection[Oid]


class HeadRepository(Model):
    database_id: int
    name_with_owner: str


class BranchTip(Model):
    """A branch by its short name; `target` is its tip."""

    name: str
    target: TargetCommit


def _on_commit(ref: Any) -> Any:
    """Git lets a branch point at commits only; a ref without one is no branch to judge by, so it reads as None."""
    return ref if not isinstance(ref, dict) or (ref.get("target") or {}).get("oid") else None


MaybeBranch = Annotated[BranchTip | None, BeforeValidator(_on_commit)]


class TipOid(Model):
    name: str
    target: Oid | None


class PullRequest(Model):
    """A pull request with all that the gate judges. Lists say themselves whether they are complete."""

    id: str
    full_database_id: int
    number: int
    state: str
    is_draft: bool
    title: str
    body: str
    url: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    last_edited_at: AwareDatetime | None
    author: Actor | None
    head_ref_oid: str
    head_ref_name: str
    head_repository: HeadRepository | None
    is_cross_repository: bool
    base_ref_name: str
    base_ref_oid: str
    base_ref: MaybeBranch
    changed_files: int
    additions: int
    deletions: int
    mergeable: str
    merge_state_status: str
    merged_at: AwareDatetime | None
    merged_by: Actor | None
    merge_commit: MergeCommit | None
    labels: Connection[Label] | None
    comments: Connection[Comment]
    commits: Connection[PullCommit]
    head: Connection[HeadNode]
    reviews: Connection[Review] | None
    base_changes: Timeline
    queue_removals: QueueRemovals = QueueRemovals(nodes=None)
    merge_queue: Queue | None
    merge_queue_entry: QueueEntry | None
    auto_merge_request: AutoMerge | None
    review_requests: Connection[ReviewRequest] | None

    @property
    def head_commit(self) -> HeadCommit | None:
        """The commit at `head_ref_oid`; None while GitHub's list of commits lags behind the head."""
        commits = [node.commit for node in self.head.nodes if node.commit.oid == self.head_ref_oid]
        return commits[0] if commits else None

    @property
    def base_changed_at(self) -> AwareDatetime | None:
        """When the pull request was last pointed at another base branch."""
        events = [event for event in self.base_changes.nodes or () if event is not None]
        return events[-1].created_at if events else None

    @property
    def newest_removal(self) -> QueueRemoval | None:
        """Its newest leaving of the merge queue."""
        removals = [removal for removal in self.queue_removals.nodes or () if removal is not None]
        return removals[-1] if removals else None

    @property
    def complete(self) -> bool:
        """Whether nothing was cut: commits, reviews, comments, labels, review requests, suites and check runs."""
        head = self.head_commit
        lists = (self.comments, self.commits, self.labels, self.reviews, self.review_requests)
        return head is not None and head.complete and all(part is not None and part.complete for part in lists)


class HeadNode(Model):
    commit: HeadCommit


class Repository(Model):
    id: str
    database_id: int
    name_with_owner: str
    is_private: bool
    is_archived: bool
    default_branch_ref: TipOid | None
    merge_commit_allowed: bool = False
    merge_commit_message: str = ""
    squash_merge_allowed: bool = False
    squash_merge_commit_message: str = ""

    @property
    def methods_with_body(self) -> tuple[str, ...]:
        """Ways of merging whose commits get the pull request's text for a message, unless whoever merges gives one."""
        ways = (
            ("merge", self.merge_commit_allowed, self.merge_commit_message),
            ("squash", self.squash_merge_allowed, self.squash_merge_commit_message),
        )
        return tuple(name for name, allowed, message in ways if allowed and message == "PR_BODY")


class PullState(Model):
    """Answer of one read of a pull request: the repository, the pull request, and the points that it cost."""

    repository: Repository
    pull: PullRequest
    cost: int

    @property
    def complete(self) -> bool:
        return self.pull.complete


class ReviewMark(Model):
    full_database_id: int
    state: str
    updated_at: AwareDatetime
    commit: Oid | None


class PullHead(Model):
    """The small re-read before something is posted: all that would make a verdict stale."""

    id: str
    number: int
    state: str
    is_draft: bool
    updated_at: AwareDatetime
    last_edited_at: AwareDatetime | None
    head_ref_oid: str
    base_ref_name: str
    base_ref_oid: str
    base_ref: TipOid | None
    mergeable: str
    merge_state_status: str
    reviews: Connection[ReviewMark] | None
    merge_queue_entry: QueueEntry | None


class QueuedPull(Model):
    id: str
    number: int
    state: str
    head_ref_oid: str
    base_ref_name: str
    author: Actor | None


class QueuedEntry(QueueEntry):
    """An entry with its pull request, as the queue lists it."""

    pull_request: QueuedPull | None


class SuiteStamp(Model):
    app: App | None
    updated_at: AwareDatetime


class _StampedCommit(Model):
    oid: str
    check_suites: Connection[SuiteStamp] | None


class _StampedHead(Model):
    commit: _StampedCommit


class OpenPull(Model):
    """A pull request as the listing of a repository shows it: where it stands, and when it last changed."""

    id: str
    number: int
    head_ref_oid: str
    head_ref_name: str
    base_ref_name: str
    base_ref: TipOid | None
    is_draft: bool
    is_cross_repository: bool
    updated_at: AwareDatetime
    merge_queue_entry: EntryHead | None
    head: Connection[_StampedHead]

    @property
    def target_sha(self) -> str | None:
        """The tip of the branch that it aims at; None when that branch is gone."""
        return self.base_ref.target.oid if self.base_ref and self.base_ref.target else None

    @property
    def suites(self) -> tuple[SuiteStamp, ...]:
        """The newest check suites of the head; none while GitHub's list of commits lags behind it."""
        commits = [node.commit for node in self.head.nodes if node.commit.oid == self.head_ref_oid]
        return tuple(suite for commit in commits if commit.check_suites for suite in commit.check_suites.nodes)
