"""Sessions in the store: a token's life, one branch a session, and writes that a stop must see."""

from __future__ import annotations

import asyncio
import string
import zlib
from datetime import timedelta

import pytest

from app.proxy import ledger, sessions
from app.proxy.audited import push_refused
from app.proxy.grant import Grant, Right
from app.proxy.refusal import Refusal
from app.proxy.session_token import DIGITS, new_token, token_hash, well_formed
from app.proxy.wire import Command
from app.store import audit
from app.store.audit import read_record
from app.store.database import Database
from tests.proxy.build import BRANCH, wanted

pytestmark = pytest.mark.anyio
HOUR = timedelta(hours=1)


def test_a_token_is_prefixed_random_and_checked() -> None:
    tokens = {new_token().get_secret_value() for _ in range(50)}
    assert len(tokens) == 50
    for token in tokens:
        assert token.startswith("mgs_") and len(token) == 4 + 43 + 6
        number = 0
        for digit in token[-6:]:
            number = number * 62 + DIGITS.index(digit)
        assert number == zlib.crc32(token[:-6].encode())
        assert well_formed(token)


def test_the_digits_are_those_of_base_62() -> None:
    assert sorted(DIGITS) == sorted(string.ascii_letters + string.digits)


@pytest.mark.parametrize("change", ["", "x", "mgs_", "\ud800"])
def test_what_is_no_token(change: str) -> None:
    token = new_token().get_secret_value()
    assert not well_formed(change)
    assert not well_formed(token + "x")
    assert not well_formed(token[:-1] + ("a" if token[-1] != "a" else "b"))


async def test_a_session_is_found_by_its_token_only(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted(rights=frozenset({Right.PUSH})))
    assert await sessions.find(database, token.get_secret_value()) == grant
    assert (grant.branch, grant.rights, grant.ticket, grant.operator) == (BRANCH, frozenset({Right.PUSH}), 3, "ada")
    for wrong in ("", new_token().get_secret_value(), token.get_secret_value().lower(), "\ud800", "a\0b"):
        assert await sessions.find(database, wrong) == sessions.UNKNOWN
    (kept,) = await database.query("select * from sessions")
    assert token.get_secret_value() not in str(kept)
    assert token_hash(token.get_secret_value()) in kept


async def test_a_branch_belongs_to_one_live_session(database: Database) -> None:
    _, first = await sessions.open_session(database, wanted())
    with pytest.raises(sessions.CannotOpen, match="belongs to another live session"):
        await sessions.open_session(database, wanted(agent="other"))
    await sessions.open_session(database, wanted(repository_id=43))
    await sessions.open_session(database, wanted(branch=BRANCH + "2"))
    assert await sessions.revoke(database, first.session, "done")
    _, second = await sessions.open_session(database, wanted())
    await database.query(
        "update sessions set expires_at = now() - interval '1 second' where id = %s", (second.session,)
    )
    _, third = await sessions.open_session(database, wanted())
    assert [one.grant.session for one in await sessions.of_branch(database, 42, BRANCH)] == [
        third.session,
        second.session,
        first.session,
    ]


async def test_only_one_of_many_that_open_at_once_gets_the_branch(database: Database) -> None:
    tries = await asyncio.gather(
        *(sessions.open_session(database, wanted(agent=f"agent {n}")) for n in range(8)), return_exceptions=True
    )
    assert sum(isinstance(one, tuple) for one in tries) == 1
    assert sum(isinstance(one, sessions.CannotOpen) for one in tries) == 7


async def test_the_dead_say_why_to_whoever_holds_their_token(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted())
    assert await sessions.revoke(database, grant.session, "the ticket was closed")
    assert not await sessions.revoke(database, grant.session, "again")
    refusal = await sessions.find(database, token.get_secret_value())
    assert isinstance(refusal, Refusal) and not refusal.retry
    assert "was stopped at" in refusal.sentence and "the ticket was closed" in refusal.sentence
    assert await sessions.extend(database, grant.session, HOUR) is None

    token, grant = await sessions.open_session(database, wanted())
    await database.query("update sessions set expires_at = now() - interval '1 second' where id = %s", (grant.session,))
    refusal = await sessions.find(database, token.get_secret_value())
    assert isinstance(refusal, Refusal) and "expired at" in refusal.sentence
    assert await sessions.extend(database, grant.session, HOUR) is None
    assert await sessions.listed(database) == []
    assert len(await sessions.listed(database, every=True)) == 2


@pytest.mark.parametrize("lasts", [timedelta(0), timedelta(days=-1), timedelta(days=8)])
async def test_a_life_has_bounds(database: Database, lasts: timedelta) -> None:
    with pytest.raises(sessions.CannotOpen):
        await sessions.open_session(database, wanted(lasts=lasts))
    _, grant = await sessions.open_session(database, wanted())
    with pytest.raises(sessions.CannotOpen):
        await sessions.extend(database, grant.session, lasts)


async def test_extending_moves_the_end(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted(lasts=HOUR))
    longer = await sessions.extend(database, grant.session, 5 * HOUR)
    assert longer is not None and longer.expires_at - grant.expires_at > 3 * HOUR
    assert await sessions.find(database, token.get_secret_value()) == longer


async def test_a_frozen_session_reads_and_does_not_write(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted())
    assert await sessions.freeze(database, grant.session, "a workflow file was changed")
    assert await sessions.find(database, token.get_secret_value()) == grant
    refusal = await ledger.begin(database, grant, ledger.PUSH)
    assert isinstance(refusal, Refusal) and "a workflow file was changed" in refusal.sentence
    assert await sessions.thaw(database, grant.session)
    assert isinstance(await ledger.begin(database, grant, ledger.PUSH), int)
    async with database.transaction() as connection:
        told = [read_record(link.record).entry async for link in audit.links(connection)]
    assert [entry.kind for entry in told] == ["session-opened", "session-frozen", "session-thawed"]
    assert dict(told[1].data) == {"because": "a workflow file was changed"}


async def test_those_that_ended_are_told_from_those_that_live(database: Database) -> None:
    ids = [(await sessions.open_session(database, wanted(branch=f"{BRANCH}{n}")))[1].session for n in range(3)]
    await sessions.open_session(database, wanted(branch=f"{BRANCH}-other", ticket=4))
    assert [await sessions.revoke(database, one, "stopped") for one in ids] == [True, True, True]
    assert [one.grant.ticket for one in await sessions.listed(database)] == [4]
    assert await sessions.ended_among(database, [*ids, 99]) == set(ids)


async def test_words_are_said_once_and_in_order(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    await sessions.say(database, grant.session, "first")
    await sessions.say(database, grant.session, "second\0")
    found = await sessions.unsaid(database, grant.session)
    assert [words for _, words in found] == ["first", "second\N{REPLACEMENT CHARACTER}"]
    await sessions.said(database, [found[0][0]])
    assert await sessions.unsaid(database, grant.session) == found[1:]


async def test_what_was_written_is_in_the_ledger(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    push = await ledger.begin(database, grant, ledger.PUSH, ref=BRANCH, old_oid="0" * 40, new_oid="a" * 40)
    comment = await ledger.begin(database, grant, "POST /repos/{owner}/{repo}/issues/{number}/comments")
    assert isinstance(push, int) and isinstance(comment, int)
    assert [one.id for one in await ledger.under_way(database, grant.session)] == [push, comment]
    await ledger.end(database, push, "done", size=345)
    await ledger.end(database, comment, "done", number=3, object_id=2**40, node_id="IC_1")
    assert await ledger.under_way(database, grant.session) == []
    async with database.transaction() as connection:
        (entry,) = await ledger.pushes_of(connection, 42, BRANCH, "a" * 40)
        assert await ledger.pushes_of(connection, 42, BRANCH, "b" * 40) == []
        assert await ledger.pushes_of(connection, 43, BRANCH, "a" * 40) == []
    assert (entry.session_id, entry.old_oid, entry.bytes, entry.outcome) == (grant.session, "0" * 40, 345, "done")
    (made,) = await ledger.made(database, grant, number=3)
    assert (made.object_id, made.node_id) == (2**40, "IC_1")
    assert await ledger.made(database, grant, number=4) == []
    assert [one.id for one in await ledger.of_session(database, grant.session)] == [comment, push]


async def test_no_write_begins_after_the_end(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    await sessions.revoke(database, grant.session, "")
    assert isinstance(await ledger.begin(database, grant, ledger.PUSH), Refusal)
    assert await ledger.of_session(database, grant.session) == []


async def test_a_stop_and_a_write_see_each_other(database: Database) -> None:
    """The write has begun, but not committed: the stop waits for it, so that it can see it."""
    _, grant = await sessions.open_session(database, wanted())
    async with database.transaction() as connection:
        await connection.execute(ledger.BEGIN, ("push", None, None, None, grant.session))
        stop = asyncio.create_task(sessions.revoke(database, grant.session, ""))
        await database.query("select pg_sleep(0.05)")
        assert not stop.done()
    assert await stop
    assert len(await ledger.under_way(database, grant.session)) == 1


async def test_a_push_that_only_announces_a_commit_did_not_bring_it(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    for outcome, size, brings in (("failed", 9, 0), ("unknown", None, 0), ("unknown", 9, 1), ("done", 9, 2)):
        entry = await ledger.begin(database, grant, ledger.PUSH, ref=BRANCH, new_oid="a" * 40)
        assert isinstance(entry, int)
        async with database.transaction() as connection:
            assert await ledger.bringing(connection, 42, BRANCH, "a" * 40)
            assert not await ledger.bringing(connection, 42, BRANCH, "b" * 40)
        await ledger.end(database, entry, outcome, size=size)  # type: ignore[arg-type]
        async with database.transaction() as connection:
            assert len(await ledger.pushes_of(connection, 42, BRANCH, "a" * 40)) == brings
            assert not await ledger.bringing(connection, 42, BRANCH, "a" * 40)


async def test_many_writes_hide_none(database: Database) -> None:
    """Neither comments from their limit nor a write that may still happen from a stop."""
    _, grant = await sessions.open_session(database, wanted())

    async def write(route: str, outcome: ledger.Outcome) -> None:
        entry = await ledger.begin(database, grant, route)
        assert isinstance(entry, int)
        await ledger.end(database, entry, outcome)

    await write("GraphQL addComment", "done")
    assert not await ledger.unsure(database, grant.session, timedelta(minutes=1))
    await write(ledger.PUSH, "unknown")
    for _ in range(25):
        await write(ledger.PUSH, "failed")
    assert [one.route for one in await ledger.written(database, grant.session, 10)] == ["GraphQL addComment"]
    assert await ledger.unsure(database, grant.session, timedelta(minutes=1))
    assert not await ledger.unsure(database, grant.session, timedelta(0))


async def test_a_write_whose_process_died_is_noted_as_unknown(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    entry = await ledger.begin(database, grant, ledger.PUSH)
    assert isinstance(entry, int)
    await database.query("update ledger set alive_until = now() - interval '1 second'")
    await ledger.renew(database, [entry])
    assert len(await ledger.under_way(database, grant.session)) == 1
    await database.query("update ledger set alive_until = now() - interval '1 second'")
    assert await ledger.under_way(database, grant.session) == []
    (lost,) = await ledger.of_session(database, grant.session)
    assert lost.outcome == "unknown"
    await ledger.end(database, entry, "done")
    assert (await ledger.of_session(database, grant.session))[0].outcome == "unknown"


async def test_a_grant_is_the_same_from_each_door(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted())
    found = await sessions.session(database, grant.session)
    assert found is not None and found.grant == grant and found.live and found.opened_by == "ada"
    assert isinstance(await sessions.find(database, token.get_secret_value()), Grant)
    assert await sessions.session(database, 99) is None


async def _audited(database: Database) -> list[tuple[str, str, object]]:
    async with database.transaction() as connection:
        found = [read_record(link.record).entry async for link in audit.links(connection)]
    return [(entry.kind, entry.subject, entry.data.get("because")) for entry in found]


async def test_what_becomes_of_sessions_is_in_the_audit_log(database: Database) -> None:
    token, grant = await sessions.open_session(database, wanted())
    with pytest.raises(sessions.CannotOpen):
        await sessions.open_session(database, wanted())
    assert await sessions.revoke(database, grant.session, "it ran away")
    assert not await sessions.revoke(database, grant.session, "again")
    subject = f"session:{grant.session}"
    assert await _audited(database) == [
        ("session-opened", subject, None),
        ("session-ended", subject, "it ran away"),
    ]
    records = "".join(row[0] for row in await database.query("select record from audit_log"))
    assert token.get_secret_value() not in records


async def test_the_same_refusal_of_a_session_is_recorded_once_an_hour(database: Database) -> None:
    _, grant = await sessions.open_session(database, wanted())
    command = Command("0" * 40, "a" * 40, b"refs/heads/main")
    for because in ("not its branch", "not its branch", "another reason"):
        await push_refused(database, grant, [command], Refusal(because, "Push elsewhere"))
    refused = [because for kind, _, because in await _audited(database) if kind == "push-refused"]
    assert refused == ["not its branch", "another reason"]
