"""Tickets of which something is not shown yet, because GitHub takes only so many writes an hour.

With hundreds of them each would come back again and again for a place among the writes, with all the reads of a look
before it is told that there is none. Without news since, it is told so first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.github.budgets import Urgency, urgency
from app.github.client import GitHubClient
from app.github.errors import RateLimited
from app.keys import TicketKey
from app.store.work import Lease

MOST_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class PutOff:
    """`since` and `generation` are those of the key when it was looked at, `level` how urgent what is to be written is.
    By `look_by` it is looked at again, news or not; None: only with news."""

    since: datetime | None
    generation: int
    level: Urgency
    look_by: datetime | None


class Waiting:
    """Those that this process put off. What it forgets is looked at once more than needed."""

    def __init__(self) -> None:
        self._put_off: dict[TicketKey, PutOff] = {}

    def note(self, key: TicketKey, one: PutOff | None) -> None:
        """None for a ticket that is shown."""
        self._put_off.pop(key, None)
        if len(self._put_off) >= MOST_KEPT:
            self._put_off.clear()
        if one is not None:
            self._put_off[key] = one

    def until(self, key: TicketKey, lease: Lease, client: GitHubClient, now: datetime) -> datetime | None:
        """When it may come again, if nothing happened since and there still is no place; None: look at it."""
        one = self._put_off.get(key)
        if one is None or (one.since, one.generation) != (lease.since, lease.generation):
            return None
        if one.look_by is not None and one.look_by <= now:
            return None
        try:
            with urgency(one.level):
                client.check_content()
        except RateLimited as limited:
            return limited.until if one.look_by is None else min(limited.until, one.look_by)
        return None
