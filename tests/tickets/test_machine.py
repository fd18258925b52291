"""Whatever happens to a ticket in whatever order: a stopped one has no token that works, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from app.keys import TicketKey
from app.proxy import sessions
from app.proxy.grant import Grant
from app.proxy.sessions import CannotOpen
from app.store.database import Connection, Database
from app.store.tickets import moving, runs, snapshots, ticket
from app.store.tickets.moving import Cause
from app.tickets.changing import change
from policies.tickets.states import WITH_SESSION, Event, Position, State, allowed, step
from tests.databases import emptied
from tests.tickets.rows import BRANCH, FORM, NUMBER, REPOSITORY, draft, wanted

T = TypeVar("T")
KEY = TicketKey(1, REPOSITORY, NUMBER)


class Tickets(RuleBasedStateMachine):
    """The store's ticket beside a plain model of it: a position, and every token that was ever given out."""

    url: str

    def __init__(self) -> None:
        super().__init__()
        emptied(self.url)
        self.loop = asyncio.new_event_loop()
        self.opening = Database.open(self.url, Path("/nonexistent"), migrated=False)
        self.database = self.wait(self.opening.__aenter__())
        self.tokens: list[str] = []
        self.position, self.moves = Position(State.DRAFT), 0
        self.wait(self.within(draft))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    async def within(self, work: Any) -> Any:
        async with self.database.transaction() as connection:
            return await work(connection)

    @initialize(begun=st.sampled_from([True, True, False]))
    def an_agent_may_have_it(self, begun: bool) -> None:
        for event in (Event.ACCEPTED, Event.CLAIMED) if begun else ():
            self.happens(event)

    @rule(which=st.integers(0, 20))
    def what_may_happen_does(self, which: int) -> None:
        fit = sorted(allowed(self.position))
        if fit:
            self.happens(fit[which % len(fit)])

    @rule(event=st.sampled_from(Event))
    def happens(self, event: Event) -> None:
        after = step(self.position, event)
        moved = self.wait(self.within(lambda connection: self._happens(connection, event)))
        assert (moved is not None) == (after is not None)
        if after is not None:
            self.position, self.moves = after, self.moves + 1

    async def _happens(self, connection: Connection, event: Event) -> Any:
        if event is Event.ACCEPTED and step(self.position, event) is not None:
            await snapshots.freeze(
                connection, REPOSITORY, NUMBER, FORM, issue_digest=FORM.digest, redirects=(), accepted_by="ada"
            )
        moved = await change(connection, KEY, event, Cause("test", event), minutes_left=5)
        if event is Event.CLAIMED and moved is not None:
            await self._claimed(connection)
        return moved

    async def _claimed(self, connection: Connection) -> None:
        run = await runs.begin(connection, REPOSITORY, NUMBER, revision=1, agent="claude", pool=None, branch=BRANCH)
        token, grant = await sessions.open_within(connection, wanted())
        await runs.set_session(connection, run.id, grant.session)
        self.tokens.append(token.get_secret_value())

    @rule()
    def somebody_opens_a_session_by_hand(self) -> None:
        try:
            token, _ = self.wait(sessions.open_session(self.database, wanted()))
        except CannotOpen:
            return
        assert self.position.state in WITH_SESSION
        self.tokens.append(token.get_secret_value())

    @rule(minutes=st.integers(1, 100))
    def somebody_extends_every_session(self, minutes: int) -> None:
        for session in self.wait(sessions.listed(self.database, every=True)):
            self.wait(sessions.extend(self.database, session.grant.session, timedelta(minutes=minutes)))
            self.wait(sessions.thaw(self.database, session.grant.session))

    @invariant()
    def no_token_works_where_none_may(self) -> None:
        live = [token for token in self.tokens if isinstance(self.wait(sessions.find(self.database, token)), Grant)]
        assert not live or self.position.state in WITH_SESSION
        assert len(live) <= 1

    @invariant()
    def the_store_is_the_model_and_every_change_is_recorded(self) -> None:
        row = self.wait(self.within(lambda connection: ticket.find(connection, REPOSITORY, NUMBER)))
        assert row.position == self.position
        changes = self.wait(self.within(lambda connection: moving.transitions(connection, REPOSITORY, NUMBER)))
        assert len(changes) == self.moves
        before = [State.DRAFT, *(one.to_state for one in changes)]
        assert [one.from_state for one in changes] == before[:-1]

    @invariant()
    def an_attempt_is_open_only_where_one_may_be(self) -> None:
        open_one = self.wait(self.within(lambda connection: runs.open_run(connection, REPOSITORY, NUMBER)))
        if self.position.state not in WITH_SESSION:
            assert open_one is None
        elif self.position.state is State.RUNNING:
            assert open_one is not None

    def teardown(self) -> None:
        self.wait(self.opening.__aexit__(None, None, None))
        self.loop.close()


def test_no_sequence_of_events_leaves_a_stopped_ticket_with_a_working_token(database_url: str) -> None:
    asyncio.run(_migrated(database_url))
    Tickets.url = database_url
    run_state_machine_as_test(
        Tickets,
        settings=settings(
            max_examples=20, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


async def _migrated(url: str) -> None:
    async with Database.open(url, Path("/nonexistent")):
        pass
