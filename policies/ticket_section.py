"""The section of the policy file about tickets: whether one is needed, what one may use, and who works on them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from checks.tickets.form import MOST_ATTEMPTS, MOST_COST, MOST_MINUTES
from policies.escalation_section import Pushes
from policies.fields import Section

# As GitHub names workflow files: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
WORKFLOW_FILE = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml$"
POOL = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$"
PoolName = Annotated[str, Field(pattern=POOL)]
Minutes = Annotated[int, Field(ge=1, le=MOST_MINUTES)]
Dollars = Annotated[float, Field(gt=0, le=1_000_000)]


class TicketLimits(Section):
    """Limits of one ticket, over all of its attempts."""

    minutes: Minutes = Field(description="Wall clock of all attempts, waiting excluded, the verifier's runs included.")
    attempts: int = Field(ge=1, le=MOST_ATTEMPTS, description="Attempts that may begin.")
    cost: Annotated[float, Field(gt=0, le=int(MOST_COST))] = Field(description="US dollars of all attempts.")


class DayLimits(Section):
    """Limits of a day of UTC, over all tickets of the repository."""

    minutes: Annotated[int, Field(ge=1, le=10_000_000)] = Field(description="Minutes of all attempts of a day.")
    attempts: Annotated[int, Field(ge=1, le=100_000)] = Field(description="Attempts that may begin in a day.")
    cost: Dollars = Field(description="US dollars: spent, and what running tickets may still spend.")


class Pool(Section):
    """Agents that take tickets under one name."""

    agents: Annotated[int, Field(ge=1, le=1_000)] = Field(default=1, description="Tickets in work at a time.")
    start: Literal["claim", "workflow", "command"] = Field(
        default="claim",
        description="`claim`: its agents fetch work. `workflow`: a workflow is started. `command`: the server's own.",
    )
    workflow: Annotated[str, Field(pattern=WORKFLOW_FILE)] | None = Field(
        default=None, description="File name of the workflow on the default branch that starts an agent."
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.start == "workflow") is not (self.workflow is not None):
            raise ValueError("`workflow` names the file exactly where `start` is `workflow`")
        return self


class TicketScale(Section):
    """When more tickets may be in work: one step a week of 2, 5, 20, 50, 200, 500 and 1,000."""

    enforced: bool = Field(description="Whether no more tickets are in work than the step allows.")
    cap_hits: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Share of a week's attempts that limits may have ended before a step."
    )
    reverts: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Share of what was merged two weeks before that may have been reverted before a step."
    )
    unproven: Annotated[int, Field(ge=2, le=1_000)] = Field(
        description="The highest step before agents have passed the probation of `queue.probation`."
    )


class TicketRules(Section):
    """The accepted tickets that agents work on."""

    required: bool = Field(description="Whether an agent's pull request must belong to an accepted ticket.")
    prefixed: bool = Field(description="Whether commands count only as `/gate verb`, because another bot reads others.")
    language: Literal["en", "ja", "zh"] = Field(description="Language of what people are told on tickets.")
    limits: TicketLimits = Field(description="What holds where a ticket does not say.")
    most: TicketLimits = Field(description="What no ticket may go beyond, whoever raises its limits.")
    day: DayLimits = Field(description="What a day may use.")
    costs: Literal["any", "hard"] = Field(
        description="`hard`: no agent gets a ticket where nothing meters what it spends before it is spent."
    )
    hourly_cost: Dollars = Field(
        description="US dollars that an agent can cost in an hour where nothing meters it; its time counts for as much."
    )
    running: Annotated[int, Field(ge=1, le=1_000)] = Field(description="Tickets in work at a time.")
    scale: TicketScale = Field(description="When more may be in work than two.")
    pools: Annotated[dict[PoolName, Pool], Field(max_length=100)] = Field(
        description="Pools of agents by name. A ticket may name one of them, or any agent.",
        json_schema_extra={"additionalProperties": False},
    )
    start_within: Minutes = Field(description="Minutes in which an agent must begin what it took.")
    silent_after: Minutes = Field(description="Minutes without a sign of life after which an agent counts as stalled.")
    ended_after: Minutes = Field(description="Minutes without a sign of life after which its attempt is ended.")
    settled_after: Annotated[int, Field(ge=1, le=365)] = Field(description="Days merged and not reverted.")
    pushes: Pushes = Field(description="Who is told of what cannot be decided without people, and when.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.ended_after < self.silent_after:
            raise ValueError("`ended_after` is shorter than `silent_after`")
        return self
