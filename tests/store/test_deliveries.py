"""Deliveries: stored once, marking each time, committed together, and never half."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest

from app.store import deliveries, pushes, repositories, work
from app.store.database import Database, DatabaseAway
from app.store.deliveries import Delivery, DeliveryWriter
from app.store.prune import Periods, prune_all
from app.store.pushes import Push
from app.store.repositories import Repository
from app.store.work import Mark

pytestmark = pytest.mark.anyio

BODY = b'{"action": "opened", "number": 7}'


def delivery(number: int, *, key: str = "pull:1:2:7", body: bytes = BODY, hook: int = 1) -> Delivery:
    return Delivery(
        hook,
        f"guid-{number:05}",
        "pull_request",
        body,
        action="opened",
        installation_id=1,
        repository_id=2,
        marks=(Mark(key),),
        facts=(Repository(2, 1, "octo", "cat", "main"),),
    )


async def count(db: Database, table: str) -> int:
    rows = await db.query(f"select count(*) from {table}")
    return int(rows[0][0])


async def test_a_delivery_is_kept_as_it_came_with_its_facts_and_marks(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        await writer.accept(delivery(1))
    async with database.transaction() as connection:
        kept = await deliveries.find(connection, 1, "guid-00001")
        repository = await repositories.find(connection, 2)
    assert kept is not None
    assert (kept.event, kept.action, kept.installation_id, kept.repository_id) == ("pull_request", "opened", 1, 2)
    assert (kept.body, kept.keys) == (BODY, ["pull:1:2:7"])
    assert repository == Repository(2, 1, "octo", "cat", "main")
    lease = await work.claim(database)
    assert lease is not None and lease.key == "pull:1:2:7"


async def test_a_repeat_is_stored_once_and_marks_again(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        await writer.accept(delivery(1))
        lease = await work.claim(database)
        assert lease is not None
        assert await work.finish(database, lease)
        await writer.accept(delivery(1))
    assert await count(database, "deliveries") == 1
    assert await work.claim(database) is not None


async def test_the_same_id_from_another_hook_is_another_delivery(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        await asyncio.gather(writer.accept(delivery(1)), writer.accept(delivery(1, hook=2)))
    assert await count(database, "deliveries") == 2


async def test_many_deliveries_share_commits(database: Database) -> None:
    before = await database.query("select pg_current_xact_id()::text::bigint")
    async with DeliveryWriter(database, rows=50) as writer:
        await asyncio.gather(*(writer.accept(delivery(number, key=f"k{number % 7}")) for number in range(500)))
    after = await database.query("select pg_current_xact_id()::text::bigint")
    assert await count(database, "deliveries") == 500
    assert await count(database, "work") == 7
    assert after[0][0] - before[0][0] <= 20


async def test_one_delivery_that_cannot_be_stored_keeps_no_other_out(database: Database) -> None:
    bad = Delivery(1, "bad", "push", b"{}", installation_id=2**70)
    async with DeliveryWriter(database) as writer:
        outcomes = await asyncio.gather(
            writer.accept(delivery(1)), writer.accept(bad), writer.accept(delivery(2)), return_exceptions=True
        )
    assert [type(outcome) for outcome in outcomes[::2]] == [type(None), type(None)]
    assert isinstance(outcomes[1], psycopg.DataError)
    assert await count(database, "deliveries") == 2


async def test_text_that_postgresql_cannot_hold_is_stored_visibly(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        await writer.accept(Delivery(1, "nul", "a\0b", b"\0\xff", marks=(Mark("k\0"),)))
    async with database.transaction() as connection:
        kept = await deliveries.find(connection, 1, "nul")
    assert kept is not None
    assert (kept.event, kept.body) == ("a\N{REPLACEMENT CHARACTER}b", b"\0\xff")


async def test_a_large_body_is_kept_whole(database: Database) -> None:
    body = bytes(range(256)) * 20_000
    async with DeliveryWriter(database) as writer:
        await writer.accept(delivery(1, body=body))
    async with database.transaction() as connection:
        kept = await deliveries.find(connection, 1, "guid-00001")
    assert kept is not None and kept.body == body


async def test_a_commit_that_fails_is_told_to_everybody_who_waits(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends the session in the middle of the transaction; nothing of it may stand."""

    async def cut(connection: psycopg.AsyncConnection[tuple[object, ...]], marks: object) -> None:
        await connection.execute("select pg_terminate_backend(pg_backend_pid())")

    monkeypatch.setattr(work, "mark", cut)
    async with DeliveryWriter(database) as writer:
        outcomes = await asyncio.gather(
            *(writer.accept(delivery(number)) for number in range(5)), return_exceptions=True
        )
    assert [type(outcome) for outcome in outcomes] == [DatabaseAway] * 5
    monkeypatch.undo()
    assert await count(database, "deliveries") == 0
    async with DeliveryWriter(database) as writer:
        await writer.accept(delivery(9))
    assert await count(database, "deliveries") == 1


async def test_a_request_given_up_is_still_committed(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        given_up = asyncio.create_task(writer.accept(delivery(1)))
        await asyncio.sleep(0)
        given_up.cancel()
        await writer.accept(delivery(2))
        with pytest.raises(asyncio.CancelledError):
            await given_up
    assert await count(database, "deliveries") == 2


async def test_whoever_waits_no_longer_leaves_the_place_to_others(database: Database) -> None:
    async with DeliveryWriter(database, waiting=1) as writer:
        async with database.transaction() as blocker:
            await blocker.execute("lock table deliveries")
            waiting = [asyncio.wait_for(writer.accept(delivery(number)), 0.3) for number in (1, 2)]
            given_up = await asyncio.gather(*waiting, return_exceptions=True)
        await writer.accept(delivery(3))
    assert [type(each) for each in given_up] == [TimeoutError, TimeoutError]


async def test_those_who_gave_up_do_not_gather_without_end(database: Database) -> None:
    """GitHub sends on while the database stands still."""
    async with DeliveryWriter(database, waiting=2) as writer, database.transaction() as blocker:
        await blocker.execute("lock table deliveries")
        for number in range(5):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(writer.accept(delivery(number)), 0.05)
    assert await count(database, "deliveries") == 2


async def test_whatever_breaks_a_commit_leaves_nobody_waiting(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_: object, rows: list[object]) -> None:
        raise psycopg.DataError if len(rows) > 1 else RuntimeError

    async with DeliveryWriter(database, waiting=3) as writer:
        monkeypatch.setattr(deliveries, "_record", broken)
        waiting = [asyncio.wait_for(writer.accept(delivery(number)), 5) for number in range(3)]
        assert [type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)] == [DatabaseAway] * 3
        monkeypatch.undo()
        await asyncio.gather(*(asyncio.wait_for(writer.accept(delivery(number)), 5) for number in range(3)))
    assert await count(database, "deliveries") == 3


async def test_writers_of_several_processes_do_not_deadlock(database: Database) -> None:
    """Overlapping facts and keys in opposite orders, from writers that share nothing."""
    facts = [Repository(number, 1, "octo", f"r{number}") for number in range(20)]

    def mixed(number: int) -> Delivery:
        turn = slice(None, None, 1 if number % 2 else -1)
        marks = tuple(Mark(f"k{key}") for key in range(20))[turn]
        return Delivery(1, f"guid-{number}", "push", BODY, marks=marks, facts=tuple(facts[turn]))

    async with DeliveryWriter(database, rows=3) as one, DeliveryWriter(database, rows=3) as two:
        await asyncio.gather(*((one if number % 3 else two).accept(mixed(number)) for number in range(90)))
    assert await count(database, "deliveries") == 90
    assert await count(database, "repositories") == 20


async def test_the_first_record_of_a_push_stands(database: Database) -> None:
    push = Push(2, "refs/heads/agent/x", "a" * 40, "b" * 40, "octocat", 5, "User")
    forged = Push(2, "refs/heads/agent/x", "a" * 40, "b" * 40, "mallory", 6, "User")
    async with database.transaction() as connection:
        await pushes.record(connection, [push])
        await pushes.record(connection, [forged])
        assert await pushes.of_head(connection, 2, "a" * 40) == [push]
        assert await pushes.of_head(connection, 2, "b" * 40) == []


async def test_old_deliveries_go(database: Database) -> None:
    async with DeliveryWriter(database) as writer:
        await asyncio.gather(*(writer.accept(delivery(number)) for number in range(5)))
    await database.query(
        "update deliveries set received_at = now() - interval '31 days' where delivery_id < 'guid-00003'"
    )
    month = Periods(deliveries=timedelta(days=30))
    assert [(await prune_all(database, month, batch=2))["deliveries"] for _ in range(3)] == [2, 1, 0]
    assert await count(database, "deliveries") == 2
