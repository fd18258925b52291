"""What so many tickets like those of a week would cost. Pure.

`spent` is what each merged ticket has cost with all that came to nothing beside it; `reserve` is for those that a limit
ends, which then take up to the whole cost limit once more. Both are US dollars.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from policies.tickets.limits import CENT
from policies.tickets.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Projection:
    """`at_least`: attempts of the week told no cost, so that it is more."""

    tickets: int
    spent: Decimal
    reserve: Decimal
    at_least: bool

    @property
    def words(self) -> str:
        least = "at least " if self.at_least else ""
        return (
            f"{self.tickets} tickets like this week's: {least}{self.spent} USD, and {self.reserve} USD in reserve for "
            "those that a limit ends."
        )


def project(week: Metrics, tickets: int, cost_limit: Decimal) -> Projection | None:
    """None where nothing was merged, so that nobody knows what a ticket costs. `cost_limit` is that of one ticket."""
    if not week.cost.whole:
        return None
    capped = Decimal(week.cap_hits.part) / week.cap_hits.whole if week.cap_hits.whole else Decimal(1)
    spent = tickets * Decimal(week.cost.part) / week.cost.whole
    reserve = tickets * capped * cost_limit
    return Projection(tickets, _cents(spent), _cents(reserve), at_least=week.unknown_costs > 0)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_UP)
