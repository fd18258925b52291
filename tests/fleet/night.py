"""Playing a night: the earliest thing of all that agents, people and the gate's work have to do, then the next."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.fleet import people
from tests.fleet.agents import Seen, machine
from tests.fleet.town import Town

BEGINS = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)  # a Monday
STEP = timedelta(seconds=5)  # what is due within it happens at its end
LIVE_WHERE_NONE_MAY = """
select sessions.id from sessions join tickets on tickets.repository_id = sessions.repository_id
  and tickets.number = sessions.ticket
where ended_at is null and expires_at > clock_timestamp() and tickets.state in
  ('draft', 'waiting', 'stopping', 'stopped', 'cap_hit', 'cancelled', 'merged', 'settled', 'reverted')
"""


@dataclass(frozen=True)
class Plan:
    """How large a night is. `phone` is the mean of the minutes between two comments of each of the two people; in the
    `rest` (hours) after it nobody is there, and what was put off is shown."""

    tickets: int
    agents: int
    hours: float
    phone: float
    rest: float
    seed: int = 7

    @property
    def ends(self) -> datetime:
        return BEGINS + timedelta(hours=self.hours)


@dataclass
class Night:
    """`powers` are sessions that were seen live on a ticket whose state allows none: there must never be one."""

    town: Town
    plan: Plan
    seen: Seen = field(default_factory=Seen)
    powers: set[int] = field(default_factory=set)
    steps: int = 0
    _heap: list[tuple[datetime, int, AsyncIterator[float]]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    async def play(self, told: Callable[[str], None] = lambda _: None) -> None:
        """From the evening to the morning."""
        self._begin()
        hour = BEGINS
        while (moment := await self._next()) < self.plan.ends:
            await self._step(moment)
            if moment >= hour:
                told(f"{moment:%H:%M}: {await self._told()}")
                hour += timedelta(hours=1)
        await self._step(self.plan.ends)

    async def until(self, ends: datetime) -> None:
        """What the gate still has to do, with nobody there."""
        self._heap.clear()
        while (moment := await self._next()) < ends:
            await self._step(moment)

    def _begin(self) -> None:
        town, plan = self.town, self.plan
        self._add(BEGINS, people.author(town, plan.tickets, plan.seed))
        for login in ("ada", "bob"):
            self._add(BEGINS, people.phone(town, login, plan.seed, plan.phone))
        for index in range(plan.agents):
            begins = BEGINS + timedelta(minutes=10 + 50 * index / plan.agents)
            self._add(begins, machine(town, f"vm-{index}", plan.seed, self.seen))

    def _add(self, at: datetime, life: AsyncIterator[float]) -> None:
        heapq.heappush(self._heap, (at, next(self._order), life))

    async def _next(self) -> datetime:
        following = await self.town.following()
        due = [self.town.clock.now + following] if following is not None else []
        due += [self._heap[0][0]] if self._heap else []
        earliest = min(due, default=datetime.max.replace(tzinfo=UTC) - STEP)
        steps = max(1, -((BEGINS - earliest) // STEP))
        return max(BEGINS + steps * STEP, self.town.clock.now + STEP)

    async def _step(self, moment: datetime) -> None:
        self.steps += 1
        await self.town.at(moment)
        while self._heap and self._heap[0][0] <= moment:
            _, _, life = heapq.heappop(self._heap)
            minutes = await anext(life, None)
            if minutes is not None:
                self._add(moment + timedelta(minutes=minutes), life)
        await self.town.rest()
        self.powers |= {row[0] for row in await self.town.database.query(LIVE_WHERE_NONE_MAY)}

    async def _told(self) -> str:
        rows = await self.town.database.query("select state, count(*) from tickets group by state order by state")
        states = ", ".join(f"{count} {state}" for state, count in rows)
        traffic = self.town.traffic
        looks = sum(self.town.looks.values())
        told = f"{looks} looks, {traffic.requests} requests, {len(traffic.written_at)} writes"
        return f"{states or 'nothing yet'}; {told}"
