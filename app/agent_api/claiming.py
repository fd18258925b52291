"""`POST /agent/claim`: a ticket for whoever proves to belong to a pool, waited for if there is none yet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog

from app.agent_api import bodies
from app.agent_api.call import LOOKS, Answer, Call, ClientGone, Refused
from app.agent_api.places import Places, Seen
from app.agent_api.trusting import trusted
from app.proxy.session_token import ENROLMENT, token_hash, well_formed
from app.proxy.sessions import CannotOpen
from app.store import enrolments
from app.store.database import Connection
from app.store.tickets.moving import Cause
from app.tickets.changing import changed
from app.tickets.claims import Claimed, Claiming, NothingToClaim, claim_within
from checks.branches import BRANCHES
from policies.tickets.states import Event

log = structlog.get_logger(__name__)

UNKNOWN = Refused(
    401,
    "The token is not known here.",
    "Give an enrolment token (mergegate agent enrol) as a bearer token, or a workload identity's.",
)
ELSEWHERE = Refused(
    409,
    "The repository of this token is not there any more under its name.",
    "Ask its operator to look at the name and to enrol this machine again.",
)


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims. `held` says in the claim's own transaction whether the proof still counts."""

    owner: str
    repository: str
    repository_id: int
    pool: str
    number: int | None  # the only ticket that it may have; None: any of its pool
    held: Callable[[Connection], Awaitable[bool]]
    enrolment: int | None = None


class _Nothing(Exception):
    """Undoes the transaction in which nothing was claimed."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


async def claim(call: Call, asked: bodies.Claiming) -> Answer:
    """Raises Refused, ClientGone, GitHub's errors, DatabaseAway."""
    claimant = await _claimant(call, asked)
    agent = claimant.pool if asked.worker is None else f"{claimant.pool}/{asked.worker}"
    found = await call.until(lambda: _look(call, claimant, agent))
    if found is None:
        _, because = call.parts.nothing.get(_name(claimant), (0.0, "no ticket waits for this agent"))
        return Answer(bodies.NoClaim(because=because).model_dump(mode="json"))
    if claimant.enrolment is not None:
        # Apart from the claim: others hold the enrolment while they wait for their turn to claim.
        async with call.database.transaction() as connection:
            await enrolments.used(connection, claimant.enrolment)
    if call.gone.done():
        await _given_back(call, found)
        raise ClientGone
    log.info("a ticket was claimed", key=str(found.key), agent=agent, attempt=found.run.attempt)
    return Answer(told(found))


async def _claimant(call: Call, asked: bodies.Claiming) -> Claimant:
    token = call.token.get_secret_value()
    if not well_formed(token, ENROLMENT):
        trust = await trusted(call, asked)
        return Claimant(trust.owner, trust.repository, trust.repository_id, trust.pool, trust.number, trust.held)
    async with call.database.transaction() as connection:
        found = await enrolments.find_live(connection, token_hash(token))
    if found is None:
        raise UNKNOWN
    named = (f"{found.owner}/{found.repository}".lower(), found.pool)
    if (asked.repository or named[0]).lower() != named[0] or (asked.pool or named[1]) != named[1]:
        raise Refused(403, "This token is for another repository or pool.", "Leave both out, or name its own.")
    enrolment_id = found.id

    async def held(connection: Connection) -> bool:
        return await enrolments.hold(connection, enrolment_id)

    return Claimant(found.owner, found.repository, found.repository_id, found.pool, None, held, found.id)


async def _look(call: Call, claimant: Claimant, agent: str) -> Claimed | None:
    """One try in its turn; none where another agent of the pool tried a moment ago and got nothing."""
    parts, name = call.parts, _name(claimant)
    seen = await _place(parts.places, claimant)
    async with parts.turns:
        if call.gone.done():
            raise ClientGone
        now = asyncio.get_running_loop().time()
        then, _ = parts.nothing.get(name, (float("-inf"), ""))
        if now - then < LOOKS / 2:
            return None
        found = await _try(call, claimant, seen, agent)
        if isinstance(found, Claimed):
            return found
        parts.nothing[name] = (asyncio.get_running_loop().time(), found)
    return None


async def _place(places: Places, claimant: Claimant) -> Seen:
    """Raises Refused and GitHub's errors."""
    try:
        seen = await places.find(claimant.owner, claimant.repository)
    except CannotOpen as cannot:
        raise Refused(409, f"{cannot}.", "Ask whoever runs the gate; this token alone cannot change it.") from None
    if seen.place.repository.id != claimant.repository_id:
        raise ELSEWHERE
    return seen


async def _try(call: Call, claimant: Claimant, seen: Seen, agent: str) -> Claimed | str:
    """The ticket, or why there is none."""
    now, gateway = call.parts.places.now(), call.parts.gateway
    claiming = Claiming(seen.place, seen.courier, now, agent, claimant.pool, claimant.number, gateway)
    try:
        async with call.database.transaction() as connection:
            if not await claimant.held(connection):
                raise UNKNOWN
            found = await claim_within(connection, claiming)
            if isinstance(found, NothingToClaim):
                raise _Nothing(found.because)
            return found
    except _Nothing as nothing:
        return nothing.because


async def _given_back(call: Call, found: Claimed) -> None:
    """Nobody got the token, so the ticket need not wait for a start that never comes."""
    cause = Cause(found.run.agent, "its claim was broken off before it was answered")
    async with call.database.transaction() as connection:
        await changed(connection, found.key, Event.NOT_STARTED, cause)


def _name(claimant: Claimant) -> tuple[int, str]:
    return claimant.repository_id, claimant.pool


def told(found: Claimed) -> dict[str, Any]:
    """The claim as its agent is told of it, this once with the session's token."""
    assert found.grant is not None  # the courier is there, or nobody would have asked
    record = found.record(with_token=True)
    base = found.grant.base.removeprefix(BRANCHES)
    claim = bodies.Claim(**record, base=base, expires_at=found.grant.expires_at)
    return claim.model_dump(mode="json")
