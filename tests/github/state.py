"""What the simulated GitHub knows: plain mutable records, no behaviour beyond look-ups.

Git objects are not kept here; each repository has a real bare git repository (`Repository.git`) that answers for
commits, trees, diffs and mergeability. Every id is an integer from one counter, as on GitHub they are never reused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

Permission = Literal["none", "read", "triage", "write", "maintain", "admin"]
AccountType = Literal["User", "Organization", "Bot"]


@dataclass
class Account:
    id: int
    login: str
    type: AccountType
    name: str | None = None
    email: str | None = None
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Team:
    id: int
    organization: str
    slug: str
    parent: str | None = None  # slug of the parent team
    secret: bool = False
    members: dict[str, Literal["active", "pending"]] = field(default_factory=dict)  # login -> state


@dataclass
class App:
    id: int
    slug: str
    name: str
    owner: str
    public_key_pem: bytes  # for checking App JWTs; a second key may be active while keys are rotated
    permissions: dict[str, str]  # what the App asks for, for example {"checks": "write"}
    events: list[str]
    webhook_url: str | None = None
    webhook_secret: str | None = None
    hook_id: int = 0
    more_public_keys: list[bytes] = field(default_factory=list)
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    client_secrets_made: int = 1  # only the newest is good here; at GitHub the others are too, until they are deleted

    @property
    def bot_login(self) -> str:
        return f"{self.slug}[bot]"

    @property
    def client_id(self) -> str:
        return f"Iv23li{self.id:014d}"

    @property
    def client_secret(self) -> str:
        return f"{self.client_secrets_made:08x}{self.id:032x}"


@dataclass
class Installation:
    id: int
    app_id: int
    account: str  # login
    permissions: dict[str, str]
    events: list[str]
    repository_ids: set[int] | None = None  # None: all repositories of the account
    suspended: bool = False


@dataclass
class Token:
    """A credential that the API accepts: an installation token, or a person's token."""

    value: str
    kind: Literal["installation", "user", "actions"]
    login: str  # the actor: a user's login, or an App's bot login
    installation_id: int | None = None
    permissions: dict[str, str] = field(default_factory=dict)  # for installation tokens
    repository_ids: set[int] | None = None
    expires_at: datetime | None = None
    revoked: bool = False
    app_id: int | None = None  # of the App that a person let act for them


@dataclass
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class Reaction:
    id: int
    user: str
    content: str  # "+1", "eyes", ...
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Comment:
    id: int
    user: str
    body: str
    created_at: datetime
    updated_at: datetime
    app_id: int | None = None
    reactions: list[Reaction] = field(default_factory=list)
    body_edited_at: datetime | None = None
    body_edited_by: str | None = None


@dataclass
class Review:
    id: int
    user: str
    state: Literal["PENDING", "APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]
    body: str
    commit_id: str
    submitted_at: datetime
    dismissed_by: str | None = None
    dismissed_message: str | None = None


@dataclass
class ReviewComment:
    """A comment on a line of a pull request's diff."""

    id: int
    user: str
    body: str
    path: str
    commit_id: str
    created_at: datetime
    updated_at: datetime
    review_id: int | None = None
    line: int | None = None
    side: str = "RIGHT"
    in_reply_to: int | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class Issue:
    id: int
    number: int
    title: str
    body: str | None
    user: str
    state: Literal["open", "closed"] = "open"
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    updated_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    closed_at: datetime | None = None
    closed_by: str | None = None
    body_edited_at: datetime | None = None
    body_edited_by: str | None = None
    pinned: bool = False


@dataclass
class BaseChange:
    """A pull request was pointed at another base branch; branch names without refs/heads/."""

    id: int
    before: str
    after: str
    actor: str
    at: datetime


@dataclass
class QueueRemoval:
    """A pull request left the merge queue, merged or not; `group_sha` is the group commit that it had then."""

    id: int
    reason: str
    actor: str
    enqueuer: str
    group_sha: str | None
    at: datetime


@dataclass
class PullRequest:
    """A pull request; its issue half (title, body, labels, comments) is `issue`, with the same number."""

    id: int
    issue: Issue
    head_repository_id: int | None  # None: the fork was deleted
    head_ref: str  # branch name without refs/heads/
    head_sha: str
    base_ref: str
    base_sha: str  # tip of the base branch when the head was last pushed or the base last changed
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: str | None = None
    merge_commit_sha: str | None = None
    reviews: list[Review] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)
    requested_reviewers: list[str] = field(default_factory=list)
    requested_teams: list[str] = field(default_factory=list)
    auto_merge: dict[str, Any] | None = None  # {"method": ..., "by": login, "enabled_at": datetime}
    stack_id: int | None = None
    mergeable: bool | None = None  # None until computed in the background, as on GitHub
    mergeable_for: tuple[str, str] | None = None  # (head sha, base sha) that `mergeable` speaks of
    mergeable_reads_left: int = 0  # so many more reads are told null, whatever `mergeable` says
    fork_point: str | None = None  # merge base of head and base while the pull request was open
    test_merge_sha: str | None = None  # what refs/pull/N/merge points to
    maintainer_can_modify: bool = False
    base_changes: list[BaseChange] = field(default_factory=list)
    queue_removals: list[QueueRemoval] = field(default_factory=list)
    merge_requests: dict[str, dict[str, Any]] = field(default_factory=dict)  # asynchronous merges by uuid

    @property
    def number(self) -> int:
        return self.issue.number


@dataclass
class Stack:
    id: int
    number: int
    base_ref: str
    pulls: list[int]  # numbers from bottom to top


@dataclass
class CheckSuite:
    id: int
    app_id: int
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime
    run_id: int | None = None  # the workflow run, when Actions owns it
    before: str | None = None


@dataclass
class CheckRun:
    id: int
    suite_id: int
    app_id: int
    name: str
    head_sha: str
    status: str = "queued"  # queued, in_progress, completed
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    job_id: int | None = None  # set for the check run of an Actions job (same number as its own id)
    list_lag: int = 0  # so many listings do not show it yet
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class CommitStatus:
    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: str
    created_at: datetime


@dataclass
class Ruleset:
    """A ruleset as given through the API: `rules` and `bypass_actors` stay JSON, unknown keys are kept."""

    id: int
    name: str
    target: str
    enforcement: str
    conditions: dict[str, Any]
    rules: list[dict[str, Any]]
    bypass_actors: list[dict[str, Any]]
    created_at: datetime
    updated_at: datetime


@dataclass
class RuleSuite:
    """The rules of a branch as they were judged when it moved."""

    id: int
    ref: str
    before: str
    after: str
    actor: str
    pushed_at: datetime
    result: Literal["pass", "fail", "bypass"]
    evaluations: list[dict[str, Any]]  # as the API lists them


@dataclass
class Step:
    name: str
    number: int
    status: str = "queued"
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    log: bytes | None = None  # GitHub's raw format; None until the step has completed


@dataclass
class Job:
    id: int  # also the id of its check run
    run_id: int
    run_attempt: int
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    steps: list[Step] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    log: bytes | None = None  # GitHub's raw format; None until the job has completed


@dataclass
class Artifact:
    id: int
    run_id: int
    name: str
    zip: bytes
    created_at: datetime
    expired: bool = False
    job_id: int = 0  # the job that uploaded it; artifacts of replaced jobs are not listed any more


@dataclass
class WorkflowRun:
    id: int
    workflow_id: int
    workflow_path: str  # ".github/workflows/ci.yml"
    name: str
    event: str
    head_sha: str  # for pull_request runs the head of the pull request, never the test merge
    head_branch: str | None
    head_repository_id: int
    suite_id: int
    run_number: int
    actor: str
    pull_numbers: list[int]
    checkout_sha: str  # what the jobs check out (the test merge for pull_request)
    checkout_ref: str
    attempt: int = 1
    status: str = "queued"
    conclusion: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    run_started_at: datetime | None = None
    jobs: dict[int, list[Job]] = field(default_factory=dict)  # attempt -> jobs
    earlier_attempts: dict[int, dict[str, Any]] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)
    display_title: str = ""
    triggering_actor: str = ""  # who started the newest attempt
    context: dict[str, str] = field(default_factory=dict)  # what the `github` context of its jobs adds
    event_payload: dict[str, Any] = field(default_factory=dict)  # what its jobs find in GITHUB_EVENT_PATH


@dataclass
class QueueEntry:
    id: int
    pull_number: int
    head_sha: str  # head of the pull request when it was enqueued
    enqueuer: str
    enqueued_at: datetime
    state: Literal["QUEUED", "AWAITING_CHECKS", "MERGEABLE", "UNMERGEABLE", "LOCKED"] = "QUEUED"
    base_sha: str | None = None  # commit this entry is built on
    group_sha: str | None = None  # commit of refs/heads/gh-readonly-queue/<base>/pr-<n>-<base sha>
    group_ref: str | None = None
    requested_at: datetime | None = None
    jump: bool = False


@dataclass
class PushRecord:
    """One ref change, for the repository activity API."""

    id: int
    ref: str
    before: str
    after: str
    actor: str
    timestamp: datetime
    activity_type: str  # push, force_push, branch_creation, branch_deletion, pr_merge, merge_queue_merge


@dataclass
class Delivery:
    """One webhook delivery to one App's hook; redelivery makes a new record with the same guid."""

    id: int
    guid: str
    app_id: int
    event: str
    action: str | None
    payload: bytes
    installation_id: int | None
    repository_id: int | None
    delivered_at: datetime
    status_code: int | None = None  # None: not sent yet, or lost
    status: str = "PENDING"
    redelivery: bool = False
    request_headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""
    duration: float = 0.0  # seconds until the answer


@dataclass
class Deployable:
    """An environment. `branches` are patterns, None with `protected_only` False: every branch."""

    id: int
    name: str
    branches: list[str] | None = None
    protected_only: bool = False
    reviewed: bool = False
    secrets: list[str] = field(default_factory=list)


@dataclass
class Repository:
    id: int
    owner: str
    name: str
    git: Path  # the bare repository
    default_branch: str = "main"
    private: bool = False
    fork_of: int | None = None
    collaborators: dict[str, Permission] = field(default_factory=dict)
    teams: dict[str, Permission] = field(default_factory=dict)  # slug -> permission
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)  # every number, pull requests included
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    stacks: dict[int, Stack] = field(default_factory=dict)
    suites: dict[int, CheckSuite] = field(default_factory=dict)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    statuses: list[CommitStatus] = field(default_factory=list)
    rulesets: dict[int, Ruleset] = field(default_factory=dict)
    inherited_rulesets: dict[int, Ruleset] = field(default_factory=dict)  # its organisation's that hold for it
    rule_suites: list[RuleSuite] = field(default_factory=list)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    workflows: dict[str, int] = field(default_factory=dict)  # path -> id
    queues: dict[str, list[QueueEntry]] = field(default_factory=dict)  # branch -> entries in order
    activity: list[PushRecord] = field(default_factory=list)
    verified_commits: set[str] = field(default_factory=set)  # made and signed by GitHub itself
    allow_auto_merge: bool = True
    workflow_token: Literal["read", "write"] = "read"  # what jobs get where their workflow does not say
    workflows_may_approve: bool = False
    secrets: list[str] = field(default_factory=list)  # names, which are all that the API shows
    organization_secrets: list[str] = field(default_factory=list)
    dependabot_secrets: list[str] = field(default_factory=list)
    environments: dict[str, Deployable] = field(default_factory=dict)
    merge_commit_message: str = "PR_TITLE"
    squash_merge_commit_message: str = "COMMIT_MESSAGES"
    next_number: int = 1
    next_run_number: int = 1
    pushed_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass
class Switches:
    """Where GitHub's behaviour is doubtful or a fault is wanted; each may be flipped at any time."""

    reopen_completed_check_run: bool = True  # False: PATCH of a completed run to in_progress is ignored
    long_tokens: bool = True  # installation tokens of about 520 characters, else the classic 40
    async_merge: bool = True  # False: the merge-async routes answer 404, as on older servers
    async_merge_seconds: float = 0.05  # how long an asynchronous merge stays pending
    async_merge_hold: bool = False  # True: it stays pending until `async_merge.execute_held`
    retention_days: int = 90  # logs of jobs older than that are gone
    mergeable_lag_reads: int = 0  # this many reads answer mergeable null after a change
    check_run_list_lag: int = 0  # this many listings do not show a run just created
    lose_deliveries: bool = False  # every webhook is recorded but never sent
    repeat_deliveries: bool = False  # every webhook is sent twice
    reorder_deliveries: bool = False  # the queued webhooks go out in reverse order
    deliveries_at_once: int = 1  # this many webhooks are under way at a time; GitHub promises no order
    run_actions: bool = True  # False: workflow runs stay queued
    patch_lines_a_page: int = 20_000  # beyond these a page of pull request files shows further files as unchanged
    dequeue_on_push: bool = True  # a push to a queued pull request's branch removes its entry
    etag_per_token: bool = False  # True: a new token of the same installation gets other entity tags
    stale_dismissal: bool = True  # honour dismiss_stale_reviews_on_push


@dataclass
class World:
    """Everything. `now` is the simulated clock; tests may move it."""

    root: Path  # folder for the bare repositories and job workspaces
    base_url: str = "http://127.0.0.1"  # set when the server knows its port
    accounts: dict[str, Account] = field(default_factory=dict)  # by login, bots included
    teams: dict[tuple[str, str], Team] = field(default_factory=dict)  # (organization, slug)
    memberships: dict[tuple[str, str], str] = field(default_factory=dict)  # (organization, login) -> active, pending
    organization_rulesets: dict[str, dict[int, Ruleset]] = field(default_factory=dict)  # by organisation
    organization_roles: dict[tuple[str, str], str] = field(default_factory=dict)  # admin for owners; default member
    apps: dict[int, App] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    repositories: dict[int, Repository] = field(default_factory=dict)
    manifest_codes: dict[str, dict[str, Any]] = field(default_factory=dict)  # code -> manifest, each valid once
    oauth_codes: dict[str, tuple[int, str, str]] = field(default_factory=dict)  # code -> App, login, redirect address
    deliveries: list[Delivery] = field(default_factory=list)
    switches: Switches = field(default_factory=Switches)
    clock_offset: timedelta = timedelta(0)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1001))
    # Beyond 2**53, as on github.com, so that whoever keeps them as floating point numbers is found out.
    delivery_ids: Iterator[int] = field(default_factory=lambda: itertools.count(3_843_728_875_423_006_721, 2))

    def new_id(self) -> int:
        return next(self.ids)

    def new_delivery_id(self) -> int:
        return next(self.delivery_ids)

    def now(self) -> datetime:
        """The simulated time, cut to whole seconds as in GitHub's answers."""
        return (datetime.now(UTC) + self.clock_offset).replace(microsecond=0)

    def app_of(self, login: str) -> App | None:
        """The App whose bot has this login."""
        return next((app for app in self.apps.values() if app.bot_login == login), None)

    def repository(self, owner: str, name: str) -> Repository | None:
        wanted = f"{owner}/{name}".lower()
        return next((r for r in self.repositories.values() if r.full_name.lower() == wanted), None)
