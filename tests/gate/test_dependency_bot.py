"""A dependency bot's update through the whole gate: small ones need one approval, larger ones are high."""

from __future__ import annotations

import json

import pytest

from tests.checks.lock_files.forms import sri
from tests.gate.scene import Scene
from tests.gate.shop import open_shop
from tests.gate.test_stories import GREEN
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio

BOT = "dependabot[bot]"


def lock(registry: str = "https://registry.npm.example", **versions: str) -> str:
    packages = {
        f"node_modules/{name}": {
            "version": version,
            "resolved": f"{registry}/{name}/-/{name}-{version}.tgz",
            "integrity": sri(name + version),
        }
        for name, version in versions.items()
    }
    return json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2)


async def update(stage: Scene, shop: Repository, name: str, **versions: str) -> PullRequest:
    """As Dependabot makes it: its own App, a commit that GitHub signed, and a title that is nobody's evidence."""
    return await update_to(stage, shop, name, lock(**versions))


async def update_to(stage: Scene, shop: Repository, name: str, written: str) -> PullRequest:
    files = {"package-lock.json": written}
    branch = f"dependabot/npm/{name}"
    shop.verified_commits.add(await stage.github.push(shop, branch, files, author=BOT, message=f"Bump {name}"))
    return await stage.github.open_pull(shop, branch, "main", "Bump a from 1.0.0 to 1.0.1", "", BOT)


async def test_small_updates_need_an_approval_and_larger_ones_more(stage: Scene) -> None:
    shop = await open_shop(stage, **{"package-lock.json": lock(a="1.0.0", b="1.0.0")})
    app, _ = stage.github.register_app("dependabot", {"contents": "write", "pull_requests": "write"}, [])
    stage.github.install(app, "acme")
    small = await update(stage, shop, "small", a="1.0.1", b="1.2.0")
    large = await update(stage, shop, "large", a="2.0.0", b="1.0.0")
    fresh = await update(stage, shop, "fresh", a="1.0.0", b="1.0.0", c="1.0.0")
    moved = await update_to(stage, shop, "moved", lock("https://evil.example", a="1.0.1", b="1.0.0"))
    await stage.github.review(shop, small.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, small) == GREEN
    assert "medium risk" in stage.summary(shop, small, "evidence")
    for pull, why in (
        (large, "a goes from 1.0.0 to 2.0.0"),
        (fresh, "c 1.0.0 is new"),
        (moved, "takes a 1.0.1 from another source"),
    ):
        assert stage.verdict(shop, pull)["evidence"] != "success"
        assert why in stage.summary(shop, pull, "evidence")
