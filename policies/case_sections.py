"""A table of cases beside a policy: what differs from an everyday pull request, and the verdict that is expected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from checks.document import Document, DocumentError, read_document
from policies.errors import InvalidPolicyError, PolicyError, explain_errors, unreadable
from policies.fields import Kind, Line, Login, Organization, PermissionWord, RiskWord, Section, Team
from policies.rule_parts import unknown_kinds
from policies.rule_sections import Conclusion, RuleName

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 12

StatusWord = Literal["passed", "failed", "pending", "errored", "skipped"]
VerdictWord = Literal["passed", "failed", "pending", "errored"]
Part = Literal["ticket", "bundle", "scope", "rollback", "tampering", "ci", "verifier"]
Names = Annotated[tuple[Line, ...], Field(max_length=200)]


class Person(Section):
    """What somebody may do, and where they belong."""

    permission: PermissionWord = Field(default="write", description="Permission on the repository.")
    teams: tuple[Team, ...] = Field(default=(), description="Slugs of teams of the owning organisation.")
    organizations: tuple[Organization, ...] = Field(default=(), description="Logins of organisations.")


class TicketGiven(Section):
    """The accepted ticket."""

    id: Line = Field(description="Its id.")
    risk: RiskWord = Field(default="low", description="Its risk.")
    agent: Line | None = Field(default=None, description="The agent that it was given to.")
    operator: Login | None = Field(default=None, description="Who runs that agent.")


class OverrideGiven(Section):
    """Somebody's demand to let it through."""

    by: Login = Field(description="Their login.")
    reason: Line = Field(default="A case of the table.", description="Their reason.")


class Given(Section):
    """How the pull request differs from a small change of an agent whose evidence is complete."""

    kind: Kind = Field(default="agent", description="Whose work it is.")
    author: Login = Field(default="author", description="Who opened it.")
    operator: Login | None = Field(default=None, description="Who runs the agent.")
    agent: Line | None = Field(default=None, description="The agent of the session that pushed it.")
    paths: Names = Field(default=("src/example.py",), description="Changed paths.")
    renamed: Annotated[dict[str, Line], Field(max_length=200)] = Field(
        default={}, description="Renamed files: the new path, and the old one."
    )
    lines: int = Field(default=1, ge=0, le=1_000_000, description="Added lines of each changed file.")
    content: Names = Field(default=(), description="Kinds of finding about contents.")
    labels: Names = Field(default=(), description="Labels.")
    title: Line = Field(default="A change", description="Its title.")
    target: Line = Field(default="main", description="Target branch.")
    source: Line = Field(default="agent/example", description="Branch that it comes from.")
    fork: bool = Field(default=False, description="Whether it comes from a fork.")
    draft: bool = Field(default=False, description="Whether it is a draft.")
    signed: bool = Field(default=False, description="Whether its commits have valid signatures.")
    unmapped: bool = Field(default=False, description="Whether the address on its commits belongs to no account.")
    risk: RiskWord | None = Field(default=None, description="Its risk, instead of the one that the paths lead to.")
    ticket: TicketGiven | None = Field(default=None, description="Its ticket.")
    approvals: tuple[Login, ...] = Field(default=(), description="Who approved this head.")
    approvals_before: tuple[Login, ...] = Field(default=(), description="Who approved an earlier head.")
    changes_requested: tuple[Login, ...] = Field(default=(), description="Who asked for changes.")
    override: OverrideGiven | None = Field(default=None, description="Who lets it through.")
    workflows: Annotated[dict[str, Conclusion], Field(max_length=50)] = Field(
        default={}, description="How runs of workflow files ended, by their path."
    )
    evidence: dict[Part, StatusWord] = Field(
        default={}, description="Parts of the evidence that are not passed. Each that is left out is."
    )


class Expected(Section):
    """What the verdict must be. All that is given must hold."""

    verdict: VerdictWord | None = Field(default=None, description="Both checks as one.")
    evidence: VerdictWord | None = Field(default=None, description="`mergegate/evidence`.")
    review: VerdictWord | None = Field(default=None, description="`mergegate/review`.")
    risk: RiskWord | None = Field(default=None, description="The risk.")
    areas: tuple[Line, ...] | None = Field(default=None, description="Exactly these areas, in any order.")
    reason: Line | None = Field(default=None, description="Words that some finding's reason holds.")
    needed: tuple[Line, ...] | None = Field(default=None, description="Exactly those still asked, in any order.")
    rules: dict[RuleName, StatusWord] = Field(default={}, description="What rules come to, by their names.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is expected; give verdict, evidence, review, risk, areas, reason or needed")
        return self


class PolicyCase(Section):
    """One case."""

    name: Line = Field(description="What the case shows, in a few words.")
    given: Given = Field(default=Given(), description="How the pull request differs.")
    expect: Expected = Field(description="What the verdict must be.")


class CaseTable(Section):
    """A table of cases."""

    version: Literal[1] = Field(description="Version of this format: 1.")
    people: Annotated[dict[Login, Person], Field(max_length=200)] = Field(
        default={}, description="People by login. Whoever is not named here may write, and is in no team."
    )
    code_owners: Annotated[str, Field(max_length=100_000)] = Field(
        default="", description="The text of CODEOWNERS on the target branch."
    )
    cases: Annotated[tuple[PolicyCase, ...], Field(min_length=1, max_length=1_000)] = Field(description="The cases.")


@cache
def case_schema() -> dict[str, Any]:
    return CaseTable.model_json_schema()


def read_cases(text: str) -> CaseTable:
    """Raises InvalidPolicyError with every fault."""
    try:
        document = read_document(text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except DocumentError as refused:
        raise InvalidPolicyError(unreadable(refused.fault)) from refused
    try:
        table = CaseTable.model_validate_json(json.dumps(document.value))
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        raise InvalidPolicyError(*explain_errors(document, errors, case_schema())) from invalid
    unknown = [error for number, case in enumerate(table.cases) for error in _kind_errors(document, number, case)]
    if unknown:
        raise InvalidPolicyError(*unknown)
    return table


def _kind_errors(document: Document, number: int, case: PolicyCase) -> Iterator[PolicyError]:
    return unknown_kinds(document, ("cases", number, "given", "content"), case.given.content)
