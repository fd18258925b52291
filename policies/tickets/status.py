"""The answer to `/status`: step, percent, blocker, attempt, minutes, cost, and what is next. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from policies.escape import code, inert
from policies.tickets.limits import Limits
from policies.tickets.states import State
from policies.tickets.words import WORDS, Language

LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of a ticket's progress; None where nobody said. `cost_kind` is `hard` or `soft`."""

    language: Language
    state: State
    limits: Limits | None
    minutes: float
    attempts: int
    cost: Decimal
    cost_kind: str = "soft"
    step: int | None = None
    steps: int | None = None
    percent: int | None = None
    doing: str | None = None
    blocker: str | None = None
    agent: str | None = None
    stalled: bool = False


def status_text(status: Status) -> str:
    """The first line says where it is and how far; the last what is next."""
    words = WORDS[status.language]
    verdict, following = words.states[status.state]
    return "\n".join([f"**{verdict}{_progress(status)}.**", *_lines(status), f"- {following}"])


def _progress(status: Status) -> str:
    parts = []
    if status.step is not None:
        parts.append(f"step {status.step} of {status.steps or '?'}")
    if status.percent is not None:
        parts.append(f"{status.percent} %")
    if status.stalled:
        parts.append("silent")
    return f" ({', '.join(parts)})" if parts else ""


def _lines(status: Status) -> Iterator[str]:
    if status.doing:
        yield f"- Doing: {inert(status.doing, LONGEST_WORD)}"
    if status.blocker:
        yield f"- Blocked: {inert(status.blocker, LONGEST_WORD)}"
    if status.agent:
        yield f"- Agent: {code(status.agent)}"
    if status.limits is not None:
        held = status.limits
        yield (
            f"- Attempt {status.attempts} of {held.attempts}, {status.minutes:.0f} of {held.minutes} minutes, "
            f"{status.cost:.2f} of {held.cost} USD ({status.cost_kind})"
        )
