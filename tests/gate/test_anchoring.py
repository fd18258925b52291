"""The audit log's head stands on GitHub as a commit status: once a day, where there is something new."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.gate import anchoring
from app.gate.upkeep import upkeep
from app.store import audit
from app.store.audit_chain import Head, Verified, read_anchor
from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop
from tests.github.state import CommitStatus, Repository

pytestmark = pytest.mark.anyio


async def merged(stage: Scene) -> Repository:
    shop = await open_shop(stage)
    await agent_pull(stage, shop)
    await stage.settle()
    return shop


def anchors(shop: Repository) -> list[CommitStatus]:
    return [status for status in shop.statuses if status.context == "mergegate/audit-log"]


def head_of(status: CommitStatus) -> Head:
    head = read_anchor(status.description or "")
    assert head is not None
    return head


async def test_the_log_is_anchored_once_a_day_where_it_tells_something_new(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await merged(stage)
    for _ in range(3):
        await upkeep(stage.gate)
    (status,) = anchors(shop)
    assert (status.sha, status.state) == (await stage.github.git(shop).rev_parse("refs/heads/main"), "success")
    monkeypatch.setattr(anchoring, "EVERY", timedelta(0))  # as if a day had gone by
    await upkeep(stage.gate)
    assert len(anchors(shop)) == 1, "nothing new is told"
    await agent_pull(stage, shop, "second")
    await stage.settle()
    await upkeep(stage.gate)
    assert len(anchors(shop)) == 2
    async with stage.gate.database.transaction() as connection:
        whole = await audit.verify(connection, [head_of(status) for status in anchors(shop)])
    assert isinstance(whole, Verified) and whole.uncompared == ()


async def test_a_log_that_was_written_anew_does_not_fit(stage: Scene) -> None:
    """Whoever owns the database can make another whole chain, and cannot change what stands on GitHub."""
    shop = await merged(stage)
    await upkeep(stage.gate)
    async with stage.gate.database.transaction() as connection:
        entries = [audit.read_record(link.record).entry async for link in audit.links(connection)]
        await connection.execute("set local session_replication_role = replica")
        await connection.execute("truncate audit_log, audit_head")
        await audit.append(connection, entries)
    async with stage.gate.database.transaction() as connection:
        assert isinstance(await audit.verify(connection), Verified)
    async with stage.gate.database.transaction() as connection:
        found = await audit.verify(connection, [head_of(anchors(shop)[0])])
    assert not isinstance(found, Verified) and "anchor" in found.because


async def test_an_app_that_may_not_write_statuses_is_not_asked_again_today(stage: Scene) -> None:
    shop = await merged(stage)
    stage.installation.permissions["statuses"] = "read"
    stage.gate.client(stage.installation.id).forget_tokens()
    for _ in range(2):
        await upkeep(stage.gate)
    assert anchors(shop) == []
    async with stage.gate.database.transaction() as connection:
        entries = [audit.read_record(link.record).entry async for link in audit.links(connection)]
    (anchor,) = [entry for entry in entries if entry.kind == "anchor"]
    assert anchor.data["refused"]
