"""The gate dies before and after its effects, again and again, and the serial queue loses nothing and doubles nothing.

MERGEGATE_SOAK=1 takes more seeds.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from app.gate.apply import Applier
from app.gate.names import RepositoryName
from tests.gate.scene import Scene, SceneMirrors
from tests.gate.serial_shop import Turns, open_serial_shop
from tests.gate.shop import agent_pull

pytestmark = pytest.mark.anyio

SEEDS = range(40) if os.environ.get("MERGEGATE_SOAK") else range(1)
CHANCE = 0.25
MOST_ROUNDS = 60


class Killed(RuntimeError):
    """What a process that dies leaves behind, as far as the store can tell."""


class Deaths:
    """Whether the gate dies at this point; the same for the same seed and order of events."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.over = False

    def maybe(self) -> None:
        if not self.over and self.random.random() < CHANCE:
            self.count += 1
            raise Killed


def deadly(monkeypatch: pytest.MonkeyPatch, deaths: Deaths) -> None:
    one, push = Applier._one, SceneMirrors.push

    async def dying_effect(self: Applier, effect: Any) -> None:
        deaths.maybe()
        await one(self, effect)
        deaths.maybe()

    async def dying_push(
        self: SceneMirrors, installation_id: int, repository: RepositoryName, commit: str, ref: str
    ) -> None:
        deaths.maybe()
        await push(self, installation_id, repository, commit, ref)
        deaths.maybe()

    monkeypatch.setattr(Applier, "_one", dying_effect)
    monkeypatch.setattr(SceneMirrors, "push", dying_push)


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_pull_request_lands_once_tried_and_in_its_turn(
    stage: Scene, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    deaths = Deaths(seed)
    deadly(monkeypatch, deaths)
    shop = await open_serial_shop(stage)
    turns = Turns(stage, shop)
    pulls = [await agent_pull(stage, shop, name) for name in ("one", "two")]
    for _ in range(MOST_ROUNDS):
        await stage.run_to_rest()
        if len(turns.landed) == len(pulls):
            break
        await _unworn(stage)
    deaths.over = True
    await _unworn(stage)
    await stage.settle()
    assert deaths.count > 5
    assert sorted(turns.landed) == [pull.number for pull in pulls]
    assert [comment.body for pull in pulls for comment in pull.issue.comments] == []
    assert await stage.github.git(shop).refs("refs/heads/mergegate/") == {}
    await turns.assert_sound()


async def _unworn(stage: Scene) -> None:
    """A key that killed its worker twelve times is parked for a person to see; here it is tried on."""
    await stage.gate.database.query("update work set attempts = 0")
    await stage.hurry()
