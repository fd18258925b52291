"""One request of an agent: who asks, what came with it, how long it may wait; and how it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.agent_api.places import Places
from app.keys import TicketKey
from app.proxy import sessions
from app.proxy.grant import Grant
from app.proxy.identities import Identities
from app.proxy.incoming import Application, Incoming
from app.proxy.refusal import Refusal
from app.secret import SecretStr
from app.store.database import Connection, Database
from app.store.tickets import ticket
from app.store.tickets.ticket import TicketRow
from app.tickets.changing import key_of
from app.tickets.litellm import Gateway

TURNS = 2  # claims of this process at a time
LOOKS = 1.0  # seconds between two looks of a request that waits
T = TypeVar("T")


class Refused(Exception):
    """A request that is not carried out: the status, what is the matter, and what to do. Sentences with full stops."""

    def __init__(self, status: int, message: str, fix: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.fix = fix
        self.headers = dict(headers or {})


class ClientGone(Exception):
    """Nobody is there any more who would read the answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`value` is JSON; None for an answer without a body."""

    value: Mapping[str, Any] | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """`github` gives the proxy's slice of GitHub's API. `identities` is None where no issuer is accepted,
    `gateway` where nothing meters the calls of models.

    `nothing` holds why a pool of a repository (by its id) got no ticket, and when (seconds of the loop's clock), so
    that hundreds of agents that wait together ask the database once. Claims take `turns`: those of one repository wait
    for each other, and must not hold all connections of the database meanwhile.
    """

    database: Database
    places: Places
    github: Callable[[], Application]
    identities: Identities | None = None
    gateway: Gateway | None = None
    nothing: dict[tuple[int, str], tuple[float, str]] = field(default_factory=dict)
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TURNS))


@dataclass(frozen=True, slots=True)
class Call:
    """`wait` is seconds, `raw` the body; `gone` ends when the client goes away."""

    parts: Parts
    incoming: Incoming
    token: SecretStr
    wait: float
    raw: bytes
    gone: asyncio.Task[None]

    @property
    def database(self) -> Database:
        return self.parts.database

    async def until(self, look: Callable[[], Awaitable[T | None]]) -> T | None:
        """What `look` finds within the time that this request may wait; None when that is over.

        Raises ClientGone, and whatever `look` raises.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.wait
        while True:
            found = await look()
            left = ends - loop.time()
            if found is not None or left <= 0:
                return found
            await asyncio.wait({self.gone}, timeout=min(LOOKS, left))
            if self.gone.done():
                raise ClientGone


@dataclass(frozen=True, slots=True)
class Session:
    """A call with a live session that belongs to a ticket."""

    call: Call
    grant: Grant
    number: int

    @property
    def own(self) -> tuple[int, int]:
        return self.grant.repository_id, self.number

    async def still_live(self) -> None:
        """Raises Refused when the session has ended meanwhile."""
        await granted(self.call)

    async def row(self, connection: Connection) -> TicketRow:
        return _known(await ticket.find(connection, *self.own), self.number)

    async def locked(self, connection: Connection) -> TicketRow:
        """The ticket's row, held until the transaction ends."""
        return _known(await ticket.lock(connection, *self.own), self.number)

    async def key(self, connection: Connection) -> TicketKey:
        return key_of(await self.row(connection))


async def granted(call: Call) -> Grant:
    """Raises Refused with why a token is not taken: to whoever never had one, every no is the same."""
    return await grant_of(call.database, call.token)


async def grant_of(database: Database, token: SecretStr) -> Grant:
    """The same before there is a call."""
    found = await sessions.find(database, token.get_secret_value())
    if isinstance(found, Refusal):
        raise Refused(401, f"{found.because}.", f"{found.fix}.")
    return found


async def session_of(call: Call) -> Session:
    """Raises Refused."""
    grant = await granted(call)
    if grant.ticket is None:
        raise Refused(409, "This session belongs to no ticket.", "Claim a ticket with POST /agent/claim.")
    return Session(call, grant, grant.ticket)


def _known(row: TicketRow | None, number: int) -> TicketRow:
    if row is None:
        fix = "Ask whoever started this agent: the issue must be a ticket that the gate has seen."
        raise Refused(409, f"Issue #{number} is no ticket.", fix)
    return row
