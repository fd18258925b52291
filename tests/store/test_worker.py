"""The worker: one key a slot, leases kept alive, every end of an attempt told to the work table."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import weakref
from datetime import timedelta
from typing import Any, LiteralString

import pytest

from app.store import work, worker
from app.store.database import Database
from app.store.work import Lease, Mark
from app.store.worker import Done, Outcome, Retry, Sleep, Worker

pytestmark = pytest.mark.anyio


async def mark(db: Database, *marks: Mark) -> None:
    async with db.transaction() as connection:
        await work.mark(connection, marks)


async def row(db: Database, key: str, columns: LiteralString) -> Any:
    rows = await db.query(f"select {columns} from work where key = %s", (key,))
    return rows[0] if rows else None


async def test_drain_works_everything_off_and_counts(database: Database) -> None:
    seen: list[str] = []

    async def look(lease: Lease) -> Outcome:
        seen.append(lease.key)
        return Done()

    await mark(database, *(Mark(f"k{number}") for number in range(20)))
    assert await Worker(database, look).drain() == 20
    assert sorted(seen) == sorted(f"k{number}" for number in range(20))
    assert await row(database, "k1", "1") is None


async def test_drain_waits_for_keys_that_news_sent_back(database: Database) -> None:
    seen: list[int] = []

    async def look(lease: Lease) -> Outcome:
        seen.append(lease.generation)
        if len(seen) == 1:
            await mark(database, Mark(lease.key))
        return Done()

    await mark(database, Mark("a"))
    assert await Worker(database, look).drain() == 2
    assert seen == [1, 2]


async def test_drain_leaves_what_sleeps_or_backs_off(database: Database) -> None:
    async def look(lease: Lease) -> Outcome:
        if lease.key == "bad":
            raise ValueError("no such thing")
        return Sleep(timedelta(seconds=60))

    await mark(database, Mark("bad"), Mark("periodic"))
    assert await Worker(database, look).drain() == 2
    assert await row(database, "bad", "attempts, last_error") == (1, "ValueError: no such thing")
    assert await row(database, "periodic", "attempts, last_error") == (0, None)


@pytest.mark.parametrize("again", [True, False], ids=["tried again", "failed"])
async def test_what_a_failed_attempt_looked_at_is_let_go_without_a_collection(database: Database, again: bool) -> None:
    class Looked:
        pass

    seen: list[weakref.ref[Looked]] = []

    async def look(lease: Lease) -> Outcome:
        looked = Looked()
        seen.append(weakref.ref(looked))
        try:
            raise KeyError(lease.key)
        except KeyError as wrong:
            raise Retry(timedelta(hours=1), "later") if again else ValueError("no such thing") from wrong

    await mark(database, Mark("a"))
    gc.disable()
    try:
        await Worker(database, look).drain()
        assert [one() for one in seen] == [None]
    finally:
        gc.enable()


async def test_a_wanted_delay_is_kept_with_its_reason(database: Database) -> None:
    async def look(lease: Lease) -> Outcome:
        raise Retry(timedelta(seconds=42), "GitHub said 502")

    await mark(database, Mark("a"))
    await Worker(database, look).drain()
    error, seconds = await row(database, "a", "last_error, extract(epoch from due_at - clock_timestamp())::float8")
    assert error == "GitHub said 502" and 41 < seconds <= 42


async def test_never_two_workers_on_one_key_and_no_wake_up_lost(database: Database) -> None:
    """Four workers that fail often, marks that come all the time; at the end every key was seen in its last state."""
    truth = {f"k{number}": 0 for number in range(12)}
    seen: dict[str, int] = {}
    running: set[str] = set()

    async def look(lease: Lease) -> Outcome:
        assert lease.key not in running
        running.add(lease.key)
        try:
            value = truth[lease.key]
            await asyncio.sleep(0.003)
            if value % 7 == 3 and lease.attempts < 2:
                raise Retry(timedelta(milliseconds=20), "again")
            seen[lease.key] = value
        finally:
            running.discard(lease.key)
        return Done()

    workers = [Worker(database, look, slots=2) for _ in range(4)]
    tasks = [asyncio.create_task(each.run()) for each in workers]
    for turn in range(200):
        key = f"k{turn * 5 % 12}"
        truth[key] += 1
        await mark(database, Mark(key))
    await _until_empty(database)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert seen == truth


async def _until_empty(db: Database) -> None:
    async with asyncio.timeout(30):
        while await db.query("select 1 from work"):  # noqa: ASYNC110 - other processes could empty it, too
            await asyncio.sleep(0.05)


async def test_no_more_than_the_slots_at_once(database: Database) -> None:
    now = most = 0

    async def look(lease: Lease) -> Outcome:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return Done()

    await mark(database, *(Mark(f"k{number}") for number in range(12)))
    await Worker(database, look, slots=3).drain()
    assert most == 3


async def test_a_mark_wakes_a_waiting_worker(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "LOOKS_EVERY", 60.0)
    looked = asyncio.Event()

    async def look(lease: Lease) -> Outcome:
        looked.set()
        return Done()

    running = asyncio.create_task(Worker(database, look).run())
    await asyncio.sleep(0.3)
    await mark(database, Mark("a"))
    await asyncio.wait_for(looked.wait(), 5)
    await _stopped(running)


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_lease_is_renewed_while_the_work_lasts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "RENEWED_EVERY", 0.05)

    async def look(lease: Lease) -> Outcome:
        await database.query("update work set leased_until = now() + interval '100 milliseconds'")
        await asyncio.sleep(0.3)
        assert await work.holds(database, lease)
        return Done()

    await mark(database, Mark("a"))
    assert await Worker(database, look).drain() == 1
    assert await row(database, "a", "last_error") is None


async def test_a_lost_lease_cancels_the_attempt(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "RENEWED_EVERY", 0.05)
    ends: list[str] = []

    async def look(lease: Lease) -> Outcome:
        if lease.attempts == 2:
            return Done()
        await database.query("update work set lease = null, leased_until = null, due_at = now() + interval '1 second'")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        return Done()

    await mark(database, Mark("a"))
    await Worker(database, look).drain()
    assert ends == ["cancelled"]
    assert await row(database, "a", "attempts, last_error") == (1, None)


async def test_an_attempt_has_a_time_limit(database: Database) -> None:
    async def look(lease: Lease) -> Outcome:
        await asyncio.sleep(30)
        return Done()

    await mark(database, Mark("a"))
    await Worker(database, look, limit=timedelta(seconds=0.1)).drain()
    (error,) = await row(database, "a", "last_error")
    assert error.startswith(
        "TimeoutError: the attempt took longer than 0.1 s and was ended; it was in store/test_worker"
    )
    assert " look > asyncio/tasks.py:" in error


class Deaf:
    """Work that hears none of its first cancellations, until `over`."""

    def __init__(self, unheard: float = math.inf) -> None:
        self.unheard = unheard
        self.over = asyncio.Event()
        self.begun = asyncio.Event()
        self.heard = asyncio.Event()

    async def __call__(self, lease: Lease) -> Outcome:
        self.begun.set()
        while lease.key == "deaf" and not self.over.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.over.wait()
                break
            if self.unheard == 0:
                self.heard.set()
                raise asyncio.CancelledError
            self.unheard -= 1
        return Done()


async def test_an_attempt_that_does_not_end_loses_its_slot_and_its_key(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worker, "GRACE", 0.05)
    deaf = Deaf()
    hard_pressed = Worker(database, deaf, slots=1, limit=timedelta(seconds=0.1))
    await mark(database, Mark("deaf", priority=1), Mark("next"))
    assert await hard_pressed.drain() == 2
    error, lease = await row(database, "deaf", "last_error, lease")
    assert error.startswith("TimeoutError") and lease is None
    assert await row(database, "next", "1") is None
    said = capsys.readouterr().out
    assert "an attempt does not end though it was told to" in said and "__call__ > asyncio/locks.py" in said
    assert not hard_pressed.makes_progress()
    deaf.over.set()
    await asyncio.sleep(0.01)
    assert hard_pressed.makes_progress()


async def test_a_lost_cancellation_is_made_once_more(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "GRACE", 0.05)
    patient = Worker(database, Deaf(unheard=1), slots=1, limit=timedelta(seconds=0.1))
    await mark(database, Mark("deaf"))
    await patient.drain()
    assert patient.makes_progress()


async def test_while_an_attempt_ends_its_lease_is_renewed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "GRACE", 0.1)
    monkeypatch.setattr(worker, "RENEWED_EVERY", 0.01)
    renewed: list[str] = []
    monkeypatch.setattr(work, "renew", lambda _, lease: _noted(renewed, lease))
    await mark(database, Mark("deaf"))
    deaf = Deaf()
    await Worker(database, deaf, slots=1, limit=timedelta(seconds=0)).drain()
    assert len(renewed) > 2
    deaf.over.set()


async def _noted(renewed: list[str], lease: Lease) -> bool:
    renewed.append(lease.key)
    return True


async def test_a_renewal_without_an_answer_is_a_lost_lease(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "RENEWED_EVERY", 0.01)
    monkeypatch.setattr(worker, "RENEWED_WITHIN", 0.01)
    monkeypatch.setattr(work, "renew", lambda _, __: asyncio.sleep(30))
    deaf = Deaf(unheard=0)
    await mark(database, Mark("deaf"))
    running = asyncio.create_task(Worker(database, deaf).run())
    await asyncio.wait_for(deaf.heard.wait(), 30)
    await _stopped(running)


async def test_a_renewal_that_hears_no_cancellation_keeps_no_attempt(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hang that this was: the lease was renewed for ever, for an attempt that had long ended."""
    monkeypatch.setattr(worker, "RENEWED_EVERY", 0.01)
    monkeypatch.setattr(worker, "GRACE", 0.05)
    renewing = asyncio.Event()

    async def renew(_: Database, __: Lease) -> bool:
        renewing.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(5)
        return True

    async def look(_: Lease) -> Outcome:
        await renewing.wait()
        return Done()

    monkeypatch.setattr(work, "renew", renew)
    await mark(database, Mark("a"))
    async with asyncio.timeout(30):
        assert await Worker(database, look).drain() == 1


async def test_a_worker_stops_beside_an_attempt_that_does_not(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "GRACE", 0.05)
    deaf = Deaf()
    await mark(database, Mark("deaf"))
    running = asyncio.create_task(Worker(database, deaf).run())
    await asyncio.wait_for(deaf.begun.wait(), 30)
    await _stopped(running)
    lease = await work.claim(database)
    assert lease is not None and lease.attempts == 1
    deaf.over.set()


async def test_an_attempt_that_is_told_twice_leaves_no_renewal_behind(database: Database) -> None:
    """It would hold the key for as long as the process lives."""
    deaf = Deaf()
    await mark(database, Mark("deaf"))
    lease = await work.claim(database)
    assert lease is not None
    attempt = asyncio.create_task(Worker(database, deaf)._attempt(lease))
    await asyncio.wait_for(deaf.begun.wait(), 30)
    for _ in range(2):
        attempt.cancel()
        await asyncio.sleep(0)
    await asyncio.gather(attempt, return_exceptions=True)
    left = [task for task in asyncio.all_tasks() if "Worker._renew" in repr(task)]
    for task in left:
        task.cancel()
    deaf.over.set()
    assert not left


async def test_an_attempt_that_cancels_itself_has_failed(database: Database) -> None:
    async def look(lease: Lease) -> Outcome:
        raise asyncio.CancelledError

    await mark(database, Mark("a"))
    await Worker(database, look).drain()
    assert await row(database, "a", "attempts, last_error") == (
        1,
        "RuntimeError: the attempt was cancelled from within",
    )


async def test_a_worker_that_is_stopped_gives_its_keys_back(database: Database) -> None:
    begun = asyncio.Event()

    async def look(lease: Lease) -> Outcome:
        begun.set()
        await asyncio.sleep(30)
        return Done()

    await mark(database, Mark("a"))
    running = asyncio.create_task(Worker(database, look).run())
    await asyncio.wait_for(begun.wait(), 5)
    await _stopped(running)
    lease = await work.claim(database)
    assert lease is not None and lease.attempts == 1


async def test_a_cancellation_that_comes_together_with_a_wake_up_is_not_lost(database: Database) -> None:
    hurried = Worker(database, _never_called)
    running = asyncio.create_task(hurried.run())
    await asyncio.sleep(0.3)
    hurried._wake.set()
    running.cancel()
    await asyncio.wait({running}, timeout=5)
    assert running.cancelled()


async def _never_called(lease: Lease) -> Outcome:
    raise AssertionError(lease)
