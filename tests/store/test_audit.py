"""The audit log in the database: added to in one order, refused to change, provable also after old records went."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta

import psycopg
import pytest

from app.store import audit
from app.store.audit import Entry
from app.store.audit_chain import START, Broken, Head, Verified, canonical, digest_of
from app.store.database import Database

pytestmark = pytest.mark.anyio

LANDED = Entry("landing", "pull:7", 2, {"sha": "a" * 40, "approvers": ["ada", "nul \0"], "override": None})
YEAR = timedelta(days=365)


async def add(database: Database, *entries: Entry) -> None:
    async with database.transaction() as connection:
        await audit.append(connection, entries)


async def verified(database: Database, anchors: Sequence[Head] = ()) -> Verified | Broken:
    async with database.transaction() as connection:
        return await audit.verify(connection, anchors)


async def forged(database: Database, sql: str) -> None:
    """What whoever owns the server can do."""
    async with database.transaction() as connection:
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(sql)


async def test_what_was_recorded_is_read_back_and_proved(database: Database) -> None:
    await add(database, LANDED, Entry("policy", "refs/heads/main", 2, {"digest": "x"}))
    await add(database)
    async with database.transaction() as connection:
        found = await audit.newest(connection, "landing", 2, "pull:7")
        assert await audit.newest(connection, "landing", 3, "pull:7") is None
    assert found is not None and found.seq == 1
    assert found.entry.data["approvers"] == ["ada", "nul \N{REPLACEMENT CHARACTER}"]
    whole = await verified(database)
    assert isinstance(whole, Verified) and (whole.first, whole.last) == (1, 2)


async def _failing(database: Database) -> None:
    async with database.transaction() as connection:
        await audit.append(connection, [LANDED])
        await connection.execute("select 1 / 0")


async def test_what_is_rolled_back_was_never_recorded(database: Database) -> None:
    await add(database, LANDED)
    with pytest.raises(psycopg.errors.DivisionByZero):
        await _failing(database)
    await add(database, LANDED)
    whole = await verified(database)
    assert isinstance(whole, Verified) and whole.last == 2


async def test_many_that_add_at_once_make_one_chain(database: Database) -> None:
    await asyncio.gather(*(add(database, LANDED, LANDED) for _ in range(40)))
    whole = await verified(database)
    assert isinstance(whole, Verified) and (whole.first, whole.last) == (1, 80)


@pytest.mark.parametrize(
    "sql",
    ["update audit_log set record = '{}' where seq = 1", "delete from audit_log where seq = 1", "truncate audit_log"],
)
async def test_the_database_refuses_to_change_the_log(database: Database, sql: str) -> None:
    await add(database, LANDED)
    with pytest.raises(psycopg.errors.RaiseException, match="only added to"):
        async with database.transaction() as connection:
            await connection.execute(sql)


@pytest.mark.parametrize(
    ("sql", "seq"),
    [
        ("update audit_log set record = replace(record, 'ada', 'eve') where seq = 2", 2),
        ("delete from audit_log where seq = 2", 2),
        ("delete from audit_log where seq = 3", 3),
        ("delete from audit_log where seq = 1", 2),
        ("update audit_log set seq = 9 where seq = 2", 2),
        ("update audit_log set kind = 'verdict' where seq = 2", 2),
        ("update audit_log set subject = 'pull:8' where seq = 3", 3),
        ("update audit_log set repository_id = null where seq = 1", 1),
        ("update audit_log set recorded_at = recorded_at - interval '1 second' where seq = 2", 2),
    ],
)
async def test_what_was_changed_all_the_same_is_found(database: Database, sql: str, seq: int) -> None:
    await add(database, LANDED, LANDED, LANDED)
    await forged(database, sql)
    found = await verified(database)
    assert isinstance(found, Broken) and found.seq == seq


async def _aged(database: Database, days: int, through: int) -> None:
    """The log as it would be if its first records were so old."""
    async with database.transaction() as connection:
        await connection.execute("set local session_replication_role = replica")
        links = [link async for link in audit.links(connection)]
        digest = START
        for link in links:
            said = json.loads(link.record)
            at = datetime.fromisoformat(said["at"]) - timedelta(days=days if link.seq <= through else 0)
            said["at"] = at.isoformat(timespec="microseconds").replace("+00:00", "Z")
            record = canonical(said)
            digest = digest_of(digest, record)
            await connection.execute(
                "update audit_log set recorded_at = %s, record = %s, digest = %s where seq = %s",
                (at, record, digest, link.seq),
            )
        await connection.execute("update audit_head set digest = %s", (digest,))


async def _pruned(database: Database, batch: int = 100) -> int:
    async with database.transaction() as connection:
        return await audit.prune(connection, YEAR, batch)


async def test_old_records_go_and_the_rest_can_be_proved(database: Database) -> None:
    await add(database, *[LANDED] * 5)
    await _aged(database, 400, 4)
    async with database.transaction() as connection:
        before = await audit.head(connection)
    assert [await _pruned(database, 3), await _pruned(database), await _pruned(database)] == [3, 1, 0]
    whole = await verified(database, [before, Head(2, bytes(32))])
    assert isinstance(whole, Verified) and (whole.first, whole.last, whole.uncompared) == (5, 7, (2,))


async def test_a_log_of_old_records_alone_leaves_its_checkpoint(database: Database) -> None:
    await add(database, LANDED, LANDED)
    await _aged(database, 400, 2)
    assert await _pruned(database) == 2
    whole = await verified(database)
    assert isinstance(whole, Verified) and (whole.first, whole.last) == (3, 3)


async def test_records_go_a_day_at_a_time(database: Database) -> None:
    await add(database, LANDED, LANDED)
    await _aged(database, 365, 1)
    assert await _pruned(database) == 0


async def test_whoever_removes_more_than_the_checkpoint_says_is_found(database: Database) -> None:
    await add(database, *[LANDED] * 4)
    await _aged(database, 400, 1)
    assert await _pruned(database) == 1
    with pytest.raises(psycopg.errors.RaiseException):
        async with database.transaction() as connection:
            await connection.execute("delete from audit_log where seq = 2")
    await forged(database, "delete from audit_log where seq = 2")
    found = await verified(database)
    assert isinstance(found, Broken) and found.seq == 3


async def test_records_that_were_made_to_look_old_do_not_go(database: Database) -> None:
    await add(database, LANDED, LANDED)
    await forged(database, "update audit_log set recorded_at = now() - interval '2 years'")
    assert await _pruned(database) == 0
