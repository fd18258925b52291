"""Shapes of what agents send and are answered, from which the OpenAPI document is made.

Times are ISO 8601 in UTC, costs US dollars as text so that no cent is lost, minutes whole numbers.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from app.json_model import JsonModel
from checks.tickets.canonical import CanonicalTicket
from policies.ticket_section import POOL

LONGEST_LINE, LONGEST_TEXT = 200, 1_000
MOST_OPTIONS = 4
MOST_COST = 1_000_000
MOST_STEPS = 10_000
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_LINE)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)]
Step = Annotated[int, Field(ge=1, le=MOST_STEPS)]
Dollars = Annotated[Decimal, Field(ge=0, le=MOST_COST, decimal_places=4)]
Cause = Literal["requirement_conflict", "permission_expansion", "data_migration", "missing_information"]


class Asked(JsonModel):
    """What an agent sends: nothing that is not named here."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Told(JsonModel):
    """What an agent is answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Claiming(Asked):
    """What is claimed. With an enrolment token all of it may be left out."""

    worker: Annotated[str, Field(pattern=POOL)] | None = Field(
        default=None, description="Name of this machine among those of its pool."
    )
    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$")] | None = Field(
        default=None, description="OWNER/NAME; needed with a workload identity's token, else the enrolment's."
    )
    pool: Annotated[str, Field(pattern=POOL)] | None = Field(
        default=None, description="Needed with a workload identity's token, else the enrolment's."
    )


class Left(Told):
    """What a ticket may still use, or may use at all."""

    minutes: int = Field(description="Of all attempts, with the verifier's.")
    attempts: int
    cost: str = Field(description="US dollars.")


class Models(Told):
    """A gateway for models. It refuses calls once the ticket's budget is spent, or its session is over."""

    url: str = Field(description="Its base address, OpenAI-compatible.")
    key: str = Field(description="A bearer token, shown this once.")


class Claim(Told):
    """A ticket that is this agent's from now on. It begins with its first progress, push or request to GitHub."""

    claimed: Literal[True] = True
    repository: str
    ticket: int = Field(description="Number of the issue.")
    title: str
    snapshot: CanonicalTicket
    redirects: list[str] = Field(description="What people said since the acceptance, the oldest first.")
    digest: str
    revision: int
    attempt: int
    agent: str
    branch: str = Field(description="The one branch that the session may push to.")
    base: str = Field(description="The branch that the pull request targets.")
    left: Left
    session: int
    token: str = Field(description="The session's token, shown this once: for git, gh and /session/….")
    models: Models | None = Field(default=None, description="Where models are metered: the only key to call them with.")
    expires_at: datetime


class NoClaim(Told):
    """No ticket now, and why; ask again."""

    claimed: Literal[False] = False
    because: str


class Progress(Asked):
    """How far it is; also the sign of life, which is due every few minutes. What is left out stays as it was."""

    step: Step | None = Field(default=None, description="Number of the step under way, from 1.")
    steps: Step | None = Field(default=None, description="How many there are.")
    percent: Annotated[int, Field(ge=0, le=100)] | None = None
    doing: Line | None = Field(default=None, description="What is under way.")
    blocker: Line | None = Field(default=None, description="What stands in the way; null takes it back.")
    cost: Dollars | None = Field(default=None, description="US dollars of this attempt so far; never less than before.")


class Standing(Told):
    """Where the ticket is."""

    ticket: int
    state: str
    attempt: int
    messages: int = Field(description="How many wait at GET /session/messages.")
    next: str = Field(description="What to do, in one sentence.")


class Asking(Asked):
    """A question that only a person can answer. The attempt rests until it is answered."""

    cause: Cause = Field(
        default="missing_information",
        description="A person is told at once of a `requirement_conflict` whose question quotes both lines of the "
        "ticket word by word, and of a `permission_expansion` that names the path or branch which was refused before.",
    )
    question: Text
    options: Annotated[list[Line], Field(max_length=MOST_OPTIONS)] = Field(default_factory=list)
    recommended: Line | None = Field(default=None, description="One of the options.")
    default: Line = Field(description="What happens if nobody answers; something safe.")


class QuestionAsked(Told):
    """`number` is what people answer it by."""

    number: int
    state: str
    answer: str | None
    next: str


class Message(Told):
    """One thing that a person or the gate says to this agent."""

    id: int
    kind: Literal["redirect", "answer", "stop", "rejected", "failed"]
    words: str
    by: str
    at: datetime


class Messages(Told):
    """What was not acknowledged yet, the oldest first."""

    messages: list[Message]


class Acknowledged(Asked):
    """The messages that were read: all up to this one."""

    through: Annotated[int, Field(ge=1, le=2**63 - 1)] = Field(description="`id` of the newest that was read.")


class Remaining(Told):
    """How many messages still wait."""

    messages: int


class EvidenceGiven(Told):
    """The bundle can be read and is the newest comment on the pull request, whose judgement compares it with facts."""

    digest: str = Field(description="SHA-256 of what was handed over.")
    pull_request: int
    next: str


class Found(Told):
    """A finding of the gate that is not settled."""

    check: str
    status: str
    reason: str
    fix: str | None
    action: str | None = Field(description="The fix as one of the gate's fixed words.")


class Judged(Told):
    """One of the two required checks."""

    status: str
    reason: str
    findings: list[Found]


class VerdictTold(Told):
    """The gate's newest verdict on the ticket's pull request; null where there is none yet."""

    state: str
    pull_request: int | None
    head: str | None = Field(description="The commit that was judged.")
    evidence: Judged | None
    review: Judged | None
    next: str


class LimitsTold(Told):
    """What holds, what was used, what is left. `cost_kind` is `hard` where spending was metered beforehand."""

    limits: Left
    used: Left
    left: Left
    cost_kind: Literal["hard", "soft"]
    expires_at: datetime = Field(description="The session's end, whatever is left.")


class Done(Asked):
    """The agent is finished: its branch is pushed, its pull request open, its evidence given."""

    summary: Text | None = None


class GivenUp(Asked):
    """The agent cannot finish it."""

    reason: Text


class Wrong(Told):
    """Every answer that is no success: what is the matter, and what to do."""

    message: str
    fix: str
