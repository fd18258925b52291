"""What the repository's day lets happen of what follows by itself. Pure.

Whatever begins an attempt or lets one go on asks the day, as a claim does. Where it takes no more, the ticket waits for
an agent of another day, and its session ends with that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from policies.ticket_section import TicketRules
from policies.tickets.limits import Day, no_further
from policies.tickets.progress import Next
from policies.tickets.states import Event, State

# By state and event, whether an attempt more begins with it.
ASKS: Mapping[tuple[State, Event], bool] = {
    (State.VERIFY_FAILED, Event.RESUMED): True,
    (State.MERGEABLE, Event.SUBMITTED): True,
    (State.QUEUED, Event.SUBMITTED): True,
    (State.NEEDS_HUMAN, Event.ANSWERED): False,
}


def asks_the_day(state: State, following: Next) -> bool:
    return (state, following.event) in ASKS


def within_day(state: State, following: Next, rules: TicketRules, floor: TicketRules | None, day: Day) -> Next:
    """The same, or what happens instead. Only for what asks the day.

    A head that was brought after the work had passed is there already: it stops the ticket, as where it has no attempt
    left.
    """
    because = no_further(rules, floor, day, attempt=ASKS[state, following.event])
    if because is None:
        return following
    instead = Event.CAP if following.event is Event.SUBMITTED else Event.RELEASED
    return replace(following, event=instead, because=f"{following.because}, and {because}")
