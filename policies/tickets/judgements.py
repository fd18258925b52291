"""What independent judges cost in a week, and how often they were wrong. Pure; the sets are those of `metrics`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from policies.tickets.rates import Ratio, decisions_of_people, share
from policies.tickets.records import History, Judgement
from policies.tickets.states import Event
from policies.tickets.week import Week

_UNDONE = (Event.REJECTED, Event.REVERTED)


def costs(judgements: Iterable[Judgement], week: Week) -> list[Decimal | None]:
    """Of each call that ended in the week; None where the judge told nothing of it."""
    return [one.cost for one in judgements if week.holds(one.at)]


def false_passes(ripe: Sequence[History], week: Week) -> Ratio:
    """Of the passes of judges: those of heads that a person sent back, or whose merge was reverted by the week's end.

    Why a person sent it back is not told apart: every such pass counts as a false one.
    """
    return share(
        _is_undone(ticket, one, week)
        for ticket in ripe
        for one in ticket.judgements
        if one.said == "pass" and one.at < week.ends
    )


def _is_undone(ticket: History, judgement: Judgement, week: Week) -> bool:
    """What follows the next head that is brought is about that one."""
    for change in ticket.changes:
        if judgement.at <= change.at < week.ends and change.event in (*_UNDONE, Event.SUBMITTED):
            return change.event in _UNDONE
    return False


def overruled(tickets: Sequence[History], week: Week) -> Ratio:
    """Of the tickets on which a judge and, in the week after it, a person decided: those where one decided the other
    way. That a judge cannot tell is no decision."""
    decisions = [list(_against(ticket, week)) for ticket in tickets]
    return share(any(found) for found in decisions if found)


def _against(ticket: History, week: Week) -> Iterator[bool]:
    """For each decision of a person, whether it goes against what a judge said last."""
    for at, approves in decisions_of_people(ticket):
        said = [one.said for one in ticket.judgements if one.at <= at and one.said != "cannot_tell"]
        if week.holds(at) and said:
            yield approves is not (said[-1] == "pass")
