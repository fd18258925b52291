"""What a session may spend on models where a gateway meters it before it is spent."""

from __future__ import annotations

from decimal import Decimal

from policies.tickets.limits import Limits, Used, left


def session_budget(limits: Limits, used: Used, spent: Decimal) -> Decimal:
    """US dollars over the session's whole life: what it `spent` by now, and what the ticket has left.

    `used` holds `spent` already, and what the ticket used before this session. What the repository's day has left was
    set apart for the ticket when it was claimed (`no_start`), so it cannot be less.
    """
    return spent + left(limits, used).cost
