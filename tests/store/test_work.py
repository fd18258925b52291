"""The rules of the work table, one by one. The state machine in test_work_machine.py mixes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import pytest

from app.store import work
from app.store.database import Database
from app.store.work import Lease, Mark

pytestmark = pytest.mark.anyio


async def mark(db: Database, *marks: Mark) -> None:
    async with db.transaction() as connection:
        await work.mark(connection, marks)


async def claimed(db: Database) -> Lease:
    lease = await work.claim(db)
    assert lease is not None
    return lease


async def row(db: Database, key: str, columns: LiteralString) -> Any:
    rows = await db.query(f"select {columns} from work where key = %s", (key,))
    return rows[0] if rows else None


async def due_in(db: Database, key: str) -> float:
    seconds = await row(db, key, "extract(epoch from due_at - clock_timestamp())::float8")
    return float(seconds[0])


async def test_a_marked_key_is_claimed_once_and_gone_when_finished(database: Database) -> None:
    await mark(database, Mark("a"))
    lease = await claimed(database)
    assert (lease.key, lease.attempts) == ("a", 1)
    assert await work.claim(database) is None
    assert await work.holds(database, lease)
    assert await work.finish(database, lease)
    assert await row(database, "a", "1") is None


async def test_a_rolled_back_mark_leaves_nothing(database: Database) -> None:
    async def broken_off() -> None:
        async with database.transaction() as connection:
            await work.mark(connection, [Mark("a")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken_off()
    assert await work.claim(database) is None


async def test_news_while_a_key_is_in_work_brings_it_back_soon_and_ever_later(database: Database) -> None:
    await mark(database, Mark("a"))
    for longest in (0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0):
        await database.query("update work set due_at = now() - interval '1 second'")
        lease = await claimed(database)
        await mark(database, Mark("a"))
        assert await work.claim(database) is None, "a second worker got a key that is in work"
        assert await work.finish(database, lease)
        assert longest - 0.2 < await due_in(database, "a") <= longest
    await database.query("update work set due_at = now()")
    assert await work.finish(database, await claimed(database))
    assert await row(database, "a", "1") is None


async def test_a_failure_while_news_waits_neither_backs_off_nor_parks(database: Database) -> None:
    await mark(database, Mark("a"))
    await database.query("update work set attempts = 11")
    lease = await claimed(database)
    await mark(database, Mark("a", news=False))
    assert await work.fail(database, lease, "boom")
    assert await row(database, "a", "parked, attempts, last_error") == (False, 12, "boom")
    assert 0 < await due_in(database, "a") <= 0.25


@pytest.mark.parametrize(("attempts", "least", "most"), [(1, 0.5, 1), (4, 4, 8), (11, 300, 600)])
async def test_a_failure_backs_off_with_jitter(database: Database, attempts: int, least: float, most: float) -> None:
    await mark(database, Mark("a"))
    await database.query("update work set attempts = %s", (attempts - 1,))
    assert await work.fail(database, await claimed(database), "boom")
    assert least - 0.5 < await due_in(database, "a") <= most


async def test_a_wanted_delay_replaces_the_back_off_up_to_ten_minutes(database: Database) -> None:
    await mark(database, Mark("a"), Mark("b"))
    await work.fail(database, await claimed(database), "later", after=timedelta(seconds=90))
    await work.fail(database, await claimed(database), "later", after=timedelta(hours=2))
    assert 89 < await due_in(database, "a") <= 90
    assert 599 < await due_in(database, "b") <= 600
    assert await work.claim(database) is None


async def test_the_twelfth_failure_parks_and_only_news_unparks(database: Database) -> None:
    await mark(database, Mark("a"))
    for attempt in range(1, 13):
        await database.query("update work set due_at = now() - interval '1 second'")
        lease = await claimed(database)
        assert lease.attempts == attempt
        await work.fail(database, lease, f"boom {attempt}")
    assert [(key.key, key.attempts, key.last_error) for key in await work.parked(database)] == [("a", 12, "boom 12")]
    await mark(database, Mark("a", news=False))
    assert await work.claim(database) is None
    await mark(database, Mark("a"))
    assert (await claimed(database)).attempts == 1


async def test_a_key_that_kills_its_workers_backs_off_and_parks(database: Database) -> None:
    await mark(database, Mark("a"))
    for attempt in range(1, 13):
        assert (await claimed(database)).attempts == attempt
        assert await due_in(database, "a") > 0.9 * min(600, 2 ** (attempt - 1)) / 2
        await database.query("update work set leased_until = now() - interval '1 second', due_at = now()")
    assert await work.claim(database) is None
    assert [key.last_error for key in await work.parked(database)] == [work.CUT_OFF]


async def test_periodic_work_never_parks(database: Database) -> None:
    await mark(database, Mark("resync", periodic=True))
    await database.query("update work set attempts = 50")
    await work.fail(database, await claimed(database), "boom")
    assert await work.parked(database) == []
    await database.query("update work set due_at = now(), attempts = 50, leased_until = null, lease = null")
    await claimed(database)
    await database.query("update work set due_at = now(), leased_until = now()")
    assert (await claimed(database)).attempts == 52


async def test_sleeping_is_no_failure_and_at_most_ten_minutes(database: Database) -> None:
    await mark(database, Mark("a"), Mark("b"))
    await database.query("update work set attempts = 11, last_error = 'old'")
    await work.sleep(database, await claimed(database), timedelta(seconds=30))
    await work.sleep(database, await claimed(database), datetime(2999, 1, 1, tzinfo=UTC))
    assert await row(database, "a", "attempts, parked, last_error") == (0, False, None)
    assert 29 < await due_in(database, "a") <= 30
    assert 599 < await due_in(database, "b") <= 600
    assert await work.claim(database) is None


async def test_news_ends_a_sleep(database: Database) -> None:
    await mark(database, Mark("a"))
    lease = await claimed(database)
    await mark(database, Mark("a"))
    await work.sleep(database, lease, timedelta(minutes=5))
    assert await due_in(database, "a") <= 0.25
    await database.query("update work set due_at = now()")
    await work.sleep(database, await claimed(database), timedelta(minutes=5))
    await mark(database, Mark("a"))
    assert (await claimed(database)).key == "a"


async def test_a_lost_lease_can_do_nothing(database: Database) -> None:
    await mark(database, Mark("a"))
    lost = await claimed(database)
    await database.query("update work set leased_until = now() - interval '1 second', due_at = now()")
    assert not await work.holds(database, lost)
    new = await claimed(database)
    assert new.key == "a" and new.attempts == 2
    assert not await work.renew(database, lost)
    assert not await work.finish(database, lost)
    assert not await work.fail(database, lost, "boom")
    assert not await work.sleep(database, lost, timedelta(0))
    assert not await work.release(database, lost)
    assert await work.holds(database, new)


async def test_a_renewed_lease_lasts_eight_seconds_more(database: Database) -> None:
    await mark(database, Mark("a"))
    lease = await claimed(database)
    await database.query("update work set leased_until = now() + interval '1 second'")
    assert await work.renew(database, lease)
    seconds = await row(database, "a", "extract(epoch from leased_until - clock_timestamp())::float8")
    assert 7 < seconds[0] <= 8


async def test_a_released_key_is_due_and_the_attempt_not_counted(database: Database) -> None:
    await mark(database, Mark("a"))
    assert await work.release(database, await claimed(database))
    assert (await claimed(database)).attempts == 1


async def test_a_clock_set_back_hides_no_key(database: Database) -> None:
    """As rows look after the clock went back an hour: due times and leases an hour ahead."""
    await mark(database, Mark("due"), Mark("leased"))
    await database.query("update work set due_at = now() + interval '1 hour' where key = 'due'")
    await database.query(
        "update work set lease = gen_random_uuid(), leased_until = now() + interval '1 hour', claimed = generation, "
        "attempts = 1 where key = 'leased'"
    )
    assert {(await claimed(database)).key, (await claimed(database)).key} == {"due", "leased"}
    assert await work.claim(database) is None


async def test_due_times_up_to_ten_minutes_and_leases_up_to_eight_seconds_are_believed(database: Database) -> None:
    await mark(database, Mark("due", delay=timedelta(hours=3)), Mark("leased"))
    assert 599 < await due_in(database, "due") <= 600
    assert (await claimed(database)).key == "leased"
    assert await work.claim(database) is None


async def test_the_earlier_time_and_the_higher_priority_win(database: Database) -> None:
    await mark(database, Mark("a", delay=timedelta(seconds=60), priority=3))
    await mark(database, Mark("a", delay=timedelta(seconds=90), priority=1))
    assert (await row(database, "a", "priority, generation")) == (3, 2)
    assert 59 < await due_in(database, "a") <= 60
    await mark(database, Mark("a", delay=timedelta(seconds=5), priority=9, news=False))
    assert (await row(database, "a", "priority, generation")) == (9, 3)
    assert 4 < await due_in(database, "a") <= 5


async def test_marks_of_one_key_in_one_call_are_one(database: Database) -> None:
    await mark(
        database,
        Mark("a", delay=timedelta(seconds=60), priority=1, news=False),
        Mark("a", priority=5, news=False),
        Mark("a", delay=timedelta(seconds=60)),
    )
    assert await row(database, "a", "priority, generation") == (5, 1)
    assert await due_in(database, "a") <= 0


async def test_priority_goes_first_and_age_outweighs_it(database: Database) -> None:
    await mark(database, Mark("old"), Mark("older"), Mark("new", priority=2), Mark("urgent", priority=5))
    await database.query("update work set due_at = now() - interval '15 seconds' where key = 'old'")
    await database.query("update work set due_at = now() - interval '45 seconds' where key = 'older'")
    assert [(await claimed(database)).key for _ in range(4)] == ["urgent", "older", "new", "old"]


async def test_counts(database: Database) -> None:
    await mark(database, Mark("due"), Mark("later", delay=timedelta(seconds=60)), Mark("p"), Mark("w", priority=9))
    await database.query("update work set parked = true where key = 'p'")
    await claimed(database)
    found = await work.counts(database)
    assert (found.due, found.later, found.leased, found.parked, found.again) == (1, 1, 1, 1, 0)
    assert 0 <= found.oldest < 5
    assert found.following is not None and 55 < found.following <= 60


async def test_an_error_text_that_postgresql_cannot_hold_is_kept_as_far_as_possible(database: Database) -> None:
    await mark(database, Mark("a"))
    assert await work.fail(database, await claimed(database), "nul \0 half \ud800 " + "x" * 10_000)
    (error,) = await row(database, "a", "last_error")
    assert error.startswith("nul \N{REPLACEMENT CHARACTER} half \N{REPLACEMENT CHARACTER}") and len(error) <= 4010
