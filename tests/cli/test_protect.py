"""`mergegate protect` against a real server: what it writes, that it repeats nothing, and what stays open is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.local.protection import difference, gate_ruleset, meets, open_gaps
from app.local.shipped import ruleset_template
from tests.github.faults import Fault
from tests.github.server import SimulatedGitHub
from tests.github.state import Repository

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Scene:
    hub: SimulatedGitHub
    address: str
    shop: Repository

    async def asked(self, *options: str, login: str = "ada", name: str = "acme/shop") -> tuple[int, str, str]:
        """Exit code, output and errors of the command."""
        token = self.hub.user_token(login)
        environment = {"MERGEGATE_GITHUB_API_URL": self.address, "GITHUB_TOKEN": "", "GH_TOKEN": token}
        done = await asyncio.to_thread(CliRunner().invoke, app, ("protect", name, *options), env=environment)
        return done.exit_code, done.stdout, done.stderr

    def rules(self, name: str = "mergegate") -> dict[str, Any]:
        (ruleset,) = [one for one in self.shop.rulesets.values() if one.name == name]
        return {rule["type"]: rule.get("parameters") or {} for rule in ruleset.rules}


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Scene]:
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    try:
        hub.organization("acme")
        people = {"ada": "admin", "bob": "write"}
        yield Scene(hub, address, await hub.repository("acme/shop", {"a": "1\n"}, collaborators=people))  # type: ignore[arg-type]
    finally:
        await hub.stop()


async def test_it_writes_both_rulesets_once_and_reads_them_back(place: Scene) -> None:
    code, out, _ = await place.asked("--gate", "11", "--courier", "22", "--yes")
    assert (code, out.splitlines()[-1][:25]) == (0, "acme/shop is protected: n")
    pinned = place.rules()["required_status_checks"]["required_status_checks"]
    assert {(one["context"], one["integration_id"]) for one in pinned} == {
        ("mergegate/evidence", 11),
        ("mergegate/review", 11),
    }
    agents = next(one for one in place.shop.rulesets.values() if one.name == "mergegate agents")
    assert agents.conditions["ref_name"]["include"] == ["refs/heads/agent/**/*"]
    assert agents.bypass_actors == [{"actor_id": 22, "actor_type": "Integration", "bypass_mode": "always"}]

    before = [(one.id, one.updated_at) for one in place.shop.rulesets.values()]
    code, out, _ = await place.asked("--gate", "11", "--courier", "22")
    assert (code, len(out.splitlines())) == (0, 1)
    assert [(one.id, one.updated_at) for one in place.shop.rulesets.values()] == before


async def test_a_dry_run_shows_the_difference_and_changes_nothing(place: Scene) -> None:
    code, out, _ = await place.asked("--gate", "11", "--dry-run")
    assert code == 1
    first, *_, inner = out[: out.index('"integration_id": 11')].splitlines()
    assert first == "acme/shop: the ruleset `mergegate` is not there yet. This would be written:"
    # As deep as JSON with a blank a level has it: rules, a rule, parameters, checks, a check, its field.
    assert inner == "+" + 6 * " "
    assert place.shop.rulesets == {}
    # Without an answer nothing is written either.
    code, _, err = await place.asked("--gate", "11")
    assert (code, "so nothing was changed" in err) == (2, True)
    assert place.shop.rulesets == {}


async def test_a_dry_run_says_so_where_nothing_is_to_be_done(place: Scene) -> None:
    await place.asked("--gate", "11", "--yes")
    said = "acme/shop: nothing would be written, every ruleset is there as it should be.\n"
    assert await place.asked("--gate", "11", "--dry-run") == (0, said, "")


async def test_who_gives_no_token_is_told_what_it_must_be_good_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GH_TOKEN", "GITHUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(app, ("protect", "acme/shop"))
    assert (done.exit_code, "one that may administer acme/shop" in done.stderr) == (2, True)


async def test_what_somebody_loosened_is_put_back(place: Scene) -> None:
    await place.asked("--gate", "11", "--yes")
    (ruleset,) = place.shop.rulesets.values()
    ruleset.bypass_actors = [{"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}]
    code, out, _ = await place.asked("--gate", "11", "--dry-run")
    assert code == 1
    assert "RepositoryRole" in out
    assert (await place.asked("--gate", "11", "--yes"))[0] == 0
    assert ruleset.bypass_actors == []


async def test_the_serial_queue_has_its_own_check_and_no_queue_of_github(place: Scene) -> None:
    assert (await place.asked("--gate", "11", "--queue", "serial", "--yes"))[0] == 0
    rules = place.rules()
    assert "merge_queue" not in rules
    assert "mergegate/queue" in {one["context"] for one in rules["required_status_checks"]["required_status_checks"]}


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (403, "Upgrade to GitHub Pro or make this repository public to enable this feature.", "nothing binds anybody"),
        (422, "Validation Failed", "--queue serial"),
        (403, "Resource not accessible by personal access token", "Administration for reading and writing"),
    ],
)
async def test_what_the_plan_or_the_token_cannot_do_is_red(place: Scene, status: int, message: str, said: str) -> None:
    place.hub.faults.add(Fault("fail", method="POST", path=r"/rulesets$", status=status, message=message))
    code, out, _ = await place.asked("--gate", "11", "--yes")
    assert code == 1
    assert "acme/shop is NOT protected:" in out
    assert said in out


async def test_who_may_not_look_is_told_what_is_needed(place: Scene) -> None:
    code, out, err = await place.asked(name="acme/shop")
    assert (code, out) == (2, "")
    assert "--gate" in err
    assert (await place.asked("--gate", "11", "--yes", name="acme/none"))[0] == 2
    assert (await place.asked("--gate", "11", "--yes", name="acme"))[0] == 2
    # Somebody with write permission sees no bypass list, so it is not known whether it is empty.
    await place.asked("--gate", "11", "--yes")
    code, _, err = await place.asked("--gate", "11", "--yes", login="bob")
    assert code == 2
    assert "bypasses" in err


def test_gaps_are_named() -> None:
    checks = [{"context": "mergegate/evidence"}, {"context": "mergegate/review", "integration_id": 11}]
    rule = {"type": "required_status_checks", "parameters": {"required_status_checks": checks}}
    assert list(open_gaps([rule], 11, "native")) == [
        "commits can be pushed without a pull request",
        "mergegate/evidence may be posted by another App than 11",
        "there is no merge queue",
        "the branch can be force-pushed",
    ]
    assert "mergegate/queue is not required" in list(open_gaps([], 11, "serial"))


def test_what_github_adds_is_no_difference() -> None:
    wanted = gate_ruleset(ruleset_template(), 11, ["release/*"], "native")
    assert "refs/heads/release/*" in wanted["conditions"]["ref_name"]["include"]
    there = {**wanted, "id": 1, "rules": [{**rule, "ruleset_id": 1} for rule in reversed(wanted["rules"])]}
    assert difference(there, wanted) == []
    assert not meets({**there, "enforcement": "evaluate"}, wanted)


async def test_named_people_may_merge_past_it_when_the_gate_is_down_and_push_never(place: Scene) -> None:
    team = place.hub.team("acme", "on-call", ["ada"])
    code, out, _ = await place.asked(
        "--gate", "11", "--break-glass", "admins", "--break-glass", "acme/on-call", "--yes"
    )
    assert code == 0
    (ruleset,) = place.shop.rulesets.values()
    assert ruleset.bypass_actors == [
        {"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "pull_request"},
        {"actor_id": team.id, "actor_type": "Team", "bypass_mode": "pull_request"},
    ]
    assert "Except by admins, acme/on-call, by hand" in out
    code, out, _ = await place.asked("--gate", "11", "--break-glass", "admins", "--break-glass", "acme/on-call")
    assert (code, "NOT" in out) == (0, False), "the second time nothing is to be changed"
    code, _, wrong = await place.asked("--gate", "11", "--break-glass", "bob", "--yes")
    assert (code, "ORG/TEAM" in wrong) == (2, True)
    code, _, wrong = await place.asked("--gate", "11", "--break-glass", "acme/nobody", "--yes")
    assert (code, "no team" in wrong) == (2, True)


async def test_one_ruleset_protects_many_repositories_of_an_organisation(place: Scene) -> None:
    place.hub.organization("acme", owners=["ada"])
    other = await place.hub.repository("acme/docs", {"a": "1\n"}, collaborators={"ada": "admin"})
    code, _, wrong = await place.asked("--gate", "11", "--yes", name="acme")
    assert (code, "--repositories" in wrong) == (2, True)
    options = ("--gate", "11", "--courier", "22", "--repositories", "sh*", "--break-glass", "owners")
    code, out, wrong = await place.asked(*options, "--yes", name="acme")
    assert (code, "acme is protected" in out) == (0, True), out + wrong
    assert "`mergegate protect OWNER/REPO` adds it" in out
    held = {one.name for one in place.shop.inherited_rulesets.values()}
    assert (held, other.inherited_rulesets) == ({"mergegate", "mergegate agents"}, {})
    code, out, _ = await place.asked(*options, name="acme")
    assert (code, len(out.splitlines())) == (0, 3), "the second time nothing is to be changed"
    gate = next(one for one in place.shop.inherited_rulesets.values() if one.name == "mergegate")
    assert gate.bypass_actors == [{"actor_type": "OrganizationAdmin", "bypass_mode": "pull_request"}]
    # The queue is the repository's own.
    code, out, _ = await place.asked("--gate", "11", "--queue", "none", "--dry-run")
    assert code == 1, "its own ruleset is not written yet"
    assert place.shop.rulesets == {}


async def test_whoever_owns_no_organisation_is_told(place: Scene) -> None:
    code, _, wrong = await place.asked("--gate", "11", "--repositories", "~ALL", "--yes", name="acme")
    assert (code, "no organisation acme that this token may administer" in wrong) == (2, True)
    code, _, wrong = await place.asked("--gate", "11", "--repositories", "~ALL")
    assert (code, "--repositories is for an organisation" in wrong) == (2, True)
