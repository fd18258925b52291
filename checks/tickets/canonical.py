"""The canonical form of a ticket: what its hash is taken of, what agents are given, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from checks.tickets.form import (
    LONGEST_GOAL,
    LONGEST_LINE,
    MOST_ATTEMPTS,
    MOST_LINES,
    MOST_MINUTES,
    SHORTEST_GOAL,
    TicketForm,
)

Line = Annotated[str, Field(min_length=1, max_length=LONGEST_LINE)]
Lines = Annotated[list[Line], Field(max_length=MOST_LINES)]
SomeLines = Annotated[list[Line], Field(min_length=1, max_length=MOST_LINES)]
Issues = Annotated[list[Annotated[int, Field(ge=0, le=999_999_999)]], Field(max_length=MOST_LINES)]


class CanonicalTicket(BaseModel):
    """A ticket as it was accepted. Paths are patterns as in .gitignore, costs US dollars over all attempts."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    goal: Annotated[str, Field(min_length=SHORTEST_GOAL, max_length=LONGEST_GOAL)] = Field(description="One outcome.")
    allowed_paths: SomeLines = Field(description="Nothing else may be changed.")
    forbidden_paths: Lines = Field(description="Not to be changed, also where they are allowed.")
    done_when: SomeLines = Field(description="Each can be checked.")
    verify: Lines = Field(description="Commands that show that it is done.")
    risk: Literal["low", "medium", "high", "critical"] = Field(description="At the least; the gate may raise it.")
    migration: Literal["no", "yes"] = Field(description="Whether stored data or its schema is touched.")
    submit: Literal["standard", "batch-row"] = Field(description="How the result is submitted.")
    max_minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] | None = Field(
        description="Over all attempts, without waiting. null: the policy's."
    )
    max_attempts: Annotated[int, Field(ge=1, le=MOST_ATTEMPTS)] | None = Field(description="null: the policy's.")
    max_cost: Annotated[str, Field(pattern=r"^[0-9]{1,5}\.[0-9]{2}$")] | None = Field(description="null: the policy's.")
    depends_on: Issues = Field(description="Numbers of issues that must be merged before.")
    pool: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(description="An agent or a pool.")
    unsure: Literal["stop", "draft"] = Field(
        description="When information is missing: stop and ask, or the best effort in a draft."
    )


def read_canonical(fields: Mapping[str, Any]) -> TicketForm:
    """The form that was written as `TicketForm.fields`. Raises pydantic's ValidationError for anything else."""
    read: dict[str, Any] = CanonicalTicket.model_validate(dict(fields)).model_dump()
    held: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in read.items()}
    return TicketForm(**held)


def ticket_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the canonical form."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:mergegate:ticket:v1",
        **CanonicalTicket.model_json_schema(),
        "title": "Mergegate ticket",
    }
