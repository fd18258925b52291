"""What GitHub Actions' REST calls answer, as narrow frozen models like those of `rest_models`."""

from __future__ import annotations

from pydantic import AwareDatetime

from app.github.rest_models import Account, Model, PullEnd, RepositoryRef


class RunPull(Model):
    """A pull request that a workflow run or check run names; empty for forks."""

    number: int
    head: PullEnd
    base: PullEnd


class ReferencedWorkflow(Model):
    path: str
    sha: str
    ref: str | None = None


class WorkflowRun(Model):
    """One workflow run at its newest attempt, or one attempt of it. `path` is the workflow file as GitHub names it."""

    id: int
    name: str | None = None
    event: str
    path: str
    run_number: int
    run_attempt: int = 1
    status: str | None
    conclusion: str | None
    head_sha: str
    head_branch: str | None
    head_repository: RepositoryRef | None = None
    workflow_id: int
    check_suite_id: int | None = None
    pull_requests: tuple[RunPull, ...] | None = None
    referenced_workflows: tuple[ReferencedWorkflow, ...] | None = None
    actor: Account | None = None
    triggering_actor: Account | None = None
    display_title: str = ""
    html_url: str = ""
    created_at: AwareDatetime
    updated_at: AwareDatetime
    run_started_at: AwareDatetime | None = None


class RunPage(Model):
    total_count: int
    workflow_runs: tuple[WorkflowRun, ...]


class Step(Model):
    """Numbers have gaps: GitHub counts steps that it does not show."""

    name: str
    number: int
    status: str
    conclusion: str | None
    started_at: AwareDatetime | None = None
    completed_at: AwareDatetime | None = None


class Job(Model):
    """A job of one attempt. `check_run_url` ends with the id of its check run."""

    id: int
    run_id: int
    run_attempt: int = 1
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    started_at: AwareDatetime | None = None
    completed_at: AwareDatetime | None = None
    steps: tuple[Step, ...] | None = None
    labels: tuple[str, ...] = ()
    runner_name: str | None = None
    runner_group_name: str | None = None
    workflow_name: str | None = None
    check_run_url: str = ""
    html_url: str | None = None


class JobPage(Model):
    total_count: int
    jobs: tuple[Job, ...]


class ArtifactRun(Model):
    id: int | None = None
    head_sha: str | None = None


class Artifact(Model):
    """`digest` is `sha256:…` of the archive; GitHub sends it for artifacts of the newer upload actions only."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool
    digest: str | None = None
    created_at: AwareDatetime | None = None
    workflow_run: ArtifactRun | None = None


class ArtifactPage(Model):
    total_count: int
    artifacts: tuple[Artifact, ...]


class Dispatch(Model):
    """A started workflow run."""

    workflow_run_id: int
    html_url: str = ""
