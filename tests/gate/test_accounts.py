"""Installations of accounts that the settings do not name are ignored, whatever GitHub delivers about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.gate.fanout import resync
from app.github.errors import InstallationGone
from app.github.identity import AppIdentity
from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("accounts", "login", "served"),
    [
        ((), "acme", True),
        ((), None, True),
        (("Acme",), "acme", True),
        (("acme",), "evil", False),
        (("a",), None, False),
    ],
)
def test_who_is_served(accounts: tuple[str, ...], login: str | None, served: bool) -> None:
    assert AppIdentity("gate", 1, (), accounts=accounts).serves(login) is served


def serve_only(stage: Scene, *accounts: str) -> None:
    """As the service started with that setting; the clients that there are were made with another."""
    app = stage.gate.github
    app.identity = replace(app.identity, accounts=accounts)
    app.app = app._new(None)
    app._clients.clear()


async def test_nothing_is_read_or_written_for_another_account(stage: Scene) -> None:
    serve_only(stage, "widgets")
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.run_to_rest()
    await resync(stage.gate, stage.interval, webhooks=False)
    await stage.run_to_rest()
    assert stage.check_runs(shop, pull.head_sha) == []
    asked = {one.path for one in stage.requests()}
    assert asked == {"/app/installations", f"/app/installations/{stage.installation.id}"}
    with pytest.raises(InstallationGone, match="MERGEGATE_ACCOUNTS"):
        await stage.gate.client(stage.installation.id).token("git", repository="shop")


async def test_a_named_account_is_served_as_ever(stage: Scene) -> None:
    serve_only(stage, "widgets", "ACME")
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
