"""How many tickets may be in work at a time: one step a week, after a week that shows that more are safe. Pure.

The steps are 2, 5, 20, 50, 200, 500 and 1,000. What is not known is no reason to raise. Nothing here lowers a step:
fewer are set by the policy's `ticket.running`, and a brake stops all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policies.ticket_section import TicketScale
from policies.tickets.metrics import Metrics
from policies.tickets.rates import Ratio
from policies.tickets.waits import Waits

STEPS = (2, 5, 20, 50, 200, 500, 1_000)


@dataclass(frozen=True, slots=True)
class Decision:
    """The step from now on. `because` are the reasons why it is not a higher one, none where it was raised."""

    step: int
    raised: bool
    because: tuple[str, ...]


def decide(step: int, this: Metrics, before: Metrics, *, proven: bool, rules: tuple[TicketScale, ...]) -> Decision:
    """After a week that has ended, with the one before it.

    `proven`: agents' pull requests have passed the probation of the policy's `queue.probation`. `rules` are those of
    the policy and of the server's baseline; the strictest hold.
    """
    higher = next((each for each in STEPS if each > step), None)
    if higher is None:
        return Decision(step, raised=False, because=(f"{step} is the highest step",))
    because = (*_unmet(this, before, rules), *_unproven(higher, rules, proven=proven))
    return Decision(step if because else higher, raised=not because, because=because)


def no_room(rules: tuple[TicketScale, ...], step: int, running: int) -> str | None:
    """Why no further ticket may be taken into work under a step; None where one may, or no step is to hold."""
    if running < step or not any(each.enforced for each in rules):
        return None
    return f"{running} of {step} tickets are in work, the step that the last weeks allow (`mergegate report` says why)"


def _unmet(this: Metrics, before: Metrics, rules: tuple[TicketScale, ...]) -> Iterator[str]:
    yield from _not_more("questions per completed ticket", this.questions.value, before.questions.value)
    yield from _wait(this.review_wait, before.review_wait)
    yield from _at_most("attempts ended by a limit", this.cap_hits, min(each.cap_hits for each in rules))
    yield from _at_most("reverts of two weeks ago", this.reverts, min(each.reverts for each in rules))
    yield from _canaries(this.canaries)
    if this.review_wait.unseen:
        yield f"{this.review_wait.unseen} of the week's results wait for a first look"


def _not_more(name: str, this: float | None, before: float | None) -> Iterator[str]:
    if this is None or before is None:
        yield f"{name}: n/a in {'this week' if this is None else 'the week before'}"
    elif this > before:
        yield f"{name} rose from {before:.2f} to {this:.2f}"


def _wait(this: Waits, before: Waits) -> Iterator[str]:
    """A week in which nothing waited for a person has no wait that could have risen."""
    if this.closed or this.open:
        yield from _not_more("median hours until a person looked", this.median, before.median)


def _at_most(name: str, found: Ratio, most: float) -> Iterator[str]:
    if found.value is None:
        yield f"{name}: n/a, there was none to count"
    elif found.value > most:
        yield f"{name}: {found.part} of {found.whole}, more than {most:.0%}"


def _canaries(found: Ratio | None) -> Iterator[str]:
    if found is None or found.value is None:
        yield "no canary ticket ran, so that nobody knows whether limits stop work"
    elif found.value < 1:
        yield f"limits stopped {found.part} of {found.whole} canary tickets"


def _unproven(higher: int, rules: tuple[TicketScale, ...], *, proven: bool) -> Iterator[str]:
    most = min(each.unproven for each in rules)
    if higher > most and not proven:
        yield f"more than {most} only after the probation of `queue.probation`"
