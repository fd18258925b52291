"""What a session may spend on models where a gateway meters it before it is spent, and what it can where none does."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal

from policies.ticket_section import TicketRules
from policies.tickets.limits import CENT, Limits, Used, left

UNMETERED = "the policy asks for hard costs (`ticket.costs`), and nothing meters what this agent would spend"


def session_budget(limits: Limits, used: Used, spent: Decimal) -> Decimal:
    """US dollars over the session's whole life: what it `spent` by now, and what the ticket has left.

    `used` holds `spent` already, and what the ticket used before this session. What the repository's day has left was
    set apart for the ticket when it was claimed (`no_start`), so it cannot be less.
    """
    return spent + left(limits, used).cost


def unmetered(rules: TicketRules, floor: TicketRules | None, *, metered: bool) -> str | None:
    """Why an agent whose calls of models are not `metered` gets no ticket; None where it may have one."""
    asked = "hard" in (rules.costs, None if floor is None else floor.costs)
    return UNMETERED if asked and not metered else None


def unsaid(rules: TicketRules, floor: TicketRules | None, reported: Decimal, minutes: float) -> Decimal:
    """US dollars that agents can have spent in so many minutes beyond what they `reported`; cents, rounded up."""
    hourly = max(rules.hourly_cost, 0 if floor is None else floor.hourly_cost)
    at_most = (Decimal(str(hourly)) * Decimal(str(minutes)) / 60).quantize(CENT, ROUND_UP)
    return max(Decimal(0), at_most - reported)
