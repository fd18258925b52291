"""`mergegate doctor` without a repository: against a real database and a server that answers as GitHub, and each
symptom by itself."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.gate.fanout import clock_mark
from app.intake.webhook import PATH
from app.local.examination import CouldNotRead, Level, Symptom
from app.local.service_examination import (
    Attempt,
    Deliveries,
    Hook,
    InstalledOn,
    Machine,
    RegisteredApp,
    ServiceFacts,
    Store,
    examine_service,
)
from app.local.shipped import app_manifest
from app.store import work
from app.store.database import Database
from app.store.migrate import known
from tests.databases import database
from tests.github.server import SimulatedGitHub
from tests.github.state import App, Delivery

__all__ = ["database"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Scene:
    hub: SimulatedGitHub
    gate: App
    courier: App
    environment: Mapping[str, str]

    async def asked(self, *options: str, **environment: str) -> tuple[int, str]:
        given = {**self.environment, **environment}
        done = await asyncio.to_thread(CliRunner().invoke, app, ("doctor", *options), env=given)
        assert done.exception is None or isinstance(done.exception, SystemExit)
        return done.exit_code, done.stdout + done.stderr

    async def symptoms(self) -> list[str]:
        _, out = await self.asked("--json")
        return [one["what"] for one in json.loads(out)["symptoms"]]

    def delivered(self, code: int | None, status: str, at: datetime | None = None) -> None:
        world = self.hub.world
        number = world.new_id()
        one = Delivery(number, f"guid-{number}", self.gate.id, "push", None, b"{}", None, None, at or world.now())
        one.status_code, one.status = code, status
        world.deliveries.append(one)


@pytest.fixture
async def place(tmp_path: Path, database_url: str) -> AsyncIterator[Scene]:
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    try:
        hub.organization("acme")
        keys = {}
        for role, hook in (("gate", "https://gate.example.com" + PATH), ("courier", None)):
            manifest = app_manifest(role)
            made, key = hub.register_app(role, manifest["default_permissions"], manifest["default_events"], hook)
            hub.install(made, "acme")
            keys[role] = (made, key)
        async with Database.open(database_url, tmp_path) as database, database.transaction() as connection:
            await work.mark(connection, [clock_mark()])  # as a worker does when it starts
        environment = {
            "MERGEGATE_GITHUB_API_URL": address,
            "MERGEGATE_DATABASE_URL": database_url,
            "MERGEGATE_DATA": str(tmp_path),
            "MERGEGATE_APP_ID": str(keys["gate"][0].id),
            "MERGEGATE_PRIVATE_KEY": keys["gate"][1],
            "MERGEGATE_COURIER_APP_ID": str(keys["courier"][0].id),
            "MERGEGATE_COURIER_PRIVATE_KEY": keys["courier"][1],
            "MERGEGATE_HEARTBEAT_URL": "https://watch.example.com/1",
        }
        yield Scene(hub, keys["gate"][0], keys["courier"][0], environment)
    finally:
        await hub.stop()


async def test_a_service_that_is_well_says_so_and_its_versions(place: Scene, database: Database) -> None:
    await database.query(
        "insert into deliveries (hook_id, delivery_id, event, keys, body) values (1, 'd', 'push', '{}', '')"
    )
    place.delivered(202, "OK")
    code, out = await place.asked()
    first, second = out.splitlines()
    assert (code, first) == (0, "the service: nothing is wrong.")
    ((version,),) = await database.query("show server_version_num")
    assert f"PostgreSQL {int(version) // 10000}.{int(version) % 10000}, database step {known()[-1].version}." in second


async def test_what_github_shows_of_the_app_and_its_deliveries_is_found(place: Scene) -> None:
    place.gate.permissions = {**place.gate.permissions, "checks": "read"}
    place.gate.webhook_url = ""
    for installation in place.hub.world.installations.values():
        installation.suspended = True
    place.delivered(202, "OK")
    for _ in range(2):
        place.delivered(401, "Invalid HTTP Response: 401")
    found = await place.symptoms()
    assert "The gate App (gate) may only `read` `checks` and needs `write`." in found
    assert "The gate App (gate) is suspended by acme." in found
    assert "GitHub has no address to send deliveries to." in found
    assert "The last 2 deliveries did not arrive: Invalid HTTP Response: 401 (401)." in found
    assert any("that is not in this database" in one for one in found)


async def test_what_mergegate_status_tells_is_told_here_too(place: Scene, database: Database) -> None:
    missed = "insert into canaries (limit_name, passed, seen, took, ran_at) values ('cost', false, 'it ran', 0, now())"
    await database.query(missed)
    assert "The canary of the cost limit was not stopped (it ran)." in await place.symptoms()


async def test_a_key_that_github_does_not_take_is_not_taken_for_good(place: Scene) -> None:
    place.gate.public_key_pem = place.courier.public_key_pem
    code, out = await place.asked()
    assert code == 2
    assert "GitHub could not be asked as the gate" in out


async def test_a_clock_that_is_wrong_is_told_from_githubs(place: Scene) -> None:
    place.hub.world.clock_offset = timedelta(minutes=10)
    found = await place.symptoms()
    assert any(one.startswith("This machine's clock is") and "behind GitHub's" in one for one in found), found


@pytest.mark.parametrize("variable", ["MERGEGATE_WEBHOOK_SECRET_FILE", "MERGEGATE_PROXY_KEY", "MERGEGATE_CHANNELS"])
async def test_files_with_secrets_that_others_can_read_are_found(place: Scene, tmp_path: Path, variable: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s" * 20)
    secret.chmod(stat.S_IRUSR | stat.S_IROTH)
    code, out = await place.asked(**{variable: str(secret)})
    assert code == 1
    assert f"Others on this machine can read {secret}." in out


@pytest.mark.parametrize("url", ["postgresql://nobody:hunter2@127.0.0.1:1/none", ""])
async def test_a_database_that_cannot_be_read_is_wrong(place: Scene, tmp_path: Path, url: str) -> None:
    code, out = await place.asked(MERGEGATE_DATABASE_URL=url, MERGEGATE_DATA=str(tmp_path / "empty"))
    assert code == 1
    assert "The database could not be read" in out
    assert "hunter2" not in out


async def test_where_nothing_is_set_up_the_first_line_says_so(tmp_path: Path) -> None:
    environment = {name: "" for name in os.environ if name.startswith("MERGEGATE_")}
    given = {**environment, "MERGEGATE_DATA": str(tmp_path / "empty")}
    done = await asyncio.to_thread(CliRunner().invoke, app, ("doctor",), env=given)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "the service: 2 things are wrong."
    assert "No gate App is set up" in done.stdout


NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
GATE = RegisteredApp("gate", "g", {"checks": "write"}, ("push",), {"checks": "write"}, ("push",), [])
GATE = replace(GATE, installed_on=[InstalledOn("acme", suspended=False, served=True)])
ARRIVED = Attempt(NOW, 202, "OK")
WELL = ServiceFacts(
    machine=Machine((2, 39, 5), "/data", 10**12),
    store=Store(160002, 39, 39, NOW),
    gate=GATE,
    courier=replace(GATE, role="courier"),
    deliveries=Deliveries(Hook("https://gate.example.com/webhooks/github", "json", unverified=False), [ARRIVED]),
)


def arriving(*attempts: Attempt) -> dict[str, Any]:
    assert WELL.deliveries is not None
    return {"deliveries": replace(WELL.deliveries, attempts=attempts)}


def hooked(**changes: Any) -> dict[str, Any]:
    assert WELL.deliveries is not None
    assert isinstance(WELL.deliveries.hook, Hook)
    return {"deliveries": replace(WELL.deliveries, hook=replace(WELL.deliveries.hook, **changes))}


def failed(code: int) -> Attempt:
    return Attempt(NOW, code, "failed")


@pytest.mark.parametrize(
    ("changes", "level", "what", "remedy"),
    [
        ({"machine": replace(WELL.machine, git=(2, 37, 9))}, "wrong", "git is 2.37.9", "2.38 or newer"),
        ({"machine": replace(WELL.machine, git=CouldNotRead("it is not installed"))}, "wrong", "not installed", "2.38"),
        ({"machine": replace(WELL.machine, free=10**9)}, "odd", "953 MB are left for /data", "Make room"),
        ({"machine": replace(WELL.machine, free=10**8)}, "wrong", "95 MB are left", "full disk"),
        ({"machine": replace(WELL.machine, open_to_others=("a.pem",))}, "wrong", "can read a.pem", "chmod 600"),
        ({"store": CouldNotRead("refused.")}, "wrong", "database could not be read: refused.", "nothing works"),
        ({"store": Store(160002, 38, 39, NOW)}, "wrong", "step 38, this program at 39", "mergegate migrate"),
        ({"store": Store(160002, 40, 39, NOW)}, "odd", "newer program", "same version"),
        ({"gate": CouldNotRead("401")}, "unknown", "as the gate: 401", "id and key"),
        ({"courier": CouldNotRead("401")}, "unknown", "as the courier: 401", "id and key"),
        ({"courier": None}, "odd", "No courier App", "mergegate setup --role courier"),
        ({"gate": replace(GATE, granted={})}, "wrong", "may only `none` `checks`", "Grant it"),
        ({"gate": replace(GATE, events=())}, "wrong", "does not hear of push", "Tick"),
        ({"gate": replace(GATE, installed_on=[])}, "wrong", "installed nowhere", "Install it"),
        (
            {"gate": replace(GATE, installed_on=[InstalledOn("acme", suspended=False, served=False)])},
            "odd",
            "ignored: they are not in MERGEGATE_ACCOUNTS",
            "Add them",
        ),
        ({"gate": replace(GATE, ahead=600.0)}, "wrong", "clock is 600 s ahead of GitHub's", "timedatectl"),
        ({"courier": replace(GATE, ahead=-30.0)}, "odd", "clock is 30 s behind GitHub's", "timedatectl"),
        ({"deliveries": Deliveries(CouldNotRead("502"), [ARRIVED])}, "unknown", "webhook could not be read", "again"),
        (hooked(url=""), "wrong", "no address", "MERGEGATE_POLLING"),
        (hooked(content_type="form"), "wrong", "as form", "JSON"),
        (hooked(unverified=True), "wrong", "certificate", "SSL"),
        (arriving(), "odd", "no delivery in the last day", "webhook active"),
        (arriving(failed(401), ARRIVED), "wrong", "The last delivery did not arrive", "secret differs"),
        (arriving(failed(404), failed(404), ARRIVED), "wrong", "The last 2 deliveries", PATH),
        (arriving(failed(503), ARRIVED), "wrong", "(503)", "log"),
        (arriving(failed(0), ARRIVED), "wrong", "(0)", "does not reach"),
        (arriving(ARRIVED, failed(503)), "odd", "1 of the last day's 2 attempts", "resync"),
        ({"store": Store(160002, 39, 39, NOW - timedelta(hours=1))}, "wrong", "not in this database", "another"),
        ({"store": Store(160002, 39, 39, None)}, "wrong", "not in this database", "another"),
        ({"watched": False}, "odd", "falls silent", "MERGEGATE_HEARTBEAT_URL"),
        ({"troubles": (Symptom("wrong", "Work waits.", "Look."),)}, "wrong", "Work waits", "Look"),
    ],
)
def test_each_symptom_has_its_words(changes: dict[str, Any], level: Level, what: str, remedy: str) -> None:
    (symptom,) = examine_service(replace(WELL, **changes))
    assert symptom.level == level
    assert what in symptom.what
    assert remedy in symptom.remedy


def test_who_is_well_has_no_symptom_and_polling_needs_no_delivery() -> None:
    assert examine_service(WELL) == []
    assert examine_service(replace(WELL, deliveries=None)) == []


def test_deliveries_that_could_not_be_listed_are_unknown() -> None:
    assert WELL.deliveries is not None
    facts = replace(WELL, deliveries=replace(WELL.deliveries, attempts=CouldNotRead("502")))
    assert [one.level for one in examine_service(facts)] == ["unknown"]


def test_a_list_of_names_is_short() -> None:
    many = [InstalledOn(f"a{number}", suspended=True, served=True) for number in range(9)]
    (symptom,) = examine_service(replace(WELL, gate=replace(GATE, installed_on=many)))
    assert "a4 and 4 more" in symptom.what
