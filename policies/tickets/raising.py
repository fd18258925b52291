"""Limits that a person raised: from what to what, beside what the policy gives every ticket. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from policies.tickets.limits import Limits

Name = Literal["minutes", "attempts", "cost"]


@dataclass(frozen=True, slots=True)
class Raise:
    """One limit that holds higher than it did. `usual` is the policy's default, which is more than nothing."""

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
            yield Raise(name, was, became, Decimal(getattr(usual, name)))
