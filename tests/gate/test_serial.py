"""The serial queue: one after the other, each tried on the target's tip, and nobody overtakes."""

from __future__ import annotations

import pytest

from tests.gate.scene import Scene
from tests.gate.serial_shop import fail_together, open_serial_shop, refusal_of_button, trial_branches
from tests.gate.shop import agent_pull

pytestmark = pytest.mark.anyio

READY = {"evidence": "success", "review": "success", "queue": "in_progress"}
MERGED = {"evidence": "success", "review": "success", "queue": "success"}


async def test_of_two_that_conflict_in_meaning_the_second_is_refused_with_the_reason(stage: Scene) -> None:
    shop = await open_serial_shop(stage)
    fail_together(stage, shop)
    both = [await agent_pull(stage, shop, name) for name in ("one", "two")]
    heads = [pull.head_sha for pull in both]
    await stage.settle()
    (first,) = [pull for pull in both if pull.merged_at is not None]
    (second,) = [pull for pull in both if pull.merged_at is None]
    assert stage.verdict(shop, first) == MERGED
    assert stage.verdict(shop, second) == {**MERGED, "queue": "failure"}
    assert heads == [pull.head_sha for pull in both], "the pull request's head never moves"
    (notice,) = [comment.body for comment in second.issue.comments]
    assert notice.startswith("**Refused by the queue.** Merged with `main`")
    assert "/requeue" in notice
    assert await refusal_of_button(stage, shop, second) is not None
    refs = await stage.github.git(shop).refs("refs/heads/mergegate/")
    assert refs == {}, "no branch of a trial is left"
    assert len(trial_branches(stage, shop)) >= 2
