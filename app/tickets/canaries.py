"""Canary tickets on a schedule: each is handed out like any other, exceeds one limit, and must be stopped.

What they drive is what stops real work: claims, limits, the table of states, the check of a session's token. GitHub is
not asked. While a stop is missed no ticket is handed out by any process that shares the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from time import perf_counter

import structlog

from app.gate.names import RepositoryName
from app.github.installation_models import InstalledRepository
from app.keys import TicketKey
from app.proxy import sessions
from app.proxy.grant import Grant
from app.proxy.opening import Place as CourierPlace
from app.store.database import Database, DatabaseAway
from app.store.tickets import canaries, moving, runs, snapshots, ticket
from app.store.tickets.moving import Cause
from app.store.tickets.runs import Progress
from app.store.tickets.ticket import SeenIssue
from app.store.worker import Done, Outcome, Sleep
from app.tickets.changing import changed
from app.tickets.claims import Claimed, Claiming, NothingToClaim, claim_within
from app.tickets.escalating_canary import mark_boards
from app.tickets.parts import Place, TicketParts
from app.tickets.reconcile import advance, look
from app.tickets.stop_story import stop_story
from policies.load import PolicySource, read_policy
from policies.tickets.canary import DEAD_WITHIN, LIMITS, REPOSITORY, Limit, Ran, form_of, is_due, scope_tried
from policies.tickets.states import Event, State

log = structlog.get_logger(__name__)

LOOKS = timedelta(minutes=10)  # whether it is time; a key does not sleep longer
# One that takes longer shows no limit that holds. All of them together end before the worker ends the attempt, which
# would leave none of it on record; a supervisor has thirty seconds.
LONGEST = timedelta(seconds=55)
CANARY = "canary"


class Escaped(RuntimeError):
    """A canary went on; the message says what it could do."""


async def reconcile_canaries(parts: TicketParts, every: timedelta | None) -> Outcome:
    """Run them when it is time. None: they are switched off. Raises DatabaseAway, which is nobody's miss."""
    if every is None:
        return Done()
    now = parts.gate.now()
    async with parts.gate.database.transaction() as connection:
        newest, missed = await canaries.newest(connection), await canaries.missed(connection)
    if is_due(newest, missed, every, now):
        await _run_alone(parts)
    return Sleep(LOOKS)


async def _run_alone(parts: TicketParts) -> None:
    """A process that lost its lease may still be at it, and would take the tickets of the next one away."""
    async with parts.gate.database.transaction() as held:
        if await canaries.alone(held):
            await run_canaries(parts)


async def run_canaries(parts: TicketParts) -> tuple[Ran, ...]:
    """All of them, one after the other; what each has left is taken away."""
    found = tuple([await _ran(parts, number, limit) for number, limit in enumerate(LIMITS, 1)])
    for ran in found:
        (log.info if ran.passed else log.error)("canary", limit=ran.limit, passed=ran.passed, seen=ran.seen)
    if not all(ran.passed for ran in found):
        await mark_boards(parts.gate.database)
    return found


async def _ran(parts: TicketParts, number: int, limit: Limit) -> Ran:
    database = parts.gate.database
    await _clear(database)
    try:
        async with asyncio.timeout(LONGEST.total_seconds()):
            ran = await _tried(parts, number, limit)
    except DatabaseAway:
        raise
    except TimeoutError:
        ran = Ran(limit, passed=False, seen=f"it was not over within {LONGEST.total_seconds():g} seconds")
    except Escaped as escaped:
        ran = Ran(limit, passed=False, seen=str(escaped))
    except Exception as wrong:  # noqa: BLE001 - whatever it is, nothing shows that this limit holds
        log.error("a canary could not be run", limit=limit, error=f"{type(wrong).__name__}: {wrong}")
        ran = Ran(limit, passed=False, seen=f"it could not be run: {type(wrong).__name__}")
    await _clear(database)
    async with database.transaction() as connection:
        await canaries.record(connection, ran, parts.gate.now())
    return ran


async def _clear(database: Database) -> None:
    async with database.transaction() as connection:
        await canaries.clear(connection)


async def _tried(parts: TicketParts, number: int, limit: Limit) -> Ran:
    """Raises Escaped."""
    place = _place(parts, number)
    if limit == "scope":
        return scope_tried(place.policy, parts.gate.now())
    # What stops it shall be this program's own; those outside are asked by themselves.
    field = _Field(replace(parts, supervisor=None, gateway=None), place, parts)
    claimed = await field.hand_out(limit)
    await _EXCEEDS[limit](field, claimed)
    took = await field.dead(claimed)
    again = await field.claim()
    if isinstance(again, Claimed):
        raise Escaped("it was handed out once more")
    return Ran(
        limit, passed=True, seen=f"its token was dead and it was not handed out again: {again.because}", took=took
    )


def _place(parts: TicketParts, number: int) -> Place:
    """A repository of the store alone, under the policy that holds where a repository says nothing."""
    repository = RepositoryName(REPOSITORY, "mergegate", CANARY, "main")
    policy = read_policy(PolicySource(None, "refs/heads/main", "0" * 40), parts.gate.presets)
    return Place(TicketKey(REPOSITORY, REPOSITORY, number), repository, parts.gate.github.app, policy)


@dataclass(frozen=True, slots=True)
class _Field:
    """One canary's ticket, and what happens to it."""

    parts: TicketParts
    place: Place
    outside: TicketParts

    @property
    def number(self) -> int:
        return self.place.key.number

    async def hand_out(self, limit: Limit) -> Claimed:
        """Accepted by nobody, claimed, and begun. Raises Escaped where even that is not possible: nothing was tried."""
        form = form_of(limit)
        async with self.parts.gate.database.transaction() as connection:
            seen = SeenIssue(REPOSITORY, self.number, REPOSITORY, f"canary: {limit}", form.digest)
            await ticket.note(connection, seen)
            await snapshots.freeze(
                *(connection, REPOSITORY, self.number, form),
                issue_digest=form.digest,
                redirects=(),
                accepted_by=CANARY,
            )
            await moving.move(connection, REPOSITORY, self.number, Event.ACCEPTED, Cause(CANARY, "it is tried"))
        claimed = await self.claim()
        if isinstance(claimed, NothingToClaim):
            raise Escaped(f"it could not be tried: {claimed.because}")
        await self.report(claimed, Progress())
        return claimed

    async def claim(self) -> Claimed | NothingToClaim:
        """As an agent would, with a session that is one."""
        named = f"{self.place.repository.owner}/{self.place.repository.name}"
        seen = InstalledRepository(id=REPOSITORY, name=CANARY, full_name=named, default_branch="main")
        courier = CourierPlace(REPOSITORY, seen, self.place.policy)
        claiming = Claiming(self.place, courier, self.parts.gate.now(), CANARY, number=self.number)
        async with self.parts.gate.database.transaction() as connection:
            return await claim_within(connection, claiming)

    async def report(self, claimed: Claimed, progress: Progress) -> None:
        async with self.parts.gate.database.transaction() as connection:
            await runs.report(connection, claimed.run.id, progress)

    async def happens(self, event: Event) -> None:
        async with self.parts.gate.database.transaction() as connection:
            await changed(connection, self.place.key, event, Cause(CANARY, "it is tried"))

    async def advance(self, into: State) -> None:
        """What follows by itself must have brought it there. Raises Escaped."""
        view = await look(self.parts, self.place)
        if view is None or not await advance(self.parts, self.place, view, issue_open=True):
            raise Escaped("nothing happened to it")
        async with self.parts.gate.database.transaction() as connection:
            row = await ticket.find(connection, REPOSITORY, self.number)
        if row is None or row.state is not into:
            raise Escaped(f"it became {'nothing' if row is None else row.state.value}, not {into.value}")

    async def story(self, claimed: Claimed) -> dict[str, object]:
        """What a supervisor is told of its stop."""
        async with self.parts.gate.database.transaction() as connection:
            row = await ticket.find(connection, REPOSITORY, self.number)
            changes = await moving.latest(connection, REPOSITORY, self.number)
        assert row is not None
        return stop_story(self.place.repository.full_name, row, claimed.run, changes)

    async def dead(self, claimed: Claimed) -> float:
        """Seconds until its token was refused; any look at it that begins a second later must refuse it."""
        begun = perf_counter()
        if not await self._works(claimed):
            return perf_counter() - begun
        await asyncio.sleep(DEAD_WITHIN.total_seconds())
        if await self._works(claimed):
            raise Escaped(f"its token still worked {DEAD_WITHIN.total_seconds():g} s later")
        return perf_counter() - begun

    async def _works(self, claimed: Claimed) -> bool:
        assert claimed.token is not None  # a session was opened with it
        return isinstance(await sessions.find(self.parts.gate.database, claimed.token.get_secret_value()), Grant)


async def _exceed_time(field: _Field, _: Claimed) -> None:
    async with field.parts.gate.database.transaction() as connection:
        await canaries.backdate(connection, timedelta(minutes=2))
    await field.advance(State.STOPPING)


async def _exceed_cost(field: _Field, claimed: Claimed) -> None:
    await field.report(claimed, Progress(cost=Decimal(1)))
    await field.advance(State.STOPPING)
    await _refused_by_gateway(field.outside)


async def _refused_by_gateway(outside: TicketParts) -> None:
    """A key for models that has nothing left must be refused. Raises Escaped, and GatewayFailed."""
    gateway = outside.gateway
    if gateway is None:
        return
    issued = await gateway.generate(budget=Decimal(0), seconds=60, metadata={"repository": f"mergegate/{CANARY}"})
    try:
        refused = await gateway.refuses(issued.key)
    finally:
        await gateway.delete(issued.key_hash)
    if not refused:
        raise Escaped("the gateway let a key call a model whose budget is used up")


async def _exceed_attempts(field: _Field, claimed: Claimed) -> None:
    """Its only attempt ends, and a person asks for another one."""
    assert claimed.grant is not None
    await sessions.revoke(field.parts.gate.database, claimed.grant.session, "the canary ends its attempt")
    await field.advance(State.NEEDS_HUMAN)
    await field.happens(Event.RETRIED)


async def _stop(field: _Field, claimed: Claimed) -> None:
    await field.happens(Event.STOP)
    supervisor = field.outside.supervisor
    if supervisor is not None and not await supervisor.tell("stop", await field.story(claimed)):
        raise Escaped("the supervisor did not say that its agent is gone")


_EXCEEDS: Mapping[Limit, Callable[[_Field, Claimed], Awaitable[None]]] = {
    "time": _exceed_time,
    "attempts": _exceed_attempts,
    "cost": _exceed_cost,
    "stop": _stop,
}
