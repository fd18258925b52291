"""The policy file `.github/mergegate.yml`, version 1: strict, frozen models and the source of its JSON Schema.

The models describe a complete policy. A file may leave out whatever its preset says already, see `load`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from checks.baseline import Allowance
from checks.ci_trust import Word as TrustWord
from checks.claims import BundleField
from checks.snapshot import Permission, Risk

POLICY_PATH = ".github/mergegate.yml"

PresetName = Literal["default", "strict", "solo", "observe"]
RiskWord = Literal["low", "medium", "high", "critical"]
PermissionWord = Literal["read", "triage", "write", "maintain", "admin"]

AreaName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Pattern = Annotated[str, Field(min_length=1, max_length=256)]
Patterns = Annotated[tuple[Pattern, ...], Field(max_length=500)]
# https://docs.github.com/en/get-started/signing-up-for-github/creating-an-account-on-github; Apps end in `[bot]`.
LOGIN = r"^[A-Za-z0-9_-]{1,100}(\[bot\])?$"
TEAM = r"^[a-z0-9_-]{1,100}$"
APP = r"^[a-z0-9][a-z0-9-]{0,99}$"  # a slug, which is also how an id looks
Login = Annotated[str, Field(pattern=LOGIN)]
Logins = Annotated[tuple[Login, ...], Field(max_length=500)]
Team = Annotated[str, Field(pattern=TEAM)]
Teams = Annotated[tuple[Team, ...], Field(max_length=100)]
Line = Annotated[str, Field(min_length=1, max_length=500)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Agents(Section):
    """Marks of an agent. One is enough, and no setting takes one away again."""

    branches: Patterns = Field(description="Branch patterns, gitignore style. The namespace that agents may push to.")
    apps: Logins = Field(description="Logins of Apps and accounts that are agents, for example `copilot-swe-agent`.")
    trailers: Annotated[tuple[Line, ...], Field(max_length=100)] = Field(
        description="Names of commit trailers that agents leave, for example `Agent-Logs-Url`."
    )


class People(Section):
    """Who is a person: whoever one of these fields names. Given as a whole, it replaces the preset's.

    A pull request is a person's only if author, pusher and every committer are people and no mark says otherwise.
    """

    permission: PermissionWord | None = Field(
        default=None, description="Whoever has at least this permission on the repository is a person."
    )
    users: Logins = Field(default=(), description="Logins of people.")
    teams: Teams = Field(
        default=(), description="Slugs of teams of the owning organisation whose active members are people."
    )


class Outsiders(Section):
    """Pull requests from forks of people without write permission."""

    approvals: int = Field(ge=1, le=10, description="Approvals that an outsider's pull request needs at the least.")


class DependencyBots(Section):
    """Signed updates of manifests and lock files, and of nothing else, by a dependency bot. They need no bundle."""

    accounts: Logins = Field(description="Logins of dependency bots, for example `dependabot[bot]`.")
    paths: Patterns = Field(description="Manifests and lock files that such an update may change.")
    risk: RiskWord = Field(description="Risk of such an update; anything else a bot does is judged as an agent's.")


class BundleRules(Section):
    """The evidence bundle that an agent's pull request carries."""

    required: Annotated[tuple[BundleField, ...], Field(min_length=1)] = Field(
        description="Fields that must be given. What is left out is derived from GitHub and git."
    )


class Area(Section):
    """A kind of change that is risky wherever it happens."""

    risk: RiskWord = Field(description="Risk of a change to any path of this area.")
    paths: Patterns = Field(description="Path patterns, gitignore style. Replaces the preset's list.")
    more_paths: Patterns = Field(default=(), description="Path patterns in addition to `paths`.")

    @property
    def all_paths(self) -> tuple[str, ...]:
        return self.paths + self.more_paths


class Approvers(Section):
    """Whose approval counts: whoever one of these fields names. Given as a whole, it replaces the preset's."""

    permission: PermissionWord | None = Field(
        default=None, description="Whoever has at least this permission on the repository may approve."
    )
    users: Logins = Field(default=(), description="Logins whose approval counts.")
    teams: Teams = Field(
        default=(), description="Slugs of teams of the owning organisation whose active members' approval counts."
    )


class Requirement(Section):
    """What a change of one risk needs."""

    evidence: Literal["ci", "verified"] = Field(
        description="`ci`: the workflows' own runs. `verified`: a separate run of the commands below by the gate."
    )
    runs: int = Field(ge=1, le=5, description="How many independent verified runs; 1 for `ci`.")
    approvals: int = Field(ge=0, le=10, description="Approvals of people on this head.")
    approvers: Approvers | None = Field(
        default=None, description="Whose approval counts at this risk; left out, the general `approvers`."
    )


class Requirements(Section):
    """What is needed by risk."""

    low: Requirement = Field(description="Changes outside every area.")
    medium: Requirement = Field(description="Changes of medium risk.")
    high: Requirement = Field(description="Changes of high risk.")
    critical: Requirement = Field(description="Changes of critical risk.")

    def at(self, risk: Risk) -> Requirement:
        return {
            Risk.LOW: self.low,
            Risk.MEDIUM: self.medium,
            Risk.HIGH: self.high,
            Risk.CRITICAL: self.critical,
        }[risk]


class RiskRules(Section):
    """Risk by path. The highest of these, of what is built in, of the ticket and of the agent's own word decides."""

    areas: Annotated[dict[AreaName, Area], Field(max_length=100)] = Field(
        description="Areas by name. The twelve of the preset can be changed, others can be added.",
        json_schema_extra={"additionalProperties": False},
    )


class ReviewRules(Section):
    """Special rules of review."""

    allow_operator: bool = Field(
        description="Whether the person who runs the agent may approve its work. Suits one person alone."
    )
    people_need_approval: bool = Field(
        description="Whether a person's own pull request needs the approvals of its risk. false suits one person alone."
    )


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
    """Another CI system as a witness. Its raw logs are not read, so it suffices for changes of low risk only."""

    app: Annotated[str, Field(pattern=APP)] = Field(description="Slug of its GitHub App, or its id in quotes.")
    checks: Annotated[tuple[Line, ...], Field(min_length=1, max_length=50)] = Field(
        description="Names of check runs that it must post as success."
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


class Probation(Section):
    """When the gate begins to enqueue an agent's work by itself."""

    pull_requests: int = Field(ge=1, le=1000, description="Pull requests merged by people before.")
    days: int = Field(ge=1, le=365, description="Days in which none of them was reverted.")


class Queue(Section):
    """What happens when all required checks are green."""

    enqueue: Literal["off", "probation", "on"] = Field(
        description="Whether the gate asks for the merge of an agent's pull request: never, after probation, always."
    )
    probation: Probation = Field(description="The length of the probation.")
    method: Literal["merge", "squash", "rebase"] = Field(
        description="Merge method where the repository has no merge queue of its own that decides it."
    )


class TicketRules(Section):
    """The accepted ticket that an agent works on."""

    required: bool = Field(description="Whether an agent's pull request must belong to an accepted ticket.")


class Policy(Section):
    """A complete policy."""

    version: Literal[1] = Field(description="Version of this format: 1.")
    extends: PresetName = Field(
        default="default", description="Preset that says whatever this file leaves out; `default` if not given."
    )
    mode: Literal["enforce", "observe"] = Field(
        description="`observe` reports as `mergegate/observe` and never posts the required checks."
    )
    branches: Patterns = Field(description="Gated branches beside the default branch, gitignore style.")
    agents: Agents
    people: People
    outsiders: Outsiders
    dependency_bots: DependencyBots
    bundle: BundleRules
    risk: RiskRules
    requirements: Requirements
    approvers: Approvers
    review: ReviewRules
    ci: Ci
    verifier: Verifier
    queue: Queue
    ticket: TicketRules


def risk_of(word: RiskWord) -> Risk:
    return Risk[word.upper()]


def permission_of(word: PermissionWord | None) -> Permission | None:
    return None if word is None else Permission[word.upper()]


def policy_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the policy file. Only `version` must be given; the preset says the rest."""
    schema: dict[str, Any] = Policy.model_json_schema()
    for model in (schema, *schema["$defs"].values()):
        model.pop("required", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:mergegate:policy:v1",
        **schema,
        "title": "Mergegate policy",
        "required": ["version"],
    }
