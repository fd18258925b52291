"""Everything observed about one pull request at one head SHA, frozen.

A snapshot is made by `app.gate.observe` from GitHub, git and the store, or by the command line from a local clone.
What could not be read is an `Unread` with its cause, never an empty value: an empty tuple means "looked, none there".
Times are aware datetimes. Refs are full names (`refs/heads/main`), commits and trees are hexadecimal object ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from checks.accounts import Account, Comment, Commit, Override, Permission, Review
from checks.codeowners import Codeowners
from checks.dependency_updates import UpdateReading
from checks.diff import Diff
from checks.native_rules import NativeReviews
from checks.opinions import Opinions
from checks.runs import Baseline, CheckRun, Verification, WorkflowFile, WorkflowRun
from checks.tampering.alteration import Analysis
from checks.unread import Unread


class Risk(IntEnum):
    """Ordered, so that the highest of several is `max`."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """What another policy would make of an open pull request; statuses are those of `checks.finding`."""

    number: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PolicyProposal:
    """The policy file as the head has it, where the pull request changes it.

    `faults` are sentences about what is wrong with it, `changes` the open pull requests whose verdict it would
    change. `compared` counts those that were looked at, `total` those that are open.
    """

    faults: tuple[str, ...] = ()
    deleted: bool = False
    changes: tuple[VerdictChange, ...] = ()
    compared: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Ticket:
    """The accepted ticket, as frozen at acceptance."""

    id: str
    digest: str
    allowed_paths: tuple[str, ...] = ()  # gitignore-style patterns; empty: no limit
    forbidden_paths: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    verification_commands: tuple[str, ...] = ()
    agent: str | None = None
    operator: str | None = None  # login of the person who runs the agent
    blocked: str | None = None  # why nothing of it may be merged, after "the ticket": `was stopped`
    held_by: str | None = None  # login of the person who keeps its pull request out of the queue
    held_because: str | None = None
    migration: bool = False  # stored data or its schema is touched: a person decides


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of a stack. `held` says whether the head that is judged holds this layer's present head."""

    number: int
    head_sha: str
    held: bool = True


@dataclass(frozen=True, slots=True)
class Stack:
    """A native stack of pull requests; layers are judged against its base, never an intermediate branch."""

    number: int
    base_ref: str
    base_sha: str
    position: int  # from 1, the bottom
    size: int
    below: tuple[Layer, ...] | Unread = ()  # open ones, from the bottom; empty where nobody asked


@dataclass(frozen=True, slots=True)
class Repository:
    id: int
    owner: str
    name: str
    default_branch: str  # full ref
    private: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class Head:
    sha: str
    tree: str | None
    ref: str  # full ref in the head repository
    repository_id: int | None  # None: the fork was deleted
    pusher: Account | None = None  # None: unknown, which counts as an agent
    committed_at: datetime | None = None  # the committer's own word


@dataclass(frozen=True, slots=True)
class BranchSession:
    """The proxy session that the head's branch belongs to: the one that pushed the head, else the newest."""

    id: int
    agent: str
    live: bool
    brought_head: bool  # the ledger has a push of it that moved the branch to this head


@dataclass(frozen=True, slots=True)
class CommitPath:
    """A path that one commit touches."""

    sha: str
    path: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """See the module's paragraph. `target_*` is the stack's base in a stack, else the pull request's base."""

    repository: Repository
    number: int | None  # None: a local judgement
    title: str
    body: str
    author: Account | Unread
    draft: bool
    open: bool
    head: Head
    base_ref: str
    target_ref: str
    target_sha: str
    merge_base: str | Unread
    diff: Diff | Unread  # merge base to head
    merge_diff: Diff | Unread  # target tip to the merge of head into it
    mergeable: bool | None  # by git itself: False on conflict, None when undetermined
    changed_files_total: int | Unread  # GitHub's own count
    commits: tuple[Commit, ...] | Unread
    comments: tuple[Comment, ...]  # those of the pull request's author that hold a bundle block, oldest first
    reviews: tuple[Review, ...] | Unread
    runs: tuple[WorkflowRun, ...] | Unread
    workflows: tuple[WorkflowFile, ...] | Unread
    check_runs: tuple[CheckRun, ...] | Unread
    observed_at: datetime
    permissions: Mapping[str, Permission | Unread] = field(default_factory=dict)  # by login, as far as asked
    # Team slug to its active members, as far as asked.
    teams: Mapping[str, frozenset[str] | Unread] = field(default_factory=dict)
    # Login of an organisation to its active members, as far as asked.
    organizations: Mapping[str, frozenset[str] | Unread] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    stack: Stack | None = None
    ticket: Ticket | None = None
    operator: str | None = None  # who runs the agent, from its session or ticket
    session_agent: str | None = None  # agent of the proxy session that pushed the head
    session: BranchSession | None = None
    # Paths that a commit between merge base and head touches and `diff` does not hold; None: not asked for.
    passing_paths: tuple[CommitPath, ...] | Unread | None = None
    shared_head: tuple[int, ...] = ()  # pull requests, open or not, that had this head and another base
    base_changed_at: datetime | None = None  # when this pull request was last pointed at another base
    tested_bases: frozenset[str] = frozenset()  # commits named by logs that the target's history holds
    head_seen_at: datetime | None = None  # when this head was first seen by the gate
    seen_runs: tuple[int, ...] = ()  # ids of workflow runs that the gate saw on this head before
    baselines: tuple[Baseline, ...] | Unread | None = None  # of the target branch; None: not asked
    url: str | None = None
    body_edited_at: datetime | None = None
    analysis: Analysis | Unread | None = None  # of what would land; None: not asked for
    # Symbolic links of the target's tip and of what would land, to what they name in the repository (`.`: all of it).
    aliases: Mapping[str, str] | Unread = field(default_factory=dict)
    twins: tuple[tuple[str, str], ...] = ()  # changed paths that some file systems take for another path, in pairs
    merge_tree: str | None = None  # of merging the head into `target_sha`; None where there is none
    verifications: tuple[Verification, ...] | Unread = ()  # that the gate started on this head
    methods_with_body: tuple[str, ...] = ()  # of merging (`merge`, `squash`), whose message is `body`
    gate_login: str | None = None  # the gate's own, as GitHub names the actor of what it starts
    # Earlier heads to which this one only adds clean merges of the target branch that leave every change as it was.
    same_change: frozenset[str] = frozenset()
    overrides: tuple[Override, ...] = ()
    # Who brought commits of it before the head, as far as their pushes were delivered.
    earlier_pushers: tuple[Account, ...] = ()
    native_reviews: NativeReviews | Unread | None = None  # None: not asked, as nothing shows that they wait
    dependency_updates: UpdateReading | None = None  # of a dependency bot's pull request; None: not looked at
    codeowners: Codeowners | Unread | None = None  # what decides about the touched paths; None: not asked for
    # What `/approve CODE` can name: every code that was shown on this pull request, to the verdict key it stands for.
    approval_codes: Mapping[str, str] = field(default_factory=dict)
    policy_proposal: PolicyProposal | Unread | None = None  # None: the policy file is not changed
    opinions: Opinions | None = None  # of independent judges; None: no policy asks for one

    @property
    def is_fork(self) -> bool:
        return self.head.repository_id != self.repository.id
