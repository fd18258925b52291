"""One token, or one machine, does not hold all the connections that agents and git share."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from app.agent_api import api
from app.agent_api.call import Refused
from app.agent_api.under_way import UnderWay
from app.proxy.listening import MOST_CONNECTIONS
from tests.agent.bureau import Bureau

pytestmark = pytest.mark.anyio


def test_the_usual_limits_leave_room_for_git() -> None:
    usual = UnderWay()
    assert usual.session < usual.claiming <= usual.address < usual.all < MOST_CONNECTIONS


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ((b"a", "192.0.2.1", True), (b"a", "192.0.2.2", True), "2 requests with this token"),
        ((b"a", "192.0.2.1", False), (b"a", "192.0.2.2", False), "3 requests with this token"),
        ((b"a", "192.0.2.1", False), (b"b", "192.0.2.1", False), "4 requests from this address"),
        ((b"a", "192.0.2.1", False), (b"b", "192.0.2.2", False), "5 requests at this proxy"),
    ],
)
def test_each_limit(first: tuple[bytes, str, bool], second: tuple[bytes, str, bool], where: str) -> None:
    ways = UnderWay(session=2, claiming=3, address=4, all=5)
    most = int(where[0])
    with ExitStack() as held:
        for number in range(most):
            token, address, session = (first, second)[number % 2]
            held.enter_context(ways.one(token, address, session=session))
        token, address, session = second
        with pytest.raises(Refused, match=where) as no, ways.one(token, address, session=session):
            pass
        assert no.value.status == 429 and no.value.headers["retry-after"] == "10" and "Let some" in no.value.fix
    assert not ways._held
    with ways.one(first[0], first[1], session=first[2]):
        pass


async def test_claims_that_wait_are_counted_and_let_go(town: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "UnderWay", lambda: UnderWay(claiming=2))
    waiting = [asyncio.create_task(town.claim(wait=30)) for _ in range(2)]
    other = await town.enrol("day")
    async with asyncio.timeout(10):
        while (answer := await town.call("POST", "/agent/claim")).status_code == 200:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.01)
    assert answer.status_code == 429 and answer.headers["retry-after"] == "10"
    assert answer.json()["message"] == "2 requests with this token are under way, which is the most that may be."
    assert (await town.claim(token=other))["claimed"] is False
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    async with asyncio.timeout(10):
        while (await town.call("POST", "/agent/claim")).status_code == 429:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.05)
