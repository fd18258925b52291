"""Handing a waiting ticket to an agent: every limit is checked and the attempt counted in one transaction.

The transaction holds the repository's lock of claims and the ticket's row. So two agents never get one ticket, and two
tickets never get the last place.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from app.keys import TicketKey
from app.proxy import sessions
from app.proxy.grant import Grant
from app.proxy.opening import Asked, checked, find_place
from app.proxy.opening import Place as CourierPlace
from app.proxy.sessions import CannotOpen, Wanted
from app.secret import SecretStr
from app.store import audit, work
from app.store.database import Connection
from app.store.tickets import brakes, canaries, runs, snapshots, ticket
from app.store.tickets.moving import Cause
from app.store.tickets.runs import Run
from app.store.tickets.snapshots import TicketSnapshot
from app.store.tickets.ticket import TicketRow
from app.tickets.candidates import candidates, open_dependency
from app.tickets.changing import change, key_of, recorded
from app.tickets.limiting import alone, day_of, limits_for, used_by
from app.tickets.litellm import Gateway, GatewayFailed
from app.tickets.metering import ModelAccess, give_key
from app.tickets.parts import Place, TicketParts
from app.tickets.scaling import because_of_step
from app.tickets.watching import watch_mark
from checks.branches import BRANCHES
from policies.tickets.canary import REPOSITORY as CANARIES
from policies.tickets.cost import unmetered
from policies.tickets.limits import NOTHING, Day, Limits, Used, left, no_attempt, no_place, no_start
from policies.tickets.states import Event, State

log = structlog.get_logger(__name__)

NAMESPACE = "*"
UNREADABLE = "the repository's policy cannot be used; repair it first"


@dataclass(frozen=True, slots=True)
class Claiming:
    """Who claims where and when. `courier` is None where agents get no sessions, `number` the only ticket wanted,
    `gateway` what meters the calls of models, if anything does."""

    place: Place
    courier: CourierPlace | None
    now: datetime
    agent: str
    pool: str | None = None
    number: int | None = None
    gateway: Gateway | None = None


@dataclass(frozen=True, slots=True)
class NothingToClaim:
    """Why no ticket was handed out now: a sentence for who runs the agent."""

    because: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """A ticket that an agent has from now on. `token` is shown this once; None where no session could be opened."""

    key: TicketKey
    full_name: str
    title: str
    snapshot: TicketSnapshot
    run: Run
    left: Limits
    token: SecretStr | None
    grant: Grant | None
    models: ModelAccess | None = None

    def record(self, *, with_token: bool) -> dict[str, Any]:
        """The same as JSON has it. Times are minutes, costs US dollars as text."""
        held = self.snapshot
        token: dict[str, Any] = {}
        if self.token is not None and with_token:
            token["token"] = self.token.get_secret_value()
        if self.models is not None and with_token:
            token["models"] = {"url": self.models.url, "key": self.models.key.get_secret_value()}
        return {
            "repository": self.full_name,
            "ticket": self.key.number,
            "title": self.title,
            "snapshot": held.form.fields,
            "redirects": list(held.redirects),
            "digest": held.digest,
            "revision": held.revision,
            "attempt": self.run.attempt,
            "agent": self.run.agent,
            "branch": self.run.branch.removeprefix(BRANCHES),
            "left": {"minutes": self.left.minutes, "attempts": self.left.attempts, "cost": str(self.left.cost)},
            "session": self.run.session_id,
            **token,
        }


async def claim(
    parts: TicketParts,
    place: Place,
    *,
    agent: str,
    pool: str | None = None,
    number: int | None = None,
    with_session: bool = True,
) -> Claimed | NothingToClaim:
    """The longest waiting ticket that this agent may have, or the one of that number. Raises GitHub's errors.

    `pool` is the pool that the agent belongs to; without one it gets tickets that name itself or nobody. An agent that
    cannot use the proxy gets none of its sessions: what it pushes otherwise would look as if it came past one.
    """
    if not place.readable:
        return NothingToClaim(UNREADABLE)
    try:
        courier = await _courier_place(parts, place) if with_session else None
    except CannotOpen as cannot:
        return NothingToClaim(str(cannot))
    claiming = Claiming(place, courier, parts.gate.now(), agent, pool, number, parts.gateway)
    async with parts.gate.database.transaction() as connection:
        return await claim_within(connection, claiming)


async def claim_within(connection: Connection, claiming: Claiming) -> Claimed | NothingToClaim:
    """The same in the caller's transaction, for who knows the place already."""
    place = claiming.place
    if not place.readable:
        return NothingToClaim(UNREADABLE)
    await alone(connection, place.repository.id)
    brake = await brakes.find(connection, place.repository.id)
    if brake is not None:
        return NothingToClaim(f"{brake.pulled_by} pulled the brake: {brake.because}")
    missed = await canaries.missed(connection)
    if missed is not None and place.repository.id != CANARIES:
        return NothingToClaim(f"{missed.words}; nothing begins until it is, or a person lets it (`mergegate canary`)")
    reasons: list[str] = []
    names = (None, claiming.agent, claiming.pool)
    waiting = await candidates(connection, place.repository.id, names, claiming.number)
    day = await day_of(connection, place, claiming.now, claiming.pool)
    closed = await _is_closed(connection, claiming, day)
    # Where nothing can begin, the first one says why; hundreds that wait need not all be asked.
    for row in waiting[:1] if closed else waiting:
        try:
            taken = await _take(connection, claiming, row, day)
        except GatewayFailed as failed:
            return NothingToClaim(f"the metering gateway for models gives no key: {failed}")
        if isinstance(taken, Claimed):
            return taken
        reasons.append(f"#{row.number}: {taken}")
    return NothingToClaim(reasons[0] if reasons else "no ticket waits for this agent")


async def _courier_place(parts: TicketParts, place: Place) -> CourierPlace | None:
    """None where no courier App is set up: agents then work without a session, and their limits are soft."""
    if parts.courier is None:
        return None
    return await find_place(parts.courier, parts.gate.presets, place.repository.owner, place.repository.name)


async def _take(connection: Connection, claiming: Claiming, seen: TicketRow, day: Day) -> Claimed | str:
    """The ticket, or why it cannot be had now. Raises GatewayFailed; then nothing of it happened."""
    row = await ticket.lock(connection, seen.repository_id, seen.number)
    held = await snapshots.newest(connection, seen.repository_id, seen.number)
    if row is None or held is None or row.state is not State.WAITING:
        return "it was taken meanwhile"
    because = await _because_not(connection, claiming, row, held, day)
    if because is not None:
        return because
    place = claiming.place
    limits = limits_for(place, row, held.form)
    remaining = left(limits, await used_by(connection, place, row.number))
    branch = branch_of(place, row.number)
    try:
        async with connection.transaction():
            return await _begin(connection, claiming, row, held, remaining, branch)
    except CannotOpen as cannot:
        return str(cannot)


async def _is_closed(connection: Connection, claiming: Claiming, day: Day) -> bool:
    """Whether no ticket can begin now, however little it may use."""
    place = claiming.place
    if no_start(place.rules, place.floor, NOTHING, Used(), day) or no_place(place.rules, claiming.pool, day):
        return True
    return await because_of_step(connection, place, day.running) is not None


async def _because_not(
    connection: Connection, claiming: Claiming, row: TicketRow, held: TicketSnapshot, day: Day
) -> str | None:
    if row.paused:
        return "it is paused"
    needed = await open_dependency(connection, held)
    if needed is not None:
        return f"it depends on #{needed}, which is not merged"
    place, pool = claiming.place, claiming.pool
    limits, used = limits_for(place, row, held.form), await used_by(connection, place, row.number)
    metered = claiming.courier is not None and claiming.gateway is not None
    return (
        unmetered(place.rules, place.floor, metered=metered)
        or no_attempt(limits, used)
        or no_start(place.rules, place.floor, limits, used, day)
        or no_place(place.rules, pool, day)
        or await because_of_step(connection, place, day.running)
    )


async def _begin(
    connection: Connection,
    claiming: Claiming,
    row: TicketRow,
    held: TicketSnapshot,
    remaining: Limits,
    branch: str,
) -> Claimed:
    """Raises CannotOpen and GatewayFailed; then nothing of it happened."""
    place, courier, agent, pool = claiming.place, claiming.courier, claiming.agent, claiming.pool
    key, models = key_of(row), None
    cause = Cause(agent, f"claimed for attempt {row.attempts + 1}")
    moved = await change(connection, key, Event.CLAIMED, cause)
    assert moved is not None  # the row was locked while it was waiting
    run = await runs.begin(
        connection, row.repository_id, row.number, revision=held.revision, agent=agent, pool=pool, branch=branch
    )
    opened = None
    if courier is not None:
        wanted = _wanted(place, courier, row, held, remaining, branch, agent)
        opened = await sessions.open_within(connection, wanted)
        await runs.set_session(connection, run.id, opened[1].session)
        if claiming.gateway is not None:
            models = await give_key(connection, claiming.gateway, opened[1], row.number, remaining, claiming.now)
    now = await runs.open_run(connection, row.repository_id, row.number)
    await work.mark(connection, [watch_mark(key)])
    await audit.append(connection, recorded(key, Event.CLAIMED, cause, moved))
    token, grant = opened or (None, None)
    return Claimed(key, place.repository.full_name, row.title, held, now or run, remaining, token, grant, models)


def _wanted(
    place: Place,
    courier: CourierPlace,
    row: TicketRow,
    held: TicketSnapshot,
    remaining: Limits,
    branch: str,
    agent: str,
) -> Wanted:
    """A session that lives no longer than the ticket's time limit leaves."""
    minutes = min(remaining.minutes + place.rules.start_within, int(sessions.LONGEST.total_seconds() // 60))
    asked = Asked(
        owner=place.repository.owner,
        repository=place.repository.name,
        branch=branch,
        agent=agent,
        opened_by=f"ticket #{row.number}",
        ticket=row.number,
        operator=held.accepted_by,
        lasts=timedelta(minutes=minutes),
    )
    return checked(courier, asked)


def branch_of(place: Place, number: int) -> str:
    """The one branch of a ticket over all its attempts (full ref), in the agents' namespace."""
    namespace = next((each for each in place.policy.policy.agents.branches if NAMESPACE in each), "agent/*")
    return f"{BRANCHES}{namespace.replace('**', NAMESPACE).replace(NAMESPACE, f'ticket-{number}')}"
