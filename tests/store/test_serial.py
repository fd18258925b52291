"""The serial queue's rows: one turn a target, whoever asks at the same time, and changes only of what was looked at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.store import requeues, serial
from app.store.database import Database
from app.store.requeues import DoneRequeue
from policies.serial import Entry

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MAIN, TRIAL = "refs/heads/main", "7" * 40


def entry(number: int, **changes: object) -> Entry:
    start = Entry(1, number, 7, MAIN, f"{number:040}", "ada", NOW, NOW)
    return replace(start, trial_base="b" * 40, trial_sha=TRIAL, trial_ref="refs/heads/x", **changes)  # type: ignore[arg-type]  # fields of Entry


async def trying(database: Database, number: int) -> Entry:
    """An entry whose merge is tried."""
    async with database.transaction() as connection:
        await serial.join(connection, entry(number))
        assert await serial.begin_trial(connection, entry(number), NOW)
    return entry(number)


async def found(database: Database, number: int) -> Entry:
    async with database.transaction() as connection:
        one = await serial.find(connection, 1, number)
    assert one is not None
    return one


async def give(database: Database, one: Entry) -> bool:
    async with database.transaction() as connection:
        return await serial.give_turn(connection, one, NOW)


async def hold(database: Database, one: Entry) -> bool:
    async with database.transaction() as connection:
        return await serial.hold(connection, 1, one.number, one.head_sha)


async def test_nobody_is_given_the_turn_while_another_has_it_or_may_still_be_green(database: Database) -> None:
    first, second = await trying(database, 12), await trying(database, 13)
    assert await give(database, first)
    assert not await give(database, second)
    assert await hold(database, first)
    async with database.transaction() as connection:
        await serial.take_back(connection, first, NOW)
    assert (await found(database, 12)).state == "waiting"
    assert not await give(database, second), "its check may still be green"
    assert not await hold(database, first), "and it may not become green again"
    async with database.transaction() as connection:
        await serial.release(connection, 1, 12, "e" * 40)
    assert not await give(database, second), "another commit was released"
    async with database.transaction() as connection:
        await serial.release(connection, 1, 12, first.head_sha)
    assert await give(database, second)


async def test_queues_of_other_targets_and_repositories_are_apart(database: Database) -> None:
    first = await trying(database, 12)
    assert await give(database, first)
    async with database.transaction() as connection:
        await serial.join(connection, entry(13, target_ref="refs/heads/release"))
        await serial.begin_trial(connection, entry(13), NOW)
        await serial.join(connection, entry(12, repository_id=2))
        await serial.begin_trial(connection, entry(12, repository_id=2), NOW)
    assert await give(database, entry(13))
    assert await give(database, entry(12, repository_id=2))


async def test_of_two_that_ask_at_the_same_time_one_has_the_turn(database: Database) -> None:
    numbers = range(20, 28)
    for number in numbers:
        await trying(database, number)
    answers = await asyncio.gather(*[give(database, entry(number)) for number in numbers])
    assert sum(answers) == 1
    assert [each.state for each in await _all(database)].count("turn") == 1


async def _all(database: Database) -> list[Entry]:
    async with database.transaction() as connection:
        return await serial.of_target(connection, 1, MAIN)


async def test_what_moved_on_is_not_changed_by_who_looked_before(database: Database) -> None:
    old = await trying(database, 12)
    async with database.transaction() as connection:
        await serial.join(connection, replace(old, head_sha="c" * 40))
        assert not await serial.begin_trial(connection, old, NOW)
        await serial.refuse(connection, old, "Red.", NOW)
        await serial.take_back(connection, old, NOW)
        assert not await serial.give_turn(connection, old, NOW)
    now = await found(database, 12)
    assert (now.state, now.head_sha, now.reason, now.trial_sha) == ("waiting", "c" * 40, "", None)
    assert now.trial_ref == "refs/heads/x", "a branch that is left stays known until it is deleted"


async def test_whoever_has_left_goes_once_nothing_of_it_is_left(database: Database) -> None:
    one = await trying(database, 12)
    assert await give(database, one)
    assert await hold(database, one)
    async with database.transaction() as connection:
        await serial.leave(connection, 1, 12, NOW)
        await serial.clear_away(connection, 1, [12])
    assert (await found(database, 12)).state == "gone"
    async with database.transaction() as connection:
        await serial.release(connection, 1, 12, one.head_sha)
        await serial.forget_branch(connection, one)
        await serial.clear_away(connection, 1, [12])
        assert await serial.find(connection, 1, 12) is None


async def test_rows_are_found_by_trial_and_repository_and_say_since_when_they_could_not_be_judged(
    database: Database,
) -> None:
    one = await trying(database, 12)
    later = NOW + timedelta(minutes=1)
    async with database.transaction() as connection:
        await serial.note_errored(connection, one, later)
        assert [each.number for each in await serial.of_trial(connection, 1, TRIAL)] == [12]
        assert [each.errored_since for each in await serial.of_repository(connection, 1)] == [later]


async def test_a_command_is_carried_out_once(database: Database) -> None:
    done = DoneRequeue(1, 31, 12, "c" * 40, "ada", True, False, None, NOW)
    async with database.transaction() as connection:
        await requeues.save(connection, done)
        await requeues.save(connection, replace(done, login="eve", refused="No."))
        assert await requeues.of_pull(connection, 1, 12) == [done]
        assert await requeues.of_pull(connection, 2, 12) == []
