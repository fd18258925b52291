"""`mergegate doctor` against a real server, and each symptom by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.local.examination import CouldNotRead, Facts, Installed, Level, examine
from app.local.protection import gate_ruleset
from app.local.shipped import app_manifest, ruleset_template
from tests.github.server import SimulatedGitHub
from tests.github.state import App, Repository

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Scene:
    hub: SimulatedGitHub
    address: str
    shop: Repository
    gate: App
    key: str

    async def asked(self, *options: str, login: str = "ada", command: str = "doctor") -> tuple[int, str]:
        environment = {
            "MERGEGATE_GITHUB_API_URL": self.address,
            "MERGEGATE_APP_ID": str(self.gate.id),
            "MERGEGATE_PRIVATE_KEY": self.key,
            "GITHUB_TOKEN": "",
            "GH_TOKEN": self.hub.user_token(login),
        }
        arguments = (command, "acme/shop", *options)
        done = await asyncio.to_thread(CliRunner().invoke, app, arguments, env=environment)
        return done.exit_code, done.stdout + done.stderr


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Scene]:
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    try:
        hub.organization("acme")
        people = {"ada": "admin", "bob": "write"}
        shop = await hub.repository("acme/shop", {"a": "1\n"}, collaborators=people)  # type: ignore[arg-type]
        manifest = app_manifest("gate")
        gate, key = hub.register_app("gate", manifest["default_permissions"], manifest["default_events"])
        hub.install(gate, "acme")
        yield Scene(hub, address, shop, gate, key)
    finally:
        await hub.stop()


async def test_a_protected_repository_is_well_and_each_loosening_is_found(place: Scene) -> None:
    code, out = await place.asked()
    assert code == 1
    assert "mergegate/evidence is not required" in out
    assert (await place.asked("--yes", command="protect"))[0] == 0
    code, out = await place.asked()
    assert (code, out) == (0, "acme/shop: nothing is wrong.\n")

    place.shop.workflow_token, place.shop.workflows_may_approve = "write", True
    (ruleset,) = place.shop.rulesets.values()
    ruleset.bypass_actors = [{"actor_id": place.gate.id, "actor_type": "Integration", "bypass_mode": "always"}]
    (installation,) = place.hub.world.installations.values()
    installation.permissions = {**installation.permissions, "checks": "read"}
    code, out = await place.asked("--json")
    found = [one["what"] for one in json.loads(out)["symptoms"]]
    assert code == 1
    assert found == [
        f"The ruleset `mergegate`: Integration {place.gate.id} bypasses it, pushes included.",
        "Workflows get a token that can write, also those on agents' branches.",
        "Workflows may approve pull requests.",
        "The App may only `read` `checks` and needs `write`.",
    ]


async def test_what_somebody_without_the_right_cannot_see_is_said(place: Scene) -> None:
    await place.asked("--yes", command="protect")
    code, out = await place.asked(login="bob")
    assert code == 2
    assert "? The ruleset `mergegate` does not show who bypasses it." in out
    assert "? What workflows may do could not be read" in out
    assert "? Classic branch protection could not be read" in out


WELL = Facts(
    app_id=11,
    queue="native",
    effective=gate_ruleset(ruleset_template(), 11, [], "native")["rules"],
    rulesets=[gate_ruleset(ruleset_template(), 11, [], "native")],
    workflow_permissions={"default_workflow_permissions": "read", "can_approve_pull_request_reviews": False},
    classic_protection=False,
    installed=Installed({"checks": "write"}, ("push",), suspended=False),
    asked={"checks": "write"},
    asked_events=("push",),
)
QUEUE = {"type": "merge_queue", "parameters": {"grouping_strategy": "HEADGREEN"}}
STRICT = {"type": "required_status_checks", "parameters": {"strict_required_status_checks_policy": True}}


def actor(kind: str, mode: str) -> dict[str, Any]:
    return {"rulesets": [{"name": "r", "bypass_actors": [{"actor_type": kind, "actor_id": 1, "bypass_mode": mode}]}]}


@pytest.mark.parametrize(
    ("changes", "level", "words"),
    [
        ({"effective": [*WELL.effective, QUEUE]}, "wrong", "HEADGREEN"),  # type: ignore[misc]
        ({"effective": [*WELL.effective, STRICT]}, "odd", "up to date"),  # type: ignore[misc]
        ({"effective": CouldNotRead("502")}, "unknown", "rules in force could not be read: 502"),
        ({"rulesets": CouldNotRead("502")}, "unknown", "rulesets could not be read"),
        ({"rulesets": [{"name": "r"}]}, "unknown", "does not show who bypasses"),
        (actor("OrganizationAdmin", "pull_request"), "odd", "merge a pull request past the checks"),
        (actor("OrganizationAdmin", "exempt"), "wrong", "is exempt from it"),
        (actor("User", "pull_request"), "wrong", "User 1 bypasses it"),
        (actor("DeployKey", "always"), "wrong", "bypasses it"),
        ({"workflow_permissions": CouldNotRead("403")}, "unknown", "What workflows may do"),
        ({"workflow_permissions": {}}, "wrong", "a token that can write"),
        ({"classic_protection": True}, "odd", "classic protection too"),
        ({"installed": None}, "wrong", "not installed"),
        ({"installed": CouldNotRead("no key")}, "unknown", "no key"),
        ({"installed": replace(WELL.installed, suspended=True)}, "wrong", "suspended"),  # type: ignore[type-var]
        ({"installed": Installed({"checks": "write"}, (), suspended=False)}, "wrong", "does not hear of push"),
        ({"installed": Installed({}, ("push",), suspended=False)}, "wrong", "may only `none` `checks`"),
    ],
)
def test_each_symptom_has_its_words(changes: dict[str, Any], level: Level, words: str) -> None:
    found = examine(replace(WELL, **changes))
    assert [one.level for one in found if words in one.what] == [level]
    assert all(one.remedy for one in found)


def test_who_is_well_has_no_symptom_and_the_couriers_own_ruleset_is_none() -> None:
    agents = {"name": "mergegate agents", "bypass_actors": [{"actor_type": "Integration", "bypass_mode": "always"}]}
    assert examine(WELL) == []
    assert examine(replace(WELL, rulesets=[*WELL.rulesets, agents])) == []  # type: ignore[misc]


async def test_an_account_that_is_not_served_is_said(place: Scene) -> None:
    environment = {"MERGEGATE_ACCOUNTS": "widgets, other"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        code, out = await place.asked()
    assert (code, "it is not in MERGEGATE_ACCOUNTS" in out) == (1, True)
