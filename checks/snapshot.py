"""Everything observed about one pull request at one head SHA, frozen.

A snapshot is made by `app.gate.observe` from GitHub, git and the store, or by the command line from a local clone.
What could not be read is an `Unread` with its cause, never an empty value: an empty tuple means "looked, none there".
Times are aware datetimes. Refs are full names (`refs/heads/main`), commits and trees are hexadecimal object ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Literal

from checks.codeowners import Codeowners
from checks.dependency_updates import UpdateReading
from checks.logs.report import LogReport
from checks.native_rules import NativeReviews
from checks.opinions import Opinions
from checks.reports.report import TestReport
from checks.tampering.alteration import Analysis


@dataclass(frozen=True, slots=True)
class Unread:
    """A part that could not be read.

    `offline` is true where only GitHub can tell and nobody asked it (a local judgement): that is pending, never an
    error and never assumed.
    """

    because: str
    offline: bool = False


class Risk(IntEnum):
    """Ordered, so that the highest of several is `max`."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def word(self) -> str:
        return self.name.lower()


class Permission(IntEnum):
    """A person's permission on a repository, in GitHub's words and order."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


@dataclass(frozen=True, slots=True)
class Account:
    """A GitHub account. `type` is GitHub's word: `User`, `Bot`, `Organization`, `Mannequin`; unknown words are kept."""

    login: str
    id: int | None = None
    type: str = "User"

    @property
    def is_bot(self) -> bool:
        return self.type != "User" or self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class CommitIdentity:
    """Author or committer of a commit. `account` is None when GitHub maps the e-mail address to nobody."""

    name: str
    email: str
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    message: str  # at most the first 8 KiB
    author: CommitIdentity
    committer: CommitIdentity
    signature_valid: bool = False
    signed_by_github: bool = False  # web-flow and GitHub's own agents


class FileStatus(StrEnum):
    """GitHub's and git's words for what happened to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type-changed"


SYMLINK_MODE = "120000"
SUBMODULE_MODE = "160000"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed path as `git diff --raw -z` and `--numstat` give it (rename detection on).

    `old_mode` and `new_mode` are git's six octal digits, `000000` on the absent side. Additions and deletions are
    lines, 0 for a binary file.
    """

    path: str
    status: FileStatus
    previous_path: str | None = None  # for renamed and copied
    old_mode: str = "100644"
    new_mode: str = "100644"
    old_oid: str | None = None
    new_oid: str | None = None
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    symlink_target: str | None = None  # of the new side

    @property
    def paths(self) -> tuple[str, ...]:
        """Both sides of a rename or copy; a rule that matches either side matches the file."""
        return (self.path,) if self.previous_path is None else (self.path, self.previous_path)


@dataclass(frozen=True, slots=True)
class Diff:
    """Changed files between two trees. `complete` is false when the list was cut; then it is high risk."""

    files: tuple[ChangedFile, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Comment:
    id: int
    author: Account
    body: str
    created_at: datetime
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A review with what was true when it was delivered.

    `commit` and `base_ref` are as delivered (GitHub may re-bind the commit later). `bundle_digest` and
    `ticket_digest` are those shown to the reviewer; Unread when that is not known any more.
    """

    id: int
    author: Account
    state: str  # APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING; unknown words are kept
    commit: str
    submitted_at: datetime
    base_ref: str | Unread
    bundle_digest: str | Unread | None
    ticket_digest: str | Unread | None
    comment: bool = False  # a comment that approves, as people at a phone write it, instead of a review
    given: str | None = None  # the state as it was first seen, before any dismissal; None: not known
    dismissed_by: str | None = None  # login; None: not dismissed, or not known by whom
    at_head: bool | None = None  # whether `commit` was the head when this was given; None: not known


@dataclass(frozen=True, slots=True)
class Override:
    """A person's demand that this head is let through in spite of what the policy says, with their reason."""

    author: Account
    reason: str  # at most 1,000 characters
    commit: str  # the head that it was given on
    given_at: datetime
    comment_id: int


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
class Step:
    name: str
    number: int  # GitHub leaves gaps
    status: str
    conclusion: str | None
    started_at: datetime | None = None
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class JobLog:
    """What the gate read of a job's raw log, fetched by itself."""

    report: LogReport
    digest: str  # sha256:… of the bytes
    size: int  # bytes
    commands: tuple[str, ...] = ()  # `##[group]Run …` headings, in order, as printed
    checked_out: tuple[str, str] | None = None  # (head, base) of "HEAD is now at X Merge HEAD into BASE"
    # What the runner says before the first step; None where it says nothing.
    token_permissions: tuple[tuple[str, str], ...] | None = None  # ("Contents", "read"), …
    secret_source: str | None = None  # "Actions", "Dependabot", "None", …
    runner_name: str | None = None  # of a runner that was registered by hand: GitHub's own print none
    cache_keys: tuple[str, ...] = ()  # of caches that steps restored, as printed


@dataclass(frozen=True, slots=True)
class Job:
    id: int
    name: str
    attempt: int
    status: str
    conclusion: str | None
    url: str | None = None
    steps: tuple[Step, ...] = ()
    runner_labels: tuple[str, ...] = ()
    runner_group: str | None = None
    log: JobLog | Unread | None = None  # None: not asked for (job not complete, or of an old attempt)


@dataclass(frozen=True, slots=True)
class Artifact:
    id: int
    name: str
    size: int
    digest: str | None
    created_at: datetime
    expired: bool


@dataclass(frozen=True, slots=True)
class CalledWorkflow:
    """A reusable workflow that a run called, as GitHub names it: `octo/ci/.github/workflows/test.yml@v1`."""

    path: str
    sha: str  # commit that it was at


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One workflow run on the head. `jobs` holds the jobs of every attempt; the newest attempt decides."""

    id: int
    name: str
    path: str  # `.github/workflows/ci.yml`
    event: str
    head_sha: str
    attempt: int
    status: str
    conclusion: str | None
    url: str | None = None
    head_repository_id: int | None = None
    actor: str | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    jobs: tuple[Job, ...] = ()
    artifacts: tuple[Artifact, ...] | Unread = ()
    created_at: datetime | None = None  # of the first attempt; the later ones merge the same commits
    reports: tuple[TestReport, ...] | Unread | None = None  # of the newest attempt's artifacts; None: not asked for
    called: tuple[CalledWorkflow, ...] = ()  # of this repository and of others
    # What the server's baseline takes for reports; None: there is no baseline, or its words take nothing for one.
    baseline_reports: tuple[TestReport, ...] | Unread | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """A separate verifier run that the gate started on the merge of this head and `target_sha`.

    `order_digest` stands for everything that the run was told, so that it proves what was asked for and nothing else.
    `run` is None until GitHub's answer to the start is known. `restored` are paths that its second job takes from the
    target branch, `new_tests` those that its third job adds to it.
    """

    id: str
    order_digest: str
    target_sha: str
    run: WorkflowRun | Unread | None = None
    restored: tuple[str, ...] = ()
    new_tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobTests:
    """How many tests a job ran, skipped ones included, by its raw log; None where the log does not tell."""

    name: str
    tests: int | None
    skipped: int | None


@dataclass(frozen=True, slots=True)
class ReportedTests:
    """The same by the structured reports of a run, with the tests' names as far as they are known."""

    tests: int
    skipped: int
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a green run of a workflow file ran that stands for the target branch from `since` on."""

    workflow: str  # path
    run_id: int
    sha: str  # commit that it ran on
    since: datetime
    jobs: tuple[JobTests, ...]
    reported: ReportedTests | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class WorkflowNote:
    """A place in a workflow file that says what its runs are worth.

    `job` is the name that the file gives the job, expressions and all; empty: every job.
    """

    kind: Literal["hidden-failure", "secret", "variable"]
    job: str
    line: int | None
    text: str  # what hides the failure, or the name of the secret or variable


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """A workflow file at the head and at the target tip; None where it does not exist there.

    `called` are the local files that it calls (reusable workflows, local actions), transitively, in the same form;
    `unresolved` are references that could not be followed. `notes` are of a file that is the same on both sides.
    """

    path: str
    head_oid: str | None
    target_oid: str | None
    called: tuple[WorkflowFile, ...] = ()
    unresolved: tuple[str, ...] = ()
    notes: tuple[WorkflowNote, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildJob:
    """A job of another CI system's build, with its raw log as the gate fetched it."""

    name: str
    succeeded: bool
    log: JobLog | Unread


@dataclass(frozen=True, slots=True)
class Build:
    """A build of another CI system, as its API tells. `commit` is what it checked out; None where it does not tell."""

    url: str
    commit: str | None
    succeeded: bool
    jobs: tuple[BuildJob, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check run of any App on the head, except the gate's own."""

    id: int
    name: str
    app_id: int | None
    app_slug: str | None
    status: str
    conclusion: str | None
    details_url: str | None = None
    completed_at: datetime | None = None
    build: Build | Unread | None = None  # None: not asked for


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
