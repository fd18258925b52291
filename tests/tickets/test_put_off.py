"""A ticket that waits for its place among the writes costs no reads, and misses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from app.github.budgets import WriteBucket
from app.github.errors import RateLimited
from app.store.database import Database
from app.store.tickets.runs import Progress
from app.tickets import reconcile
from app.tickets.supervisor import Supervisor
from policies.tickets.states import State
from tests.gate.scene import scene
from tests.tickets.desk import Desk, desk
from tests.tickets.test_claims import Program, accepted

pytestmark = pytest.mark.anyio


@contextmanager
def no_writes() -> Iterator[None]:
    """GitHub takes no write of content for an hour."""

    def refuse(_: WriteBucket, request: str, now: float) -> float:
        raise RateLimited(request, "writes are spread over time", datetime.fromtimestamp(now, UTC) + timedelta(hours=1))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WriteBucket, "check", refuse)
        yield


async def again(at_desk: Desk) -> int:
    """Everything that sleeps is looked at once; the requests to GitHub that it took."""
    before = len(at_desk.stage.github.requests)
    await at_desk.stage.hurry()
    await at_desk.stage.worker.drain()
    return len(at_desk.stage.github.requests) - before


async def test_without_news_it_asks_nothing_until_there_is_a_place(
    at_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "AT_WORK_AGAIN", timedelta(minutes=5))  # before the agent's silence is news
    number = await accepted(at_desk)
    with no_writes():
        await at_desk.claimed()
        await at_desk.look(number)
        assert (await at_desk.state(number), at_desk.labels(number)) == (State.RUNNING, ["agent/waiting"])
        assert await again(at_desk) == 0
        at_desk.stage.clock = timedelta(minutes=5)  # at work it is looked at all the same
        assert await again(at_desk) > 0
        assert await again(at_desk) == 0
    await again(at_desk)
    assert at_desk.labels(number) == ["agent/running"]


async def test_news_is_looked_at(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    with no_writes():
        await at_desk.claimed()
        await at_desk.look(number)
        assert await again(at_desk) == 0
        await at_desk.say(number, "/stop now")
        assert await at_desk.state(number) is State.STOPPED


async def test_a_key_that_another_process_was_done_with_is_looked_at(at_desk: Desk) -> None:
    """Its marks are counted anew, and may be as many as this process saw before."""
    number = await accepted(at_desk)
    query = at_desk.stage.gate.database.query
    with no_writes():
        await at_desk.claimed()
        await at_desk.look(number)
        key = str(at_desk.key(number))
        ((generation,),) = await query("delete from work where key = %s returning generation", [key])
        await query("insert into work (key, due_at, generation) values (%s, now(), %s)", [key, generation - 1])
        await at_desk.say(number, "/stop now")
        assert await at_desk.state(number) is State.STOPPED


async def test_a_stop_is_confirmed_meanwhile(tmp_path: Path, database: Database) -> None:
    program = Program(tmp_path)
    async with scene(tmp_path, database) as stage, desk(stage, supervisor=Supervisor(program.write(1))) as at_desk:
        number = await accepted(at_desk)
        claimed = await at_desk.claimed()
        await at_desk.look(number)
        with no_writes():
            await at_desk.report(claimed, Progress(cost=Decimal(1_000)))
            await at_desk.look(number)
            assert (await at_desk.state(number), at_desk.labels(number)) == (State.STOPPING, ["agent/running"])
            program.write(0)
            await again(at_desk)
            assert await at_desk.state(number) is State.CAP_HIT
