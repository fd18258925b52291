"""A day's limits over any sequence of claims, repairs, answers, spending and midnights, in a database with a clock.

What a day used is counted by the walk itself, from what it did and when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.gate.names import RepositoryName
from app.gate.presets import read_presets
from app.github.installation_models import InstalledRepository
from app.keys import TicketKey, WatchKey
from app.proxy import sessions
from app.proxy.opening import Place as CourierPlace
from app.store.database import Database
from app.store.embedded import Embedded
from app.store.tickets import moving, runs, ticket
from app.store.tickets.moving import Cause
from app.store.tickets.runs import Progress
from app.tickets.changing import changed
from app.tickets.claims import Claimed, Claiming, claim_within
from app.tickets.days import end_day
from app.tickets.doing import Doing, NotDone
from app.tickets.limiting import alone
from app.tickets.parts import Place, TicketParts
from app.tickets.reconcile import advance, look
from app.tickets.verbs import ACTS
from checks.commands import read_commands
from policies.load import PolicySource, read_policy
from policies.tickets.states import AT_WORK, Event, State
from tests.fleet.clock import Clock
from tests.fleet.store import night_store, set_clock
from tests.tickets.rows import FORM, REPOSITORY, accepted

pytestmark = pytest.mark.anyio

TICKETS, ATTEMPTS, MINUTES, BUDGET, CALL = 6, 5, 100, Decimal(9), Decimal(1)
EVENINGS, STEPS = 2, 40
LOOKS = 10  # minutes between two looks of the watch
POLICY = f"""\
version: 1
ticket:
  running: 4
  scale: {{enforced: false}}
  hourly_cost: 0.01
  limits: {{minutes: 100, attempts: 3, cost: 4}}
  most: {{minutes: 200, attempts: 5, cost: 9}}
  day: {{minutes: {MINUTES}, attempts: {ATTEMPTS}, cost: {BUDGET}}}
"""
ASKED = replace(FORM, max_minutes=100, max_cost="4.00")
STATE = read_policy(PolicySource(POLICY, "refs/heads/main", "0" * 40), read_presets())
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass
class Walk:
    """`attempts`, `minutes` and `dollars` are what the walk did on each day."""

    database: Database
    clock: Clock
    random: Random
    attempts: Counter[date] = field(default_factory=Counter)
    minutes: Counter[date] = field(default_factory=Counter)
    dollars: dict[date, Decimal] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)
    tickets: int = 0

    @property
    def parts(self) -> TicketParts:
        gate = SimpleNamespace(database=self.database, now=self.clock)
        return TicketParts(cast("Any", gate))

    def place(self, number: int) -> Place:
        repository = RepositoryName(REPOSITORY, "acme", "shop", "main")
        return Place(TicketKey(1, REPOSITORY, number), repository, cast("Any", None), STATE)

    @property
    def today(self) -> date:
        return self.clock.now.date()

    async def in_state(self, *states: State) -> int | None:
        async with self.database.transaction() as connection:
            found = await ticket.in_states(connection, REPOSITORY, states)
        return self.random.choice([row.number for row in found]) if found else None

    async def claim(self) -> None:
        place = self.place(0)
        seen = InstalledRepository(id=REPOSITORY, name="shop", full_name="acme/shop", default_branch="main")
        courier = CourierPlace(1, seen, place.policy)
        async with self.database.transaction() as connection:
            found = await claim_within(connection, Claiming(place, courier, self.clock.now, "claude"))
            if isinstance(found, Claimed):
                await runs.report(connection, found.run.id, Progress())
        self.events[type(found).__name__] += 1
        self.attempts[self.today] += isinstance(found, Claimed)

    async def spend(self) -> None:
        """One call, which a gateway lets through while the ticket's limit is not reached."""
        number = await self.in_state(State.RUNNING)
        if number is None:
            return
        async with self.database.transaction() as connection:
            spent = await runs.spent_by(connection, REPOSITORY, number)
            row, run = await ticket.find(connection, REPOSITORY, number), await self._run(connection, number)
            assert row is not None
            if spent.cost >= (row.max_cost or 4):
                return
            told = Progress(cost=(run.cost or Decimal(0)) + CALL, cost_kind="hard")
            await runs.report(connection, run.id, told)
        self.dollars[self.today] = self.dollars.get(self.today, Decimal(0)) + CALL

    async def _run(self, connection: Any, number: int) -> Any:
        run = await runs.open_run(connection, REPOSITORY, number)
        assert run is not None
        return run

    async def fail(self) -> None:
        await self._happen(State.RUNNING, Event.SUBMITTED, Event.FAILED)

    async def ask(self) -> None:
        await self._happen(State.RUNNING, Event.ASKED)

    async def retry(self) -> None:
        await self._happen(State.NEEDS_HUMAN, Event.RETRIED)
        await self._happen(State.CAP_HIT, Event.RETRIED)

    async def _happen(self, state: State | frozenset[State], *events: Event) -> None:
        number = await self.in_state(*([state] if isinstance(state, State) else state))
        for event in events if number is not None else ():
            async with self.database.transaction() as connection:
                await changed(connection, self.place(number or 0).key, event, Cause("x", "x"))

    async def lose(self) -> None:
        rows = await self.database.query("select id from sessions where ended_at is null order by id")
        if rows:
            await sessions.revoke(self.database, self.random.choice(rows)[0], "it is gone")

    async def more(self) -> None:
        await self.give(self.random.randint(2, 9))

    async def give(self, cost: int) -> str | None:
        """A person sets the dollars of a ticket in work; why it cannot be."""
        number = await self.in_state(*AT_WORK)
        (command,) = read_commands(f"/limit cost={cost}\nReason: x")
        async with self.database.transaction() as connection:
            await alone(connection, REPOSITORY)
            row = await ticket.lock(connection, REPOSITORY, number or 0)
            doing = Doing(self.parts, self.place(0), connection, cast("Any", None), row, command, "ada", [])
            try:
                await ACTS["limit"](doing) if row is not None else None
            except NotDone as refused:
                return str(refused)
        return None

    async def later(self) -> None:
        """Agents work on and give signs of life."""
        minutes = self.random.choice((1, LOOKS, LOOKS, LOOKS, LOOKS))
        at_work = await self.database.query("select id from ticket_runs where ended_at is null")
        for minute in range(minutes):
            self.minutes[self.clock.after(minute).date()] += len(at_work)
        self.clock.advance(self.clock.after(minutes))
        await set_clock(self.database, self.clock)
        async with self.database.transaction() as connection:
            for row in at_work:
                await runs.report(connection, row[0], Progress())

    async def evening(self) -> None:
        """All is stopped, and there are new tickets half an hour before the next midnight."""
        while await self.in_state(*AT_WORK) is not None:
            await self._happen(frozenset(AT_WORK), Event.STOP, Event.CONFIRMED)
        following = self.clock.now.replace(hour=23, minute=30)
        self.clock.advance(following + timedelta(days=following < self.clock.now))
        await set_clock(self.database, self.clock)
        async with self.database.transaction() as connection:
            for _ in range(TICKETS):
                self.tickets += 1
                await accepted(connection, self.tickets, ASKED)

    async def follow(self) -> None:
        """What the watch and the looks at tickets do."""
        await end_day(self.parts, self.place(0), WatchKey(1, REPOSITORY))
        async with self.database.transaction() as connection:
            found = await ticket.in_states(connection, REPOSITORY, AT_WORK | {State.STOPPING})
        for number in [row.number for row in found]:
            while (view := await look(self.parts, self.place(number))) is not None:
                if view.row.state is State.STOPPING:
                    await self._happen(State.STOPPING, Event.CONFIRMED)
                    break
                if not await advance(self.parts, self.place(number), view, issue_open=True):
                    break
                await self._note(number)

    async def _note(self, number: int) -> None:
        async with self.database.transaction() as connection:
            newest = (await moving.latest(connection, REPOSITORY, number))[0]
        self.events[newest.event] += 1
        self.attempts[self.today] += newest.event is Event.RESUMED

    def check(self) -> None:
        for day, count in self.attempts.items():
            assert count <= ATTEMPTS, f"{count} attempts on {day}"
        for day, dollars in self.dollars.items():
            assert dollars <= BUDGET, f"{dollars} USD on {day}"
        for day, minutes in self.minutes.items():
            assert minutes <= MINUTES + 4 * LOOKS, f"{minutes} minutes on {day}"


@pytest.fixture
async def walked(server: Embedded) -> AsyncIterator[Walk]:
    clock = Clock(NOON)
    async with night_store(server.conninfo, clock) as database:
        yield Walk(database, clock, Random(8))


async def test_no_day_passes_its_limits_whatever_happens_when(walked: Walk) -> None:
    steps = (walked.claim, walked.fail, walked.ask, walked.lose, walked.retry, walked.more, walked.later)
    for turn in range(EVENINGS * STEPS):
        if turn % STEPS == 0:
            await walked.evening()
        await walked.random.choices((*steps, walked.spend), (5, 3, 1, 1, 1, 1, 5, 7))[0]()
        await walked.follow()
        walked.check()
    # It was a walk worth the name.
    assert len(walked.attempts) > 2 and max(walked.attempts.values()) == ATTEMPTS, walked
    assert {"NothingToClaim", "resumed", "answered", "released"} <= set(walked.events), walked


async def test_a_repair_is_an_attempt_of_its_day(walked: Walk) -> None:
    """Of two tickets that fail twice each, the sixth attempt waits for another day."""
    await walked.evening()
    for act in (walked.claim, walked.claim):
        await act()
    for _ in range(2):
        while await walked.in_state(State.RUNNING) is not None:
            await walked.fail()
        await walked.follow()
    assert walked.attempts == {date(2026, 11, 30): ATTEMPTS}
    assert (walked.events["resumed"], walked.events["released"]) == (3, 1)
    told = "select cause from ticket_transitions where event = 'released'"
    assert await walked.database.query(told) == [("it goes back to its agent, and the day's 5 attempts are used up",)]


async def test_dollars_are_those_of_the_day_on_which_they_were_spent(walked: Walk) -> None:
    """Two tickets of 4 dollars are claimed before midnight and spend all of it after that: 8 of the next day's 9."""
    await walked.evening()
    for act in (walked.claim, walked.claim, *[walked.later] * 6, *[walked.spend] * 40):
        await act()
    assert walked.dollars == {date(2026, 12, 1): 8}
    await walked._happen(State.RUNNING, Event.STOP, Event.CONFIRMED)
    await walked.claim()
    assert walked.events == {"Claimed": 2, "NothingToClaim": 1}


async def test_a_ticket_in_work_is_given_no_more_than_its_day_has_left(walked: Walk) -> None:
    await walked.evening()
    for act in (walked.claim, walked.claim, walked.spend):
        await act()
    assert await walked.give(6) == (
        "Not while it is in work: the day's budget of 9.00 USD would not cover it: 10.00 USD at the worst. "
        "Say it tomorrow (UTC), or raise the policy's `ticket.day`."
    )
    assert await walked.give(5) is None
    assert await walked.give(6) is not None


async def test_who_works_is_sent_away_when_the_day_is_used_up(walked: Walk) -> None:
    """Half an hour of two agents before midnight counts for nothing of the 100 minutes after it."""
    await walked.evening()
    await walked.claim()
    await walked.claim()
    while walked.minutes[date(2026, 12, 1)] < MINUTES:
        assert await walked.in_state(State.RUNNING) is not None
        await walked.later()
        await walked.follow()
    assert await walked.in_state(State.RUNNING) is None
    assert walked.events["released"] == 0  # by the watch, not by what each ticket has left
    assert await walked.database.query(
        "select count(*), min(cause) from ticket_transitions where event = 'released'"
    ) == [(2, "the day's 100 minutes are used up")]
    assert await walked.database.query("select count(*) from sessions where ended_at is null") == [(0,)]
