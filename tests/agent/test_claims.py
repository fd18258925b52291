"""Claiming over HTTP: machines that are enrolled, workloads with an identity, and claims that nobody waits for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.agent_api import call, claiming
from app.cli.commands import app
from app.config import LitellmSettings
from app.proxy.trust import TRUST_PATH
from app.secret import SecretStr
from app.store.database import Connection, Database
from app.tickets.claims import Claimed, Claiming, NothingToClaim, claim_within
from policies.tickets.states import State
from tests.agent.bureau import POOL, Bureau, bureau, soon
from tests.proxy.scene import serving
from tests.proxy.test_exchange import OTHER, Issuer, identity
from tests.tickets.litellm import ADMIN, LiteLlm, hashed

pytestmark = pytest.mark.anyio
TRUST = """\
version: 1
trust:
  - issuer: {issuer}
    audience: mergegate
    claims: {{repository_id: "77"}}
    branches: [agent/ci/*]
    agent: ci
  - issuer: {issuer}
    audience: mergegate
    claims: {{repository_id: "77"}}
    branches: [agent/ticket-*]
    pool: night
    agent: ci
  - issuer: {issuer}
    audience: mergegate
    claims: {{repository_id: "77"}}
    branches: [agent/other-*]
    pool: elsewhere
    agent: ci
  - issuer: {issuer}
    audience: mergegate
    claims: {{repository_id: "77"}}
    branches: [agent/ticket-*]
    pool: readers
    rights: [comment]
    agent: ci
"""


async def mergegate(town: Bureau, *words: str) -> tuple[int, str]:
    """In this process, whose loop also serves GitHub: so the command has a thread and a loop of its own."""
    arguments = ["agent", "enrol", *words]
    done = await asyncio.to_thread(CliRunner().invoke, app, arguments, env=town.variables)
    return done.exit_code, done.stdout


async def test_a_machine_is_enrolled_claims_and_is_shut_out(town: Bureau) -> None:
    number = await town.accepted()
    code, said = await mergegate(town, "add", "acme/shop", "--pool", "day", "--json")
    made = json.loads(said)
    assert code == 0 and made["pool"] == "day" and made["repository_id"] == town.desk.shop.id
    assert (await town.claim(token=made["token"]))["agent"] == "day"
    listed = json.loads((await mergegate(town, "list", "--json"))[1])
    assert [one["pool"] for one in listed] == ["day", POOL] and made["token"] not in json.dumps(listed)
    assert [one["used_at"] is None for one in listed] == [False, True]
    assert (await mergegate(town, "revoke", str(made["id"])))[0] == 0
    assert (await mergegate(town, "revoke", str(made["id"])))[0] == 1
    assert (await town.call("POST", "/agent/claim", {}, token=made["token"])).status_code == 401
    assert (await mergegate(town, "add", "acme/none", "--pool", "day"))[0] == 2
    assert (await mergegate(town, "add", "acme/shop", "--pool", "no pool"))[0] == 2
    assert await town.desk.state(number) is State.RUNNING


async def test_an_enrolment_makes_no_database(town: Bureau, tmp_path: Path) -> None:
    for words in (("list",), ("revoke", "1"), ("add", "acme/shop", "--pool", "day")):
        nowhere = {**town.variables, "MERGEGATE_DATABASE_URL": "", "MERGEGATE_DATA": str(tmp_path / "none")}
        done = await asyncio.to_thread(CliRunner().invoke, app, ["agent", "enrol", *words], env=nowhere)
        assert (done.exit_code, "there is no database in" in done.stderr) == (2, True)
    assert not (tmp_path / "none").exists()


async def test_of_many_claims_one_gets_the_ticket(town: Bureau) -> None:
    await town.accepted()
    found = await asyncio.gather(*(town.claim({"worker": f"vm-{each}"}) for each in range(4)))
    assert sorted(one["claimed"] for one in found) == [False, False, False, True]


async def test_agents_that_wait_together_ask_once(town: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    async def counted(connection: Connection, asked: Claiming) -> Claimed | NothingToClaim:
        tried.append(asked.agent)
        return await claim_within(connection, asked)

    monkeypatch.setattr(claiming, "claim_within", counted)
    await town.claim()  # the policy is read
    tried.clear()
    await asyncio.sleep(0.6)  # what was found then stands for half a second
    found = await asyncio.gather(*(town.claim({"worker": f"vm-{each}"}) for each in range(40)))
    assert not any(one["claimed"] for one in found)
    assert 1 <= len(tried) <= 10


async def test_a_claim_whose_client_went_away_takes_nothing(town: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "LOOKS", 0.02)
    waiting = asyncio.create_task(town.claim(wait=20))
    await soon(waiting, 0.3)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    number = await town.accepted()
    await asyncio.sleep(0.2)  # much longer than between two looks of a request that waits
    assert await town.desk.state(number) is State.WAITING
    assert (await town.claim(wait=10))["attempt"] == 1


async def test_tickets_of_others_are_not_handed_out(town: Bureau) -> None:
    number = await town.accepted()
    await town.desk.say(number, "/assign day")
    assert (await town.claim({"worker": "day"}))["claimed"] is False
    await town.desk.say(number, f"/assign {POOL}")
    assert (await town.claim(wait=10))["ticket"] == number


@pytest.fixture
async def trusting(tmp_path: Path, database: Database) -> AsyncIterator[tuple[Bureau, Issuer]]:
    issuer = Issuer()
    async with serving(issuer.app) as port:
        issuer.address = f"http://127.0.0.1:{port}"
        async with bureau(tmp_path, database, issuers=(issuer.address,)) as town:
            text = TRUST.format(issuer=issuer.address)
            await town.desk.stage.github.push(town.desk.shop, "main", {TRUST_PATH: text}, author="ada")
            yield town, issuer


async def test_a_workloads_identity_claims_by_the_trust_file(trusting: tuple[Bureau, Issuer]) -> None:
    town, issuer = trusting
    await town.accepted()
    token = identity(issuer)
    asked: dict[str, Any] = {"repository": "acme/shop", "pool": POOL}
    assert (await town.call("POST", "/agent/claim", {}, token=token)).status_code == 422
    refused = [
        await town.call("POST", "/agent/claim", asked | changed, token=identity(issuer))
        for changed in ({"pool": "day"}, {"pool": "elsewhere"}, {"pool": "readers"}, {"repository": "acme/none"})
    ]
    assert {one.status_code for one in refused} == {403} and len({one.content for one in refused}) == 1
    forged = await town.call("POST", "/agent/claim", asked, token=identity(issuer, OTHER))
    assert forged.status_code == 401
    claimed = await town.claim(asked, token=token)
    assert claimed["claimed"] and claimed["agent"] == POOL
    again = await town.call("POST", "/agent/claim", asked, token=token)
    assert again.status_code == 401


async def test_the_servers_baseline_bounds_what_is_claimed(tmp_path: Path, database: Database) -> None:
    floor = "version: 1\nticket:\n  most: {minutes: 30, attempts: 1, cost: 2}\n"
    async with bureau(tmp_path, database, baseline=floor) as town:
        await town.accepted()
        claimed = await town.claim()
        assert claimed["left"] == {"minutes": 30, "attempts": 1, "cost": "2.00"}


async def test_with_a_baseline_that_cannot_be_read_nothing_is_claimed(tmp_path: Path, database: Database) -> None:
    async with bureau(tmp_path, database, baseline="version: none") as town:
        number = await town.accepted()
        answer = await town.call("POST", "/agent/claim", {})
        assert answer.status_code == 503 and "MERGEGATE_POLICY_BASELINE" in answer.json()["message"]
        assert await town.desk.state(number) is State.WAITING


async def test_where_models_are_metered_a_claim_brings_the_key_for_them(tmp_path: Path, database: Database) -> None:
    litellm = LiteLlm()
    async with serving(litellm.app()) as port:
        settings = LitellmSettings(url=f"http://127.0.0.1:{port}", key=SecretStr(ADMIN))
        async with bureau(tmp_path, database, litellm=settings) as town:
            await town.accepted()
            claimed = await town.claim()
            assert claimed["models"]["url"] == settings.url
            budget = litellm.keys[hashed(claimed["models"]["key"])].max_budget
            assert budget == Decimal(claimed["left"]["cost"]) > 0


async def test_while_github_is_away_it_is_asked_again_and_what_needs_it_not_goes_on(town: Bureau) -> None:
    await town.accepted()
    token = (await town.claim())["token"]
    await town.desk.stage.github.stop()
    assert (await town.call("POST", "/session/progress", {"percent": 5}, token=token)).status_code == 200
    assert (await town.call("GET", "/session/limits", token=token)).status_code == 200  # read a moment ago
    elsewhere = await town.call("POST", "/agent/claim", {}, token=await town.enrol(name="other"))
    assert elsewhere.status_code == 503 and elsewhere.headers["retry-after"] == "5"
