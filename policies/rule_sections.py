"""The section `rules` of the policy file: when something is required, and what. Named, typed, without scripting.

Rules only ever ask for more: none of them takes away what another rule, the risk or the gate itself asks for, so their
order does not matter, and a condition that could not be looked at counts as met.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from policies.fields import (
    AreaName,
    Kind,
    Line,
    Login,
    Organization,
    Patterns,
    PermissionWord,
    Person,
    RiskWord,
    Section,
    Team,
)

RuleName = AreaName
SomePatterns = Annotated[Patterns, Field(min_length=1)]
SomeLines = Annotated[tuple[Line, ...], Field(min_length=1, max_length=100)]
Number = Annotated[int, Field(ge=0, le=1_000_000_000)]
ContentKind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,59}$")]
Conclusion = Literal[
    "success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required", "stale", "startup_failure"
]


class Who(Section):
    """People: whoever one of these fields names."""

    permission: PermissionWord | None = Field(
        default=None, description="Whoever has at least this permission on the repository."
    )
    users: Annotated[tuple[Person, ...], Field(min_length=1, max_length=500)] = Field(default=(), description="Logins.")
    teams: Annotated[tuple[Team, ...], Field(min_length=1, max_length=100)] = Field(
        default=(), description="Slugs of teams of the owning organisation: active members, of child teams too."
    )
    organizations: Annotated[tuple[Organization, ...], Field(min_length=1, max_length=20)] = Field(
        default=(), description="Logins of organisations whose active members are meant."
    )


class NamedPeople(Who):
    """People, at least one of them named."""

    @model_validator(mode="after")
    def _names_somebody(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nobody is named; give permission, users, teams or organizations")
        return self


class NamedAccounts(NamedPeople):
    """People and Apps, at least one of them named."""

    users: Annotated[tuple[Login, ...], Field(min_length=1, max_length=500)] = Field(
        default=(), description="Logins; an App's ends in `[bot]`."
    )


class Range(Section):
    """A number's bounds, both included."""

    at_least: Number | None = Field(default=None, description="The least that is meant.")
    at_most: Number | None = Field(default=None, description="The most that is meant.")

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("no bound is given; give at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least is above at_most, so no number is meant")
        return self


class Size(Section):
    """How large the change is: the pull request's own, or what merging it changes where that is more. All must hold.

    The lines of a binary file are not known, and so is not whether a bound on lines holds that they could break.
    """

    files: Range | None = Field(default=None, description="Changed files.")
    additions: Range | None = Field(default=None, description="Added lines.")
    deletions: Range | None = Field(default=None, description="Removed lines.")
    lines: Range | None = Field(default=None, description="Added and removed lines together.")

    @model_validator(mode="after")
    def _measures(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is measured; give files, additions, deletions or lines")
        return self


class TicketIs(Section):
    """The accepted ticket of the work. All that is given must hold; without a ticket only `given: false` does."""

    given: bool = Field(default=True, description="Whether there is a ticket.")
    ids: SomePatterns = Field(default=(), description="Ids, gitignore style, for example `PAY-*`.")
    risk: Annotated[tuple[RiskWord, ...], Field(min_length=1)] = Field(default=(), description="Its risk.")
    agents: SomePatterns = Field(default=(), description="Agents that it was given to, gitignore style.")
    operators: Annotated[tuple[Person, ...], Field(min_length=1)] = Field(
        default=(), description="Logins of the people who run its agent."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.given and self.model_fields_set != {"given"}:
            raise ValueError("`given: false` means no ticket, which has no other fields")
        return self


class WorkflowIs(Section):
    """The newest run of a workflow file on this head, for every event that it ran on."""

    path: Line = Field(description="Path of the workflow file, for example `.github/workflows/e2e.yml`.")
    conclusions: Annotated[tuple[Conclusion, ...], Field(min_length=1)] = Field(
        default=("success",), description="How it may have ended. A run that has not ended leaves it open."
    )


class Condition(Section):
    """What a rule looks at. All that is given must hold; of a list one entry is enough."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, serialize_by_alias=True, json_schema_extra={"minProperties": 1}
    )

    all: Annotated[tuple[Condition, ...], Field(min_length=1, max_length=50)] = Field(
        default=(), description="Conditions that must all hold."
    )
    any: Annotated[tuple[Condition, ...], Field(min_length=1, max_length=50)] = Field(
        default=(), description="Conditions of which one must hold."
    )
    none_of: Condition | None = Field(default=None, alias="not", description="A condition that must not hold.")
    paths: SomePatterns = Field(
        default=(), description="Some changed path matches, gitignore style; of a rename both sides are looked at."
    )
    only_paths: SomePatterns = Field(default=(), description="Every changed path matches, both sides of renames too.")
    content: Annotated[tuple[ContentKind, ...], Field(min_length=1, max_length=100)] = Field(
        default=(), description="Kinds of finding about contents, for example `data-dropped` or `secret-added`."
    )
    risk: Annotated[tuple[RiskWord, ...], Field(min_length=1)] = Field(default=(), description="The risk is one of.")
    areas: Annotated[tuple[AreaName, ...], Field(min_length=1, max_length=100)] = Field(
        default=(), description="Some area is touched."
    )
    kinds: Annotated[tuple[Kind, ...], Field(min_length=1)] = Field(default=(), description="Whose work it is.")
    author: NamedAccounts | None = Field(default=None, description="Whoever opened the pull request is one of these.")
    contributor: NamedAccounts | None = Field(
        default=None,
        description="Author, pusher, or somebody who wrote or committed a commit is one of these. Of an agent's "
        "commits only a valid signature says who that is.",
    )
    only_contributors: NamedAccounts | None = Field(default=None, description="All of them are of these.")
    agents: SomePatterns = Field(
        default=(),
        description="The agent, as session, ticket or account name it, gitignore style. What only commits say of it "
        "brings the rule down on the work and satisfies nothing.",
    )
    labels: SomeLines = Field(
        default=(),
        description="Some of these labels is on it; case does not matter. An App with write permission on issues or "
        "pull requests can set them too.",
    )
    target: SomePatterns = Field(default=(), description="Target branch, gitignore style.")
    source: SomePatterns = Field(
        default=(),
        description="Branch that it comes from, gitignore style. An agent without a session chose it itself; then it "
        "is taken like a title.",
    )
    fork: bool | None = Field(default=None, description="Whether it comes from a fork.")
    repositories: SomePatterns = Field(default=(), description="OWNER/NAME, gitignore style, for shared policies.")
    title: Line | None = Field(
        default=None,
        description="RE2 pattern that the title contains, https://github.com/google/re2/wiki/Syntax. An agent's own "
        "title can be asked for, but is no alternative to anything.",
    )
    size: Size | None = Field(default=None, description="How large the change is.")
    ticket: TicketIs | None = Field(default=None, description="The ticket of the work.")
    signed: bool | None = Field(
        default=None, description="true: every commit has a valid signature. false: one of them has none."
    )
    workflows: Annotated[tuple[WorkflowIs, ...], Field(min_length=1, max_length=50)] = Field(
        default=(), description="Workflow runs that all ended so."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("the condition is empty; say what it looks at, or leave it out")
        return self


class ApprovalsWanted(Who):
    """Approvals of people on this head. Where nobody is named, the policy's `approvers` are meant."""

    count: int = Field(default=1, ge=1, le=10, description="How many different people.")


class OwnersWanted(Section):
    """Approvals of the code owners by CODEOWNERS of the target branch, for every touched path that has owners."""

    count: int = Field(default=1, ge=1, le=10, description="How many owners of each path.")


class AtLeast(Section):
    """So many of several demands."""

    count: int = Field(ge=1, le=50, description="How many must be met.")
    of: Annotated[tuple[Demand, ...], Field(min_length=1, max_length=50)] = Field(description="The demands.")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.count > len(self.of):
            raise ValueError(f"{self.count} of {len(self.of)} can never be met")
        return self


class Demand(Section):
    """What is required: exactly one of these fields."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"minProperties": 1, "maxProperties": 1}
    )

    all: Annotated[tuple[Demand, ...], Field(min_length=1, max_length=50)] = Field(
        default=(), description="Demands that must all be met."
    )
    any: Annotated[tuple[Demand, ...], Field(min_length=1, max_length=50)] = Field(
        default=(), description="Demands of which one must be met."
    )
    at_least: AtLeast | None = Field(default=None, description="So many of several demands.")
    rule: RuleName | None = Field(
        default=None, description="Another rule, by its name; where its condition is not met it is left out."
    )
    approvals: ApprovalsWanted | None = Field(default=None, description="Approvals of people on this head.")
    code_owners: OwnersWanted | None = Field(default=None, description="Approvals of the touched paths' code owners.")
    condition: Condition | None = Field(default=None, description="Something that must hold, such as signed commits.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError(f"{len(self.model_fields_set)} demands are given, and one is expected; join them by `all`")
        return self


class Rule(Section):
    """A rule: whatever `when` describes needs what `require` says."""

    because: Line | None = Field(default=None, description="Why, in a sentence that people read with the finding.")
    when: Condition | None = Field(default=None, description="Left out: it holds for every pull request.")
    require: Demand = Field(description="What is required then.")
    standalone: bool = Field(
        default=True, description="Whether it holds by itself. `false` for a rule that only others name."
    )


class Veto(Who):
    """Whose request for changes blocks until they themselves withdraw it by an approval. Nobody, until named."""


class OverrideBy(Who):
    """Who may let a pull request through in spite of its findings, by `/override REASON`. Nobody, until named."""
