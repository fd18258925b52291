"""The single numbers of a week, each from the tickets that it is about. Pure; the sets are those of `metrics`."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from policies.tickets.records import (
    ESCALATIONS,
    Act,
    ActKind,
    Canary,
    Change,
    History,
    PullSpan,
    Push,
    Raised,
    Stretch,
)
from policies.tickets.states import Event, State
from policies.tickets.week import Week

END_STATES = frozenset({State.MERGED, State.STOPPED, State.CAP_HIT, State.CANCELLED})
RIPENS = timedelta(days=14)
ANSWERS_WITHIN = timedelta(hours=24)
LIMITED = frozenset({Event.CAP, Event.EXHAUSTED})
VERDICTS = frozenset({Event.PASSED, Event.FAILED})
# Why an attempt was not the last one, by what ended it.
RERUN_CAUSES: Mapping[Event, str] = {
    Event.FAILED: "verification",
    Event.REJECTED: "verification",
    Event.RELEASED: "infra",
}


@dataclass(frozen=True, slots=True)
class Ratio:
    """`value` is None where `whole` is 0."""

    part: Decimal | int
    whole: int

    @property
    def value(self) -> float | None:
        return float(self.part) / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Reruns:
    """Attempts after the first ones, by ticket that ended, and how many of them had which cause."""

    rate: Ratio
    by_cause: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Pushes:
    """Pushes by person (in small letters) and day of the week's zone, and how many were followed by that person's act
    within a day."""

    by_day: Mapping[tuple[str, date], int]
    actionable: Ratio


@dataclass(frozen=True, slots=True)
class Drift:
    """Limits that were raised, and the median of what they became as multiples of the policy's default; how often
    another path was allowed."""

    raised: int
    median: float | None
    granted: int = 0


def share(found: Iterable[bool]) -> Ratio:
    answers = list(found)
    return Ratio(sum(answers), len(answers))


def end_in(ticket: History, week: Week) -> Change | None:
    """The last time in the week that it reached an end state."""
    return next((one for one in reversed(ticket.changes) if one.to_state in END_STATES and week.holds(one.at)), None)


def is_merged_in(ticket: History, week: Week) -> bool:
    """Whether it was merged for the first time in the week."""
    merged = _first(ticket, Event.MERGED)
    return merged is not None and week.holds(merged.at)


def reruns(ended: Sequence[History], week: Week) -> Reruns:
    causes = Counter(cause for ticket in ended for cause in _rerun_causes(ticket, end_in(ticket, week)))
    return Reruns(Ratio(causes.total(), len(ended)), dict(sorted(causes.items())))


def _rerun_causes(ticket: History, end: Change | None) -> Iterator[str]:
    last = {one.attempt: one for one in ticket.stretches}
    for attempt in range(1, 0 if end is None else end.attempt):
        yield _rerun_cause(ticket, last.get(attempt), last.get(attempt + 1))


def _rerun_cause(ticket: History, before: Stretch | None, after: Stretch | None) -> str:
    """A new snapshot is the cause before all others: the agent was told to do something else.

    What had passed, was put out of the queue and needed another head had to be brought up to its base.
    """
    if before is None or before.outcome is None:
        return "other"
    if after is not None and after.revision > before.revision:
        return "redirect"
    put_out = any(one.event is Event.DEQUEUED and one.attempt == before.attempt for one in ticket.changes)
    if before.outcome is Event.PASSED and put_out:
        return "conflict"
    return RERUN_CAUSES.get(before.outcome, "other")


def conflicts(pulls: Sequence[PullSpan], week: Week) -> Ratio:
    opened = [
        one for one in pulls if one.opened_at < week.ends and (one.closed_at is None or one.closed_at >= week.begins)
    ]
    return share(any(week.holds(at) for at in one.conflicts) for one in opened)


def is_reverted(ticket: History) -> bool:
    """Within 14 days after its first merge."""
    merged, reverted = _first(ticket, Event.MERGED), _first(ticket, Event.REVERTED)
    return merged is not None and reverted is not None and reverted.at - merged.at <= RIPENS


def escalations(ticket: History, week: Week) -> frozenset[str]:
    """Causes for which it went up to a person by the end of the week. That its attempts ran out is one."""
    asked = {one.cause for one in ticket.asked if one.cause in ESCALATIONS and one.at < week.ends}
    exhausted = any(one.event is Event.EXHAUSTED and one.at < week.ends for one in ticket.changes)
    return frozenset(asked | ({"repeated_failure"} if exhausted else set()))


def cap_hits(tickets: Sequence[History], week: Week) -> Ratio:
    return share(hit for ticket in tickets for hit in _attempts_ended(ticket, week))


def _attempts_ended(ticket: History, week: Week) -> Iterator[bool]:
    """Whether a limit ended it, for each attempt that ended in the week."""
    limited = {one.attempt for one in ticket.changes if one.event in LIMITED and one.at < week.ends}
    for stretch in ticket.stretches:
        ended_at = _attempt_ended_at(ticket, stretch)
        if ended_at is not None and week.holds(ended_at):
            yield stretch.attempt in limited


def _attempt_ended_at(ticket: History, stretch: Stretch) -> datetime | None:
    """A question ends an attempt only when something else than the answer follows."""
    asked_at = stretch.ended_at
    if asked_at is None or stretch.outcome is not Event.ASKED:
        return asked_at
    left = (one for one in ticket.changes if one.from_state is State.NEEDS_HUMAN and one.at >= asked_at)
    following = next(left, None)
    return None if following is None or following.event is Event.ANSWERED else following.at


def is_untouched(ticket: History) -> bool:
    """Whether no person did anything between its acceptance and the last approval, or the merge where nobody approved.

    What was never accepted was not left alone either.
    """
    accepted, merged = _first(ticket, Event.ACCEPTED), _first(ticket, Event.MERGED)
    if accepted is None or merged is None:
        return False
    approvals = [act.at for act in ticket.acts if act.kind is ActKind.APPROVAL and act.at <= merged.at]
    until = max(approvals, default=merged.at)
    return not any(accepted.at < act.at < until for act in ticket.acts)


def first_pass(ended: Sequence[History], week: Week) -> Ratio:
    firsts = [next((one for one in _until(ticket, week) if one.event in VERDICTS), None) for ticket in ended]
    return share(one.event is Event.PASSED for one in firsts if one is not None)


def false_passes(ripe: Sequence[History], week: Week) -> Ratio:
    """Passes of the evidence that a person sent back afterwards, or whose merge was reverted by the end of the week.

    Why a person sent it back is not told apart: every such pass counts as a false one.
    """
    return share(false for ticket in ripe for false in _passes(ticket, week))


def _passes(ticket: History, week: Week) -> Iterator[bool]:
    telling = (Event.PASSED, Event.REJECTED, Event.REVERTED)
    events = [one.event for one in _until(ticket, week) if one.event in telling]
    for event, following in pairwise([*events, None]):
        if event is Event.PASSED:
            yield following in (Event.REJECTED, Event.REVERTED)


def overruled(tickets: Sequence[History], week: Week) -> Ratio:
    """Of the tickets on which evidence and, in the week, a person decided: those where one decided the other way."""
    decisions = [list(_decisions(ticket, week)) for ticket in tickets]
    return share(any(found) for found in decisions if found)


def _decisions(ticket: History, week: Week) -> Iterator[bool]:
    """For each decision of a person in the week after a verdict, whether it goes against that."""
    for at, approves in decisions_of_people(ticket):
        verdicts = [one.event for one in ticket.changes if one.event in VERDICTS and one.at <= at]
        if week.holds(at) and verdicts:
            yield approves is not (verdicts[-1] is Event.PASSED)


def decisions_of_people(ticket: History) -> Iterator[tuple[datetime, bool]]:
    """When, and whether they let it through."""
    yield from ((one.at, False) for one in ticket.changes if one.event is Event.REJECTED)
    kinds = (ActKind.APPROVAL, ActKind.OVERRIDE)
    yield from ((act.at, True) for act in ticket.acts if act.kind in kinds)


def canaries(found: Sequence[Canary], week: Week) -> Ratio:
    return share(one.passed for one in found if week.holds(one.at))


def pushes(found: Sequence[Push], acts: Sequence[Act], week: Week) -> Pushes:
    sent = [one for one in found if week.holds(one.at)]
    days = Counter((one.person.casefold(), one.at.astimezone(week.zone).date()) for one in sent)
    return Pushes(dict(sorted(days.items())), share(_is_answered(one, acts) for one in sent))


def _is_answered(push: Push, acts: Sequence[Act]) -> bool:
    person = push.person.casefold()
    own = (act.at for act in acts if act.number in push.numbers and act.by.casefold() == person)
    return any(push.at <= at <= push.at + ANSWERS_WITHIN for at in own)


def drift(found: Sequence[Raised], week: Week) -> Drift:
    given = [one.share for one in found if week.holds(one.at)]
    shares = [each for each in given if each is not None]
    return Drift(len(shares), statistics.median(shares) if shares else None, len(given) - len(shares))


def _first(ticket: History, event: Event) -> Change | None:
    return next((one for one in ticket.changes if one.event is event), None)


def _until(ticket: History, week: Week) -> Iterator[Change]:
    return (one for one in ticket.changes if one.at < week.ends)
