"""Requests of sessions that are under way: they end when their session does, on every process within a second.

One look at the store every half second asks for all of them at once which sessions have ended, and renews the ledger's
entries. When the store cannot be asked for longer than an entry counts as alive, nobody could stop what is under way,
so it stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import structlog

from app.proxy import ledger, sessions
from app.proxy.courier import Courier
from app.proxy.grant import Grant
from app.proxy.incoming import BadRequest
from app.store.database import Database, DatabaseAway

log = structlog.get_logger(__name__)

EVERY = 0.5  # seconds
PATIENCE = 2.0  # seconds for one look
BLIND = 5.0  # seconds without the store; less than `ledger.ALIVE`
LONGEST = 3600.0  # seconds of one request
MOST = 256  # requests in one process
AT_ONCE = 32  # of one session, so that one agent does not take the place of the others
# Nor do several: a session may have a quarter of the places that are free, so that some always are. The more sessions
# take what they can, the less that is. https://doi.org/10.1109/90.664262 (dynamic thresholds)
FREE_PART = 4
STOPPED = "the session ended while this was under way"


@dataclass(eq=False)
class Flight:
    """One request. With an `entry` it is a write; once `sent` whole it is waited for, as it cannot be taken back."""

    grant: Grant
    limit: asyncio.Timeout
    entry: int | None = None
    sent: bool = False
    stopped: str | None = field(default=None)

    def stop(self, because: str) -> None:
        if self.stopped is None and not self.sent and not self.limit.expired():  # it ends already
            self.stopped = because
            self.limit.reschedule(asyncio.get_running_loop().time())


class Stopped(Exception):
    """The request was ended from outside; the message is a clause."""


class Flights:
    def __init__(self, database: Database, courier: Courier) -> None:
        self._database = database
        self._courier = courier
        self._flights: set[Flight] = set()
        self._giving_back: set[asyncio.Task[None]] = set()
        self._seen = time.monotonic()

    @property
    def number(self) -> int:
        return len(self._flights)

    @contextlib.asynccontextmanager
    async def flight(self, grant: Grant) -> AsyncIterator[Flight]:
        """A request of that session while the block lasts. Raises BadRequest first, Stopped within or at its end."""
        self._check_room(grant)
        if not self._flights:
            self._seen = time.monotonic()
        flight: Flight | None = None
        try:
            async with asyncio.timeout(LONGEST) as limit:
                flight = Flight(grant, limit)
                self._flights.add(flight)
                yield flight
        except TimeoutError:
            if not limit.expired():
                raise
            because = flight.stopped if flight is not None else None
            raise Stopped(because or f"it took longer than {LONGEST:g} seconds") from None
        finally:
            if flight is not None:
                self._flights.discard(flight)

    def _check_room(self, grant: Grant) -> None:
        """Raises BadRequest."""
        own = sum(one.grant.session == grant.session for one in self._flights)
        if own >= AT_ONCE:
            raise BadRequest(f"the session has {AT_ONCE} requests under way; wait until some have ended", 429)
        free = MOST - len(self._flights)
        if free <= 0 or own >= max(free // FREE_PART, 1):
            said = f"all sessions together have {len(self._flights)} requests under way, and this one {own} of them"
            raise BadRequest(f"{said}; wait until some have ended", 429)

    async def watch(self) -> None:
        """Runs until it is cancelled. Whatever keeps it from seeing counts as blindness, and ends what is under way."""
        while True:
            await asyncio.sleep(EVERY)
            try:
                async with asyncio.timeout(PATIENCE):
                    await self.look()
            except (DatabaseAway, TimeoutError):
                pass
            except Exception:
                log.exception("the sessions of requests under way cannot be looked at")
            if time.monotonic() - self._seen > BLIND:
                self._stop(None, "the proxy cannot reach its database")

    async def look(self) -> None:
        """One look at the store, and what follows from it."""
        watched = {flight.grant.session for flight in self._flights} | self._courier.sessions
        if not watched:
            self._seen = time.monotonic()
            return
        entries = [flight.entry for flight in self._flights if flight.entry is not None]
        if entries:
            await ledger.renew(self._database, entries)
        ended = await sessions.ended_among(self._database, sorted(watched))
        self._seen = time.monotonic()
        if ended:
            self._stop(ended, STOPPED)
            for session in ended:
                self._give_back(session)

    def _give_back(self, session: int) -> None:
        """Beside the looks, which must not wait for GitHub."""
        task = asyncio.create_task(self._courier.end(session))
        self._giving_back.add(task)
        task.add_done_callback(self._giving_back.discard)

    async def settled(self) -> None:
        """When the tokens of ended sessions have gone back."""
        await asyncio.gather(*self._giving_back, return_exceptions=True)

    def _stop(self, ended: set[int] | None, because: str) -> None:
        for flight in self._flights:
            if ended is None or flight.grant.session in ended:
                flight.stop(because)
