"""`mergegate doctor OWNER/REPO` against a real server: what it asks, what it finds, and what it could not see."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from app.local.shipped import app_manifest
from tests.github.faults import Fault
from tests.github.server import SimulatedGitHub
from tests.github.state import App, CommitStatus, Deployable, Repository, Ruleset

pytestmark = pytest.mark.anyio
CI = """\
on: {push: {branches: ["**"]}, pull_request: , merge_group: }
permissions: {contents: read}
jobs:
  test:
    runs-on: ubuntu-latest
    steps: [{uses: actions/checkout@v6}, {run: make test}]
"""
LOOSE = """\
on: [push, pull_request]
permissions: {contents: write, checks: write}
jobs:
  build:
    runs-on: [self-hosted, linux]
    environment: staging
    steps: [{run: make, env: {KEY: "${{ secrets.DEPLOY_KEY }}", FEED: "${{ secrets.FEED }}"}}]
"""
WITH_RIGHTS = "with the default branch's rights and secrets, and line 5 fetches the pull request's own code."
REPLY = """\
on: pull_request_target
jobs:
  reply:
    runs-on: ubuntu-latest
    steps: [{uses: actions/checkout@v6, with: {ref: "${{ github.event.pull_request.head.sha }}"}}]
"""


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
    courier: App
    couriers_key: str

    async def asked(
        self, *options: str, login: str = "ada", command: str = "doctor", at: str = "acme/shop", **more: str
    ) -> tuple[int, str]:
        environment = {
            "MERGEGATE_GITHUB_API_URL": self.address,
            "MERGEGATE_APP_ID": str(self.gate.id),
            "MERGEGATE_PRIVATE_KEY": self.key,
            "GITHUB_TOKEN": "",
            "GH_TOKEN": self.hub.user_token(login),
            **more,
        }
        arguments = (command, at, *options)
        done = await asyncio.to_thread(CliRunner().invoke, app, arguments, env=environment)
        return done.exit_code, done.stdout + done.stderr

    async def found(self) -> tuple[int, list[str]]:
        code, out = await self.asked("--json")
        return code, [one["what"] for one in json.loads(out)["symptoms"]]

    async def protect(self) -> None:
        code, out = await self.asked("--yes", "--courier", str(self.courier.id), command="protect")
        assert code == 0, out

    def posts(self, context: str, sha: str) -> None:
        world = self.hub.world
        status = CommitStatus(world.new_id(), sha, context, "success", None, None, "bob", world.now())
        self.shop.statuses.append(status)

    def ruleset(self, name: str) -> Ruleset:
        return next(one for one in self.shop.rulesets.values() if one.name == name)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Scene]:
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    try:
        hub.organization("acme", owners=["ada"])
        files = {"a": "1\n", ".github/workflows/ci.yml": CI}
        shop = await hub.repository("acme/shop", files, collaborators={"bob": "write"})
        manifest, other = app_manifest("gate"), app_manifest("courier")
        gate, key = hub.register_app("gate", manifest["default_permissions"], manifest["default_events"])
        courier, couriers_key = hub.register_app("courier", other["default_permissions"], [])
        hub.install(gate, "acme")
        hub.install(courier, "acme")
        yield Scene(hub, address, shop, gate, key, courier, couriers_key)
    finally:
        await hub.stop()


async def test_a_protected_repository_is_well_and_each_loosening_is_found(place: Scene) -> None:
    code, out = await place.asked()
    assert code == 1
    assert "mergegate/evidence is not required" in out
    assert "! Agents' branches can be written past the proxy" in out
    await place.protect()
    code, out = await place.asked()
    assert (code, out) == (0, "acme/shop: nothing is wrong.\n")

    place.shop.workflow_token, place.shop.workflows_may_approve = "write", True
    ruleset = place.ruleset("mergegate")
    ruleset.bypass_actors = [{"actor_id": place.gate.id, "actor_type": "Integration", "bypass_mode": "always"}]
    (installation,) = [one for one in place.hub.world.installations.values() if one.app_id == place.gate.id]
    installation.permissions = {**installation.permissions, "checks": "read"}
    code, found = await place.found()
    assert code == 1
    assert found == [
        "The ruleset `mergegate` lets the gate's own App past it, so nothing stops a gate that goes wrong.",
        "Workflows get a token that can write, also those on agents' branches.",
        "Workflows may approve pull requests.",
        "The App may only `read` `checks` and needs `write`.",
    ]


async def test_whoever_gets_past_the_rules_is_named(place: Scene) -> None:
    await place.protect()
    agent, _ = place.hub.register_app("copilot-swe-agent", {}, [])
    helper, _ = place.hub.register_app("helper", {}, [])
    place.hub.install(helper, "acme")
    person = place.hub.world.accounts["bob"].id
    place.ruleset("mergegate").bypass_actors = [
        {"actor_id": agent.id, "actor_type": "Integration", "bypass_mode": "always"},
        {"actor_id": helper.id, "actor_type": "Integration", "bypass_mode": "always"},
        {"actor_id": person, "actor_type": "User", "bypass_mode": "exempt"},
        {"actor_id": None, "actor_type": "DeployKey", "bypass_mode": "always"},
    ]
    now = place.hub.world.now()
    owners = [{"actor_id": None, "actor_type": "OrganizationAdmin", "bypass_mode": "always"}]
    everywhere = {"ref_name": {"include": ["~ALL"], "exclude": []}}
    held = Ruleset(9, "house", "branch", "active", everywhere, [{"type": "deletion"}], owners, now, now)
    place.shop.inherited_rulesets[9] = held
    code, found = await place.found()
    app = f"the App copilot-swe-agent ({agent.id}), an agent (Copilot)"
    assert (code, found) == (
        1,
        [
            f"The ruleset `mergegate` is bypassed by {app}, pushes included.",
            f"The ruleset `mergegate` is bypassed by the App helper ({helper.id}), pushes included.",
            "The ruleset `mergegate` exempts the single user @bob. GitHub's records do not show when that is used.",
            "The ruleset `mergegate` is bypassed by whoever has a deploy key that writes, pushes included.",
            "The ruleset `house` of `acme` is bypassed by owners of the organisation, pushes included.",
        ],
    )


async def test_what_agents_branches_reach_is_found(place: Scene) -> None:
    await place.protect()
    place.shop.secrets, place.shop.organization_secrets = ["DEPLOY_KEY", "OTHER"], ["SHARED"]
    place.shop.dependabot_secrets = ["FEED"]
    made = [
        Deployable(1, "staging", secrets=["STAGING"]),
        Deployable(2, "release", branches=["main", "agent/*"], secrets=["SIGN"]),
        Deployable(3, "production", branches=["main"], secrets=["PROD"]),
        Deployable(4, "guarded", protected_only=True, secrets=["GUARDED"]),
    ]
    place.shop.environments = {one.name: one for one in made}
    files = {".github/workflows/loose.yml": LOOSE, ".github/workflows/reply.yml": REPLY}
    await place.hub.push(place.shop, "main", files, author="ada")
    code, out = await place.asked("--json")
    found = [(one["level"], one["what"]) for one in json.loads(out)["symptoms"]]
    assert code == 1
    job, open_to = ".github/workflows/loose.yml, job build", "lets agents' branches in, with secrets (1)"
    assert [what for level, what in found if level == "wrong"] == [
        "What agents push is given secrets of the repository (1): `DEPLOY_KEY at .github/workflows/loose.yml:7`.",
        f"The environment `staging` {open_to}: `STAGING`. A workflow on agents' branches uses it.",
        f"Workflows on agents' branches get a token that writes: `contents: write in {job}`.",
        f".github/workflows/reply.yml runs on `pull_request_target` {WITH_RIGHTS}",
    ]
    assert [what for level, what in found if level != "wrong"] == [
        "Any workflow file of an agent's branch can name secrets of the repository (1): `OTHER`.",
        "Any workflow file of an agent's branch can name secrets of the organisation (1): `SHARED`.",
        "Pull requests of Dependabot run new versions of dependencies with its secrets: `FEED`.",
        f"The environment `release` {open_to}: `SIGN`.",
        f"The environment `guarded` {open_to}: `GUARDED`.",
        f"Workflows on agents' branches get a token that writes words and marks: `checks: write in {job}`.",
        f"What agents push runs on the repository's own machines: {job}.",
    ]


async def test_checks_that_nobody_posts_and_a_queue_that_clashes_are_found(place: Scene) -> None:
    await place.protect()
    place.hub.world.switches.retention_days = 7
    rules = place.ruleset("mergegate").rules
    checks = next(rule["parameters"] for rule in rules if rule["type"] == "required_status_checks")
    checks["required_status_checks"] += [{"context": "test"}, {"context": "pages"}, {"context": "jenkins"}]
    queue = next(rule["parameters"] for rule in rules if rule["type"] == "merge_queue")
    queue |= {"grouping_strategy": "HEADGREEN", "min_entries_to_merge": 9}
    pages = "on: pull_request\njobs: {pages: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n"
    await place.hub.push(place.shop, "main", {".github/workflows/pages.yml": pages}, author="ada")
    policy = "version: 1\nqueue: {kind: serial}\n"
    code, found = await place.found()
    assert code == 1
    in_vain = "does not run on `merge_group`: the merge queue waits for it in vain."
    assert found == [
        "The merge queue lets a red pull request ride along with a green one (HEADGREEN).",
        "The merge queue waits for 9 pull requests and merges 5 at most: each waits 5 minutes.",
        f"pages is required, and .github/workflows/pages.yml {in_vain}",
        "Nobody has posted jenkins yet.",
        "Checks, statuses and logs are deleted after 7 days: a pull request that waits longer loses them.",
    ]
    await place.hub.push(place.shop, "main", {".github/mergegate.yml": policy}, author="ada")
    _, found = await place.found()
    assert "On the default branch mergegate/queue is not required." in found
    assert any(what.startswith("The default branch has GitHub's merge queue") for what in found)


async def test_a_required_check_of_another_service_is_known_by_what_it_posted(place: Scene) -> None:
    await place.protect()
    rules = place.ruleset("mergegate").rules
    checks = next(rule["parameters"] for rule in rules if rule["type"] == "required_status_checks")
    checks["required_status_checks"].append({"context": "jenkins"})
    await place.hub.push(place.shop, "fix", {"b": "2\n"}, author="bob", base="main")
    pull = await place.hub.open_pull(place.shop, "fix", "main", title="Fix", author="bob")
    code, found = await place.found()
    lacking = "jenkins is required, no workflow here makes it, and none of the newest pull requests (1) has it."
    assert (code, found) == (1, [lacking])
    place.posts("jenkins", pull.head_sha)
    code, found = await place.found()
    assert (code, len(found), "for merge groups is not known" in found[0]) == (2, 1, True)
    tip = await place.hub.git(place.shop).rev_parse("refs/heads/main")
    place.posts("jenkins", tip or "")
    assert await place.found() == (0, [])


async def test_the_organisations_policy_and_what_it_reuses_are_followed(place: Scene) -> None:
    text = "version: 1\nqueue: {kind: external}\n"
    rules = await place.hub.repository("acme/rules", {"policy.yml": text})
    commit = await place.hub.git(rules).rev_parse("refs/heads/main")
    await place.hub.repository(
        "acme/.github", {"mergegate.yml": f"version: 1\nreuse: acme/rules/policy.yml@{commit}\n"}
    )
    await place.protect()
    code, found = await place.found()
    words = "The default branch has GitHub's merge queue, and by the policy somebody else merges"
    assert (code, [what.partition(":")[0] for what in found]) == (1, [words])
    await place.hub.push(rules, "main", {"policy.yml": None}, author="ada")
    broken = {".github/mergegate.yml": "version: 1\nqueue: {kind: fast}\n"}
    await place.hub.push(place.shop, "main", broken, author="ada")
    code, found = await place.found()
    assert (code, len(found)) == (1, 1)
    assert found[0].startswith(
        "The policy file cannot be used, so nothing of an agent's passes: .github/mergegate.yml:2:"
    )


async def test_what_the_couriers_app_may_do_too_much_is_found(place: Scene) -> None:
    await place.protect()
    configured = {
        "MERGEGATE_COURIER_APP_ID": str(place.courier.id),
        "MERGEGATE_COURIER_PRIVATE_KEY": place.couriers_key,
    }
    assert (await place.asked(**configured))[0] == 0
    (writer,) = [one for one in place.hub.world.installations.values() if one.app_id == place.courier.id]
    writer.permissions = {**writer.permissions, "workflows": "write"}
    code, out = await place.asked(**configured)
    assert (code, "The courier's App may write `workflows`" in out) == (1, True)


async def test_it_asks_no_more_than_forty_times(place: Scene) -> None:
    await place.protect()
    place.shop.environments = {f"e{number}": Deployable(number, f"e{number}", branches=["x"]) for number in range(10)}
    now, everywhere = place.hub.world.now(), {"ref_name": {"include": ["~ALL"], "exclude": []}}
    for number in range(90, 105):
        more = Ruleset(number, f"r{number}", "branch", "active", everywhere, [{"type": "deletion"}], [], now, now)
        place.shop.rulesets[number] = more
    before = len(place.hub.requests)
    code, out = await place.asked()
    assert code == 2
    assert "The ruleset `r104` does not show who bypasses it." in out
    assert "only 6 environments are looked at" in out
    assert len(place.hub.requests) - before < 40


async def test_what_somebody_without_the_right_cannot_see_is_said(place: Scene) -> None:
    await place.protect()
    place.shop.secrets = ["KEY"]
    code, out = await place.asked(login="bob")
    assert code == 2
    assert "? The ruleset `mergegate` does not show who bypasses it." in out
    assert "? What workflows may do could not be read" in out
    assert "? Classic branch protection could not be read" in out
    assert "? How long checks and logs are kept could not be read" in out
    assert "`Administration: read`" in out
    place.hub.user("carol")
    code, out = await place.asked(login="carol")
    assert "? The names of Actions secrets of the repository could not be read" in out
    assert "KEY" not in out


async def test_a_persons_own_repository_is_given_no_secrets_of_an_organisation(place: Scene) -> None:
    place.hub.user("ada")
    await place.hub.repository("ada/tool", {"a": "1\n"})
    await place.asked(at="ada/tool")
    asked = [one.path for one in place.hub.requests if one.path.endswith("secrets")]
    assert sorted(asked) == ["/repos/ada/tool/actions/secrets", "/repos/ada/tool/dependabot/secrets"]


async def test_what_github_refuses_is_said_for_each_question_and_nothing_is_called_well(place: Scene) -> None:
    await place.protect()
    place.hub.faults.add(Fault("fail", path="/repos/acme/shop/", count=100, status=403, message="No."))
    place.hub.faults.add(Fault("errors", path="/graphql", count=100, message="No."))
    code, out = await place.asked("--json")
    symptoms = json.loads(out)["symptoms"]
    assert (code, {one["level"] for one in symptoms}) == (2, {"unknown"})
    subjects = [one["what"].partition(" could not be read")[0] for one in symptoms]
    assert subjects == [
        "The rules in force",
        "The rulesets",
        "What workflows may do",
        "How long checks and logs are kept",
        "Classic branch protection",
        "The policy file",
        "The names of Actions secrets of the repository",
        "The names of Actions secrets of the organisation",
        "The names of Dependabot's secrets",
        "The environments",
        "The workflow files",
        "The App's installation",
    ]


async def test_an_app_that_is_not_installed_and_workflows_that_are_no_folder_are_said(place: Scene) -> None:
    await place.protect()
    place.hub.world.installations.clear()
    files = {".github/workflows/ci.yml": None, ".github/workflows": "a file\n"}
    await place.hub.push(place.shop, "main", files, author="ada")
    assert await place.found() == (
        1,
        [
            "The gate's App is not installed on this repository.",
            "The workflow files could not be read: .github/workflows is no folder",
        ],
    )


async def test_an_account_that_is_not_served_is_said(place: Scene) -> None:
    code, out = await place.asked(MERGEGATE_ACCOUNTS="widgets, other")
    assert (code, "it is not in MERGEGATE_ACCOUNTS" in out) == (1, True)


@pytest.mark.parametrize(
    ("repository", "token", "words"),
    [
        ("acme/none", None, "there is no repository acme/none"),
        ("acme/shop", "ghp_wrong", "GitHub does not know this token"),
    ],
)
async def test_what_is_in_the_way_of_every_question_ends_it(
    place: Scene, repository: str, token: str | None, words: str
) -> None:
    environment = {"MERGEGATE_GITHUB_API_URL": place.address, "GITHUB_TOKEN": ""}
    environment["GH_TOKEN"] = token or place.hub.user_token("ada")
    arguments = ("doctor", repository, "--gate", "11")
    done = await asyncio.to_thread(CliRunner().invoke, app, arguments, env=environment)
    assert words in str(done.exception) + done.output


async def test_a_repository_without_a_name_is_no_answer(place: Scene) -> None:
    place.hub.faults.add(Fault("fail", path="/repos/acme/shop$", count=100, status=200, message="Here it is."))
    code, out = await place.asked("--gate", "11")
    assert code == 2 and "the answer has no full_name" in " ".join(out.split())
