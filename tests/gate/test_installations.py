"""What happens to one installation or repository parks or moves only itself; what comes back is caught up with."""

from __future__ import annotations

import httpx
import pytest

from app.gate.fanout import resync
from app.store import work
from tests.gate.scene import Scene
from tests.gate.shop import FILES, POLICY, agent_pull, open_shop, required
from tests.gate.test_stories import GREEN
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

NOT_QUEUED = POLICY.replace("'on'", "'off'")


async def elsewhere(stage: Scene) -> tuple[Repository, PullRequest]:
    """A repository of another account that the App is installed on too, with a pull request that will be judged."""
    stage.github.organization("other")
    stage.github.install(stage.app, "other")
    files = FILES | {".github/mergegate.yml": NOT_QUEUED}
    repository = await stage.github.repository("other/tools", files, collaborators={"ada": "admin"})
    await stage.github.set_ruleset(repository, "gate", required(stage.app.id))
    await stage.github.push(repository, "agent/x", {"a.py": "A = 1\n"}, author="ada")
    return repository, await stage.github.open_pull(repository, "agent/x", "main", "Add", "Trust me.", "ada")


async def by_the_clock(stage: Scene) -> None:
    """What the resync does by itself, without any webhook."""
    await resync(stage.gate, stage.interval, webhooks=False)
    await stage.run_to_rest()


@pytest.mark.parametrize("how", ["suspended", "removed"])
async def test_an_installation_that_is_gone_stops_only_its_own_work(stage: Scene, how: str) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    pull = await agent_pull(stage, shop)
    other, others = await elsewhere(stage)
    if how == "suspended":
        stage.installation.suspended = True
    else:
        del stage.github.world.installations[stage.installation.id]
    await stage.run_to_rest()
    await by_the_clock(stage)
    assert stage.verdict(shop, pull) == {}
    assert "evidence" in stage.verdict(other, others)
    assert await work.parked(stage.gate.database) == [], "there is nothing that a person should do here"
    stage.installation.suspended = False
    stage.github.world.installations[stage.installation.id] = stage.installation
    await stage.github.announce_installation(stage.installation, "unsuspend", "ada")
    await stage.run_to_rest()
    assert stage.verdict(shop, pull) == GREEN


async def test_a_revoked_permission_parks_what_needs_it_until_it_is_granted_again(stage: Scene) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    checks = stage.installation.permissions.pop("checks")
    pull = await agent_pull(stage, shop)
    other, others = await elsewhere(stage)
    for _ in range(work.PARKS_AT + 2):
        await stage.run_to_rest()
        await stage.gate.database.query("update work set due_at = now() where not parked and not periodic")
    parked = {one.key: one.last_error or "" for one in await work.parked(stage.gate.database)}
    assert f"pull:{stage.installation.id}:{shop.id}:{pull.number}" in parked
    for key, error in parked.items():
        assert key.split(":")[1] == str(stage.installation.id)
        assert "checks=read" in error
        assert "accept it in the installation" in error
    assert "evidence" in stage.verdict(other, others)
    await by_the_clock(stage)
    assert {one.key for one in await work.parked(stage.gate.database)} == parked.keys(), "it asks no more"
    stage.installation.permissions["checks"] = checks
    await stage.github.announce_installation(stage.installation, "new_permissions_accepted", "ada")
    await stage.run_to_rest()
    assert stage.verdict(shop, pull) == GREEN


@pytest.mark.parametrize("how", ["renamed", "transferred"])
async def test_a_repository_is_followed_to_its_new_name_though_nobody_told(stage: Scene, how: str) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    if how == "renamed":
        shop.name = "store"
    else:
        stage.github.organization("buyer")
        stage.github.install(stage.app, "buyer")
        shop.owner = "buyer"
    stage.github.world.switches.lose_deliveries = True
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", body="Trust me.")
    await stage.run_to_rest()
    await by_the_clock(stage)
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert await work.parked(stage.gate.database) == []


async def test_a_fork_that_was_deleted_is_no_trouble(stage: Scene) -> None:
    shop = await open_shop(stage, NOT_QUEUED)
    fork = await stage.github.fork(shop, "mallory")
    await stage.github.push(fork, "fix", {"shop/fix.py": "A = 1\n"}, author="mallory")
    pull = await stage.github.open_pull(shop, "mallory:fix", "main", "Fix", "Hello", "mallory")
    await stage.settle()
    del stage.github.world.repositories[fork.id]
    pull.head_repository_id = None
    await stage.github.add_labels(shop, pull.number, "ada", "old")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] != "success"
    assert await work.parked(stage.gate.database) == []


async def test_another_default_branch_is_gated_at_once(stage: Scene) -> None:
    """Nothing of the pull request changes; what it aims at does."""
    shop = await open_shop(stage, NOT_QUEUED)
    await stage.github.push(shop, "next", {"README.md": "Next\n"}, author="ada")
    await stage.github.push(shop, "agent/x", {"shop/x.py": "A = 1\n"}, author="courier[bot]", base="next")
    pull = await stage.github.open_pull(shop, "agent/x", "next", "Add", "Trust me.", "courier[bot]")
    await stage.settle()
    assert stage.verdict(shop, pull) == {}
    headers = {"authorization": f"Bearer {stage.github.user_token('ada')}", "x-github-api-version": "2026-03-10"}
    transport = httpx.ASGITransport(app=stage.github.app)
    async with httpx.AsyncClient(transport=transport, base_url=stage.github.world.base_url, headers=headers) as ada:
        answer = await ada.patch(f"/repos/{shop.full_name}", json={"default_branch": "next"})
        answer.raise_for_status()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
