"""The policy file `.github/mergegate.yml`, version 1: strict, frozen models and the source of its JSON Schema.

The models describe a complete policy. A file may leave out whatever its preset says already, see `load`. Sections
that need more room than a few lines are in modules of their own: people, runs, the queue.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from checks.claims import BundleField
from checks.snapshot import Risk
from policies.ci_sections import Ci, Verifier
from policies.fields import AreaName, Patterns, Reuse, RiskWord, Section
from policies.judge_section import JudgeRules
from policies.people_sections import Agents, Approvers, DependencyBots, Outsiders, People, ReviewRules
from policies.queue_section import Queue
from policies.rule_sections import NamedPeople, OverrideBy, Rule, RuleName, Veto
from policies.ticket_section import TicketRules

POLICY_PATH = ".github/mergegate.yml"

PresetName = Literal["default", "strict", "solo", "observe"]


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
    review: Literal["code", "evidence"] = Field(
        default="evidence",
        description="`code`: whoever approves reviews the code, a comment does not do. `evidence`: either does.",
    )
    reviewers: NamedPeople | None = Field(
        default=None, description="One of these must approve a change of this area, whatever else is asked for."
    )

    @property
    def all_paths(self) -> tuple[str, ...]:
        return self.paths + self.more_paths


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


class Policy(Section):
    """A complete policy."""

    version: Literal[1] = Field(description="Version of this format: 1.")
    extends: PresetName = Field(
        default="default", description="Preset that says whatever this file leaves out; `default` if not given."
    )
    reuse: Reuse | None = Field(
        default=None,
        description="Instead of a preset: OWNER/REPOSITORY/PATH@COMMIT of a policy that this one stands on.",
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
    judge: JudgeRules
    queue: Queue
    ticket: TicketRules
    rules: Annotated[dict[RuleName, Rule], Field(max_length=200)] = Field(
        default={},
        description="Rules by name, in any order. Each asks for more; none takes away what another asks for.",
        json_schema_extra={"additionalProperties": False},
    )
    veto: Veto = Veto()
    override: OverrideBy = OverrideBy()


# Entries of lists and rules: no preset says what they leave out.
_WHOLE = frozenset({"Rule", "AtLeast", "WorkflowIs", "OtherCi", "Window"})


def policy_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the policy file. Only `version` must be given; the preset says the rest."""
    schema: dict[str, Any] = Policy.model_json_schema()
    for name, model in {"": schema, **schema["$defs"]}.items():
        if name not in _WHOLE:
            model.pop("required", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:mergegate:policy:v1",
        **schema,
        "title": "Mergegate policy",
        "required": ["version"],
    }
