"""Costs that a gateway meters: a key for each session, held to the ticket's limits, and blocked when it ends."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from app.github.wire import tls
from app.secret import SecretStr
from app.store.database import Database
from app.store.tickets import runs
from app.store.tickets.runs import Progress, Run
from app.tickets.claims import Claimed, NothingToClaim
from app.tickets.litellm import MOST_READ, Gateway, GatewayFailed
from policies.tickets.cost import UNMETERED
from policies.tickets.states import State
from tests.gate.scene import scene
from tests.tickets.desk import TICKETS, Desk, desk
from tests.tickets.litellm import Held, LiteLlm, hashed
from tests.tickets.test_claims import accepted

pytestmark = pytest.mark.anyio


@pytest.fixture
def litellm() -> LiteLlm:
    return LiteLlm()


@pytest.fixture
async def metered(tmp_path: Path, database: Database, litellm: LiteLlm) -> AsyncIterator[Desk]:
    async with scene(tmp_path, database) as stage, desk(stage) as opened:
        opened.parts = stage.tickets = replace(opened.parts, gateway=litellm.gateway())
        yield opened


def key_of(claimed: Claimed) -> str:
    assert claimed.models is not None
    return claimed.models.key.get_secret_value()


def held_for(litellm: LiteLlm, claimed: Claimed) -> Held:
    return litellm.keys[hashed(key_of(claimed))]


async def run_of(at_desk: Desk, number: int) -> Run:
    async with at_desk.stage.gate.database.transaction() as connection:
        run = await runs.newest(connection, at_desk.shop.id, number)
    assert run is not None
    return run


async def test_a_claim_hands_out_a_key_with_what_the_ticket_has_left(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered, cost="8.50")
    found = await metered.claimed()
    held = held_for(litellm, found)
    assert held.max_budget == Decimal("8.5") and held.metadata["ticket"] == number
    assert 0 < int(held.duration.removesuffix("s")) <= 100 * 60  # 90 minutes, and those in which it must begin
    assert found.record(with_token=True)["models"] == {"url": "http://gateway.test", "key": key_of(found)}
    assert "models" not in found.record(with_token=False) and key_of(found) not in repr(found)
    assert (await run_of(metered, number)).cost_kind == "hard"
    rows = await metered.stage.gate.database.query("select session_meters::text from session_meters")
    assert key_of(found) not in str(rows)


async def test_spend_ends_the_ticket_and_the_next_session_gets_none_of_it(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered, cost="8.50")
    found = await metered.claimed()
    assert litellm.call(key_of(found), Decimal("3.25"))
    await metered.look(number)
    assert (await run_of(metered, number)).cost == Decimal("3.25")
    await metered.report(found, Progress(cost=Decimal("1.00")))
    run = await run_of(metered, number)
    assert (run.cost, run.cost_kind) == (Decimal("3.25"), "hard")
    calls = [litellm.call(key_of(found), Decimal("3")) for _ in range(4)]
    assert calls == [True, True, False, False]
    await metered.look(number)
    await metered.look(number)
    assert await metered.state(number) is State.CAP_HIT
    assert (await run_of(metered, number)).cost == Decimal("9.25")  # 0.75 over, by less than the last call
    assert held_for(litellm, found).blocked


async def test_a_limit_set_later_moves_the_budget(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered, cost="8.50")
    found = await metered.claimed()
    litellm.call(key_of(found), Decimal("2"))
    await metered.say(number, "/limit cost=4")
    await metered.look(number)
    assert held_for(litellm, found).max_budget == Decimal("4")


async def test_a_session_that_lives_longer_keeps_its_key(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered)
    found = await metered.claimed()
    before = int(held_for(litellm, found).duration.removesuffix("s"))
    await metered.stage.gate.database.query(
        "update sessions set expires_at = expires_at + interval '1 hour' returning id"
    )
    await metered.look(number)
    assert 3500 <= int(held_for(litellm, found).duration.removesuffix("s")) - before <= 3600


async def test_a_key_whose_time_is_over_needs_no_gateway(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered)
    await metered.claimed()
    litellm.away = True
    await metered.write(number, "/stop now")
    await metered.look(number)
    assert await metered.state(number) is State.STOPPING
    await metered.stage.gate.database.query(
        "update session_meters set expires_at = clock_timestamp() - interval '2 minutes' returning session_id"
    )
    await metered.look(number)
    assert await metered.state(number) is State.STOPPED


async def test_a_stop_blocks_the_key_before_it_is_confirmed(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered)
    found = await metered.claimed()
    litellm.away = True
    await metered.write(number, "/stop now")
    await metered.look(number)
    assert await metered.state(number) is State.STOPPING
    litellm.away = False
    await metered.look(number)
    assert await metered.state(number) is State.STOPPED
    assert not litellm.call(key_of(found), Decimal("0.01"))


async def test_what_was_spent_last_is_read_before_the_key_is_deleted(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered)
    found = await metered.claimed()
    await metered.say(number, "/stop now")
    held_for(litellm, found).spend = Decimal("1.50")  # the gateway writes down what was under way
    await metered.look(number)
    assert (await run_of(metered, number)).cost == Decimal("1.50") and not litellm.deleted
    await metered.stage.gate.database.query(
        "update session_meters set blocked_at = blocked_at - interval '2 minutes' returning session_id"
    )
    await metered.look(number)
    assert list(litellm.deleted) == [hashed(key_of(found))] and not litellm.keys


async def test_without_the_gateway_no_ticket_is_handed_out(metered: Desk, litellm: LiteLlm) -> None:
    number = await accepted(metered)
    litellm.away = True
    found = await metered.claim()
    assert isinstance(found, NothingToClaim)
    assert found.because == ("the metering gateway for models gives no key: /key/generate was answered with status 503")
    assert await metered.state(number) is State.WAITING and (await metered.row(number)).attempts == 0


async def test_where_costs_must_be_hard_nothing_unmetered_is_started(tmp_path: Path, database: Database) -> None:
    policy = TICKETS + "  costs: hard\n"
    async with scene(tmp_path, database) as stage, desk(stage, policy) as opened:
        number = await accepted(opened)
        found = await opened.claim()
        assert isinstance(found, NothingToClaim) and found.because == f"#{number}: {UNMETERED}"
        opened.parts = replace(opened.parts, gateway=LiteLlm().gateway())
        assert isinstance(await opened.claim(), Claimed)


async def test_a_key_without_the_budget_that_was_asked_for_is_taken_back(litellm: LiteLlm) -> None:
    litellm.unbounded = True
    with pytest.raises(GatewayFailed, match="does not hold the new key to the budget"):
        await litellm.gateway().generate(budget=Decimal(5), seconds=60, metadata={})
    assert not litellm.keys and len(litellm.deleted) == 1


async def test_the_gateways_own_bound_may_be_lower(litellm: LiteLlm) -> None:
    litellm.most = 2.0
    issued = await litellm.gateway().generate(budget=Decimal(5), seconds=60, metadata={})
    assert issued.budget == Decimal(2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(401, json={}), "status 401"),
        (httpx.Response(200, text="<html>"), "no JSON object"),
        (httpx.Response(200, json={"info": {}}), "holds no spend"),
        (httpx.Response(200, json={"info": {"spend": -1}}), "holds no spend"),
        (httpx.Response(200, json={"info": {"spend": True}}), "holds no spend"),
        (httpx.Response(200, text='{"info": {"spend": NaN}}'), "holds no spend"),
        (httpx.Response(200, content=b" " * (MOST_READ + 1)), "larger than"),
        (httpx.Response(302, headers={"location": "http://elsewhere.test/"}), "status 302"),
    ],
)
async def test_an_answer_that_is_none_is_no_spend(answer: httpx.Response, said: str) -> None:
    transport = httpx.MockTransport(lambda _: answer)
    with pytest.raises(GatewayFailed, match=said):
        await Gateway("http://gateway.test", SecretStr("sk-x"), lambda: transport).spend("ab" * 32)


async def test_a_call_of_the_gateway_makes_no_tls_context_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    tls()  # it takes tens of milliseconds, and is made once

    def refused(**_: object) -> None:
        raise AssertionError("another context")

    monkeypatch.setattr(ssl, "create_default_context", refused)
    gateway = Gateway("https://gateway.test", SecretStr("sk-x"))
    assert isinstance(gateway.connect(), httpx.AsyncHTTPTransport)


async def test_a_key_rises_with_the_policy_when_the_day_has_room_for_it(metered: Desk, litellm: LiteLlm) -> None:
    """The day has 100 dollars; what the policy gives a ticket later is not set apart from them."""
    number = await accepted(metered, cost="8.50")
    found = await metered.claimed()
    database, own = metered.stage.gate.database, {"at": metered.shop.id, "number": number}
    await database.query("update tickets set max_cost = 40 where repository_id = %(at)s and number = %(number)s", own)
    await database.query(
        "insert into opinions (id, repository_id, number, judge, head_sha, base_sha, target_sha, asked_at, ended_at, "
        "cost) values ('x', %(at)s, 999, 'one', '', '', '', clock_timestamp(), clock_timestamp(), 70)",
        own,
    )
    await metered.look(number)
    assert held_for(litellm, found).max_budget == Decimal("8.5")
    await database.query("update opinions set cost = 60")
    await metered.look(number)
    assert held_for(litellm, found).max_budget == Decimal(40)
