"""CODEOWNERS through the whole gate: read from the target's tip, with GitHub's word about the owners."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop
from tests.gate.test_stories import GREEN, MEDIUM, MEDIUM_BUNDLE, PAYMENT

pytestmark = pytest.mark.anyio

OWNED = MEDIUM.replace("'on'", "'off'") + "rules:\n  owned: {require: {code_owners: {}}}\n"
WAITS = {"evidence": "success", "review": "in_progress"}
FILE = "* @acme/hidden\nshop/ @acme/payers @eve\n"


async def test_owners_of_the_touched_paths_must_approve(stage: Scene) -> None:
    """A member of the visible team does; a secret team and somebody without write access are named as missing."""
    stage.github.team("acme", "payers", ["bob"])
    stage.github.team("acme", "hidden", ["ada"]).secret = True
    shop = await open_shop(stage, OWNED, CODEOWNERS=FILE)
    shop.teams |= {"payers": "write", "hidden": "write"}
    # What the head says about owners is nobody's word but the agent's.
    changed = {**PAYMENT, ".github/CODEOWNERS": "* @ada\n"}
    other = await agent_pull(stage, shop, "other", changed, MEDIUM_BUNDLE.replace("level: medium", "level: high"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "ada")
    await stage.settle()
    assert stage.verdict(shop, pull) == WAITS
    words = stage.summary(shop, pull, "review")
    assert "`@eve` (missing: GitHub does not know it as somebody with write access)" in words
    await stage.github.review(shop, pull.number, "bob")
    await stage.github.review(shop, other.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert "`@acme/hidden` (missing: GitHub does not know it as a visible team" in stage.summary(shop, other, "review")
    await stage.github.push(shop, "main", {"CODEOWNERS": "shop/ @bob\nshop/payment* payer\n"}, author="ada")
    await stage.settle()
    assert "line 2 of CODEOWNERS is skipped, as 'payer' is no owner" in stage.summary(shop, pull, "review")
