"""Workers: claim a key for each free slot, keep its lease alive, and say how the attempt ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import prometheus_client
import structlog
from structlog.contextvars import bind_contextvars

from app.store import work
from app.store.cancelling import cancelled, forget, told_to_end, waits_in
from app.store.database import Database, DatabaseAway
from app.store.work import Lease

RENEWED_EVERY = 2.0  # seconds
LOOKS_EVERY = 1.0  # seconds, when no notification comes
RENEWED_WITHIN = 6.0  # seconds; after that the lease has run out, whatever the database says later
TIME_LIMIT = timedelta(minutes=5)
GRACE = 10.0  # seconds to end in, twice: a process of git gets five for it, a statement of psycopg ten
STILL = timedelta(seconds=30)  # without an answer of the table, where a slot is free: trouble

log = structlog.get_logger(__name__)

ATTEMPTS = prometheus_client.Counter("mergegate_attempts", "Attempts on keys of work, by how they ended", ["outcome"])


@dataclass(frozen=True, slots=True)
class Done:
    """Looked at; nothing more to do until there is news."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Look again then, at most ten minutes ahead; no failure."""

    until: timedelta | datetime


Outcome = Done | Sleep


class Retry(RuntimeError):
    """A failed attempt that knows how long to wait before the next one."""

    def __init__(self, after: timedelta, because: str) -> None:
        super().__init__(because)
        self.after = after


class LeaseLost(RuntimeError):
    """Somebody else may have the key by now; the attempt ends without a word."""


class Worker:
    """Runs `work` on claimed keys, at most `slots` at once.

    `work` returns Done or Sleep, or raises: any exception is a failed attempt. It is cancelled when the lease is
    lost or the time limit is over, so it must not swallow a cancellation. One that goes on all the same is left
    behind: its slot and its key are free again, and its effects fail for want of the lease.
    """

    def __init__(
        self,
        db: Database,
        work: Callable[[Lease], Awaitable[Outcome]],
        slots: int = 4,
        *,
        limit: timedelta = TIME_LIMIT,
    ) -> None:
        self._db = db
        self._work = work
        self._slots = slots
        self._limit = limit
        self._running: set[asyncio.Task[None]] = set()
        self._left_behind: set[asyncio.Future[Outcome]] = set()
        self._wake = asyncio.Event()
        self._progressed_at: float | None = None  # on the loop's clock

    async def run(self) -> None:
        """Work until cancelled; then the keys in work are given back at once."""
        listening = asyncio.create_task(self._listen())
        try:
            while True:
                await self._fill_or_wait()
        finally:
            await asyncio.gather(cancelled(listening, GRACE), _ended(*self._running))

    async def drain(self) -> int:
        """Work until no key is in work, due now, or waiting for its turn after news; the number of attempts.

        Keys that sleep or back off are left. For tests and one-shot commands. Raises DatabaseAway.
        """
        attempts = 0
        try:
            while True:
                attempts += await self._fill()
                if not self._running and await self._idle():
                    return attempts
                await self._wait(0.5)
        finally:
            await _ended(*self._running)

    async def _idle(self) -> bool:
        left = await work.counts(self._db)
        return not (left.due or left.again or left.leased)

    async def _fill_or_wait(self) -> None:
        try:
            await self._fill()
            await self._wait(LOOKS_EVERY)
        except DatabaseAway as away:
            log.warning("work waits for the database", error=str(away))
            await asyncio.sleep(LOOKS_EVERY)
        except Exception:
            # Whatever it is: a worker that ended would leave a process that does nothing and looks well.
            log.exception("work could not be claimed")
            await asyncio.sleep(LOOKS_EVERY)

    async def _fill(self) -> int:
        """Claim one key for each free slot, as long as there is one."""
        self._wake.clear()
        claimed = 0
        while len(self._running) < self._slots:
            lease = await work.claim(self._db)
            self._progressed()
            if lease is None:
                break
            self._begin(lease)
            claimed += 1
        return claimed

    def makes_progress(self) -> bool:
        """Whether the table answered a moment ago, or every slot is taken by an attempt within its time limit.

        Not any more when as many attempts as there are slots went on though they were told to end: what they hold, a
        restart alone sets free.
        """
        if len(self._left_behind) >= self._slots:
            return False
        patience = STILL.total_seconds()
        if len(self._running) >= self._slots:
            patience += self._limit.total_seconds()
        at = self._progressed_at
        return at is not None and asyncio.get_running_loop().time() - at < patience

    def _progressed(self) -> None:
        self._progressed_at = asyncio.get_running_loop().time()

    def _begin(self, lease: Lease) -> None:
        task = asyncio.create_task(self._attempt(lease), name=f"work on {lease.key}")
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._progressed()
        self._wake.set()

    async def _wait(self, longest: float) -> None:
        """Until a slot is free or a key may be due: a notification, the next due time, or the longest wait."""
        if len(self._running) < self._slots:
            following = (await work.counts(self._db)).following
            longest = longest if following is None else min(longest, following + 0.01)
        with contextlib.suppress(TimeoutError):
            # Not wait_for: before Python 3.12 it loses a cancellation that comes together with the event.
            async with asyncio.timeout(longest):
                await self._wake.wait()

    async def _listen(self) -> None:
        async with contextlib.aclosing(work.listen(self._db)) as hints:
            async for _ in hints:
                self._wake.set()

    async def _attempt(self, lease: Lease) -> None:
        """One attempt from claim to finish, fail or sleep. Swallows DatabaseAway: the lease then runs out by itself."""
        bind_contextvars(key=lease.key, attempt=lease.attempts)
        if lease.delivery is not None:
            bind_contextvars(delivery=lease.delivery)
        with contextlib.suppress(DatabaseAway):
            try:
                outcome = await self._kept(lease)
            except LeaseLost:
                ATTEMPTS.labels("lost").inc()
                log.warning("lease lost, attempt ended")
            except asyncio.CancelledError:
                await asyncio.shield(work.release(self._db, lease))
                raise
            except Exception as wrong:  # noqa: BLE001 - whatever it is, the key must be tried again and shown
                await self._fail(lease, wrong)
                # Its frames hold the task that holds it: all that was looked at would wait for the next collection.
                wrong.__traceback__ = None
            else:
                await self._settle(lease, outcome)

    async def _settle(self, lease: Lease, outcome: Outcome) -> None:
        ATTEMPTS.labels("done" if isinstance(outcome, Done) else "sleeps").inc()
        match outcome:
            case Done():
                await work.finish(self._db, lease)
            case Sleep(until):
                await work.sleep(self._db, lease, until)

    async def _fail(self, lease: Lease, wrong: Exception) -> None:
        error = str(wrong) if isinstance(wrong, Retry) else f"{type(wrong).__name__}: {wrong}"
        ATTEMPTS.labels("failed").inc()
        log.warning("attempt failed", error=error)
        await work.fail(self._db, lease, error, wrong.after if isinstance(wrong, Retry) else None)

    async def _kept(self, lease: Lease) -> Outcome:
        """Run the work beside its renewals. Raises what the work raises, LeaseLost, or TimeoutError."""
        working = asyncio.ensure_future(self._work(lease))
        renewing = asyncio.create_task(self._renew(lease))
        try:
            limit = self._limit.total_seconds()
            await asyncio.wait({working, renewing}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return _outcome(working)
            if renewing.done():
                raise LeaseLost
            raise TimeoutError(f"the attempt took longer than {limit:g} s and was ended; it was in {waits_in(working)}")
        finally:
            try:
                await self._end(working)
            finally:  # and not before: while the work may still write, nobody else begins
                await cancelled(renewing, GRACE)

    async def _end(self, working: asyncio.Future[Outcome]) -> None:
        if await cancelled(working, GRACE):
            return
        log.error("an attempt does not end though it was told to; its slot is free again", waits_in=waits_in(working))
        self._left_behind.add(working)
        working.add_done_callback(self._left_behind.discard)
        working.add_done_callback(forget)

    async def _renew(self, lease: Lease) -> None:
        """Return when the lease could not be renewed in time."""
        with contextlib.suppress(DatabaseAway, TimeoutError):
            renewed = True
            while renewed and not told_to_end():  # for ever, had a cancellation been lost
                await asyncio.sleep(RENEWED_EVERY)
                async with asyncio.timeout(RENEWED_WITHIN):
                    renewed = await work.renew(self._db, lease)


def _outcome(working: asyncio.Future[Outcome]) -> Outcome:
    """Raises what the work raised. A cancellation that nobody asked for is a failure: it must back off like one."""
    if working.cancelled():
        raise RuntimeError("the attempt was cancelled from within")
    return working.result()


async def _ended(*attempts: asyncio.Task[None]) -> None:
    """Cancel attempts and wait for their ends, which they see to; how they ended is not of interest."""
    for attempt in attempts:
        attempt.cancel()
    await asyncio.gather(*attempts, return_exceptions=True)
