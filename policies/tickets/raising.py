"""Limits that a person raised: from what to what, beside what the policy gives every ticket. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from policies.tickets.limits import CENT, Limits

Name = Literal["minutes", "attempts", "cost"]


@dataclass(frozen=True, slots=True)
class Raise:
    """One limit that holds higher than it did. `usual` is the policy's default; where that is less than a cent, which
    asks every ticket for a cost of its own, it is a cent: others divide by it."""

    limit: Name
    was: Decimal
    became: Decimal
    usual: Decimal


def raises(before: Limits, after: Limits, usual: Limits) -> Iterator[Raise]:
    """What holds, not what was asked for: a number above the policy's `ticket.most` raises nothing beyond that."""
    names: tuple[Name, ...] = ("minutes", "attempts", "cost")
    for name in names:
        was, became = Decimal(getattr(before, name)), Decimal(getattr(after, name))
        if became > was:
            yield Raise(name, was, became, max(Decimal(getattr(usual, name)), CENT))
