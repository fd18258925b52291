"""What ran on a commit, here and on other CI systems, with the files that define it and what ran before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from checks.logs.report import LogReport
from checks.reports.report import TestReport
from checks.unread import Unread


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
