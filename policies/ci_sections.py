"""Sections of the policy file about runs: which count, what they must hold, and the gate's own verifier."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from checks.baseline import Allowance
from checks.ci_trust import Word as TrustWord
from checks.new_tests import Word as NewTestsWord
from checks.other_ci_log import System
from policies.fields import APP, Line, Patterns, Section


class Reports(Section):
    """Structured test reports (JUnit, CTRF, TRX, `go test -json`) in the runs' artifacts."""

    artifacts: Patterns = Field(
        description="Names of artifacts that hold test reports, gitignore style. Empty: no report is read."
    )
    files: Patterns = Field(description="Report files in these artifacts, gitignore style.")
    required: bool = Field(description="Whether every test run that a log shows must be in a report too.")


class BaselineRules(Section):
    """The comparison with the newest green run of the target branch. What shrank unsaid always fails."""

    compare: bool = Field(description="Whether jobs, tests and skipped tests are compared.")
    fewer_tests: Allowance = Field(
        description="Tests that are gone and declared as removed: never allowed, for a person to accept, or allowed."
    )
    more_skips: Allowance = Field(description="The same for tests that are declared as skipped.")


class OtherCi(Section):
    """Another CI system as a witness. Unless its raw logs are read, it suffices for changes of low risk only."""

    app: Annotated[str, Field(pattern=APP)] = Field(description="Slug of its GitHub App, or its id in quotes.")
    checks: Annotated[tuple[Line, ...], Field(min_length=1, max_length=50)] = Field(
        description="Names of check runs that it must post as success."
    )
    log: System | None = Field(
        default=None,
        description="The system whose raw logs the server fetches and reads, if its operator has set it up to. Then "
        "its builds of the head count like runs of the event `push`. Left out, they are not read.",
    )


class Trust(Section):
    """What a run that counts could do beside testing, and what could steer it: allow it, ask a person, or refuse it."""

    token: TrustWord = Field(description="A job's `GITHUB_TOKEN` has a write permission.")
    secrets: TrustWord = Field(description="A job is given secrets by the workflow file.")
    cache: TrustWord = Field(description="A job takes a cache that earlier runs of the same branch can have made.")
    runner: TrustWord = Field(
        description="A job runs on a self-hosted machine. `refuse` counts every group that is not known as GitHub's."
    )
    variables: TrustWord = Field(description="A step with tests uses variables that are set outside of the repository.")
    calls: TrustWord = Field(
        description="A workflow of another repository is called by a branch or tag instead of a commit id."
    )
    ephemeral: Annotated[tuple[Line, ...], Field(max_length=50)] = Field(
        description="Labels and groups of self-hosted runners whose machines are used for one job only."
    )


class Ci(Section):
    """Which runs count as evidence. A workflow file counts only while it equals the target branch's."""

    workflows: Patterns = Field(
        description="Path patterns of workflow files whose runs count. Empty: every workflow that runs."
    )
    jobs: Annotated[tuple[Line, ...], Field(max_length=200)] = Field(
        description="Names of jobs that must have run and succeeded."
    )
    commands: Annotated[tuple[Line, ...], Field(max_length=100)] = Field(
        description="Commands that must have run in a job, exactly as the workflow file writes them."
    )
    allow_push: bool = Field(description="Whether runs of the event `push` count too.")
    reports: Reports
    baseline: BaselineRules
    partial_jobs: Annotated[tuple[Line, ...], Field(max_length=200)] = Field(
        description="Names of jobs that may run only what a change affects, or nothing because it is cached."
    )
    documentation: Patterns = Field(
        description="Path patterns of documentation; a change of nothing else needs no run. Empty: every change does."
    )
    witnesses: Annotated[tuple[OtherCi, ...], Field(max_length=20)] = Field(
        description="Other CI systems whose checks must be green too."
    )
    trust: Trust
    attempts: int = Field(
        ge=1, le=50, description="How many tries a job may need on one commit until it passes, the last one included."
    )


class Verifier(Section):
    """The separate run of `ci.commands` that evidence of the level `verified` needs."""

    workflow: Line = Field(description="Path of the verifier's workflow file on every gated branch.")
    image: Annotated[str, Field(max_length=500)] = Field(
        description="Container image in which the commands run, best by digest. Empty: no run is started."
    )
    setup: Annotated[tuple[Line, ...], Field(max_length=50)] = Field(
        description="Commands that prepare the container; unlike the required ones they have the network."
    )
    network: bool = Field(description="Whether the required commands have the network too.")
    new_tests: NewTestsWord = Field(
        description="What follows if a change's new tests pass on the target branch too, where they should fail: "
        "nothing (they are not tried there), a person decides, or refuse it."
    )
