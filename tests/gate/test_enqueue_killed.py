"""The gate dies right after it asked the merge queue, and the queue evicts before the gate looks again."""

from __future__ import annotations

from typing import Any

import pytest

from app.store import pulls
from tests.gate.scene import Scene
from tests.gate.shop import GREEN, RED, WORKFLOW_PATH, _outcome, agent_pull, open_shop
from tests.github.events import DomainEvent, PullRequestChanged

pytestmark = pytest.mark.anyio


async def test_an_evicted_entry_is_not_made_again_by_a_gate_that_forgot_it(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await open_shop(stage)
    passing, failing = _outcome(shop, GREEN, "success"), _outcome(shop, RED, "failure")
    stage.github.actions.script(
        shop, WORKFLOW_PATH, lambda run, job: (failing if run.event == "merge_group" else passing)(run, job)
    )
    entries: list[int] = []

    async def note(event: DomainEvent) -> None:
        if isinstance(event, PullRequestChanged) and event.action == "enqueued":
            entries.append(event.pull.number)

    stage.github.listeners.append(note)
    save, died = pulls.save_enqueued, list[int]()

    async def dying(connection: Any, repository_id: int, number: int, entry_id: str | None, head: str | None) -> None:
        if entry_id is not None and not died:
            died.append(number)
            raise RuntimeError("killed")
        await save(connection, repository_id, number, entry_id, head)

    monkeypatch.setattr(pulls, "save_enqueued", dying)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await _until_back(stage)
    assert died == [pull.number]
    assert entries == [pull.number]
    assert len([one for one in shop.issues[pull.number].comments if one.app_id == stage.app.id]) == 1


async def _until_back(stage: Scene) -> None:
    """The failed attempt's back-off is over."""
    await stage.gate.database.query("update work set due_at = now() where not periodic")
    await stage.settle()
