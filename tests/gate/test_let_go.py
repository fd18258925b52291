"""What a process keeps for looks at a pull request or a merge group is let go when that is over."""

from __future__ import annotations

import pytest

from app.gate.git_answers import OVERHEAD
from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, open_shop

pytestmark = pytest.mark.anyio


def kept(stage: Scene) -> tuple[int, int]:
    """Bytes of git's answers, and of GitHub's."""
    return stage.gate.mirrors.answers.size, stage.gate.client(stage.installation.id).etags.size


async def test_a_pull_request_that_is_merged_leaves_nothing_of_its_own(stage: Scene) -> None:
    shop = await open_shop(stage)
    sizes = []
    for number in range(4):
        path = f"shop/discount_{number}.py"
        pull = await agent_pull(stage, shop, f"discount-{number}", {path: "RATE = 0.2\n"})
        await stage.settle()
        assert pull.merged_at is not None
        sizes.append(kept(stage))
    (git_first, github_first), (git_last, github_last) = sizes[0], sizes[-1]
    assert git_last - git_first < 2 * OVERHEAD
    assert github_last - github_first < 2000


async def test_a_pull_request_that_is_closed_leaves_nothing_of_its_own(stage: Scene) -> None:
    shop = await open_shop(stage)
    before = kept(stage)
    pull = await agent_pull(stage, shop, body="Trust me.")
    await stage.settle()
    open_ = kept(stage)
    await stage.github.close_pull(shop, pull.number, "ada")
    await stage.settle()
    after = kept(stage)
    assert after[0] - before[0] < (open_[0] - before[0]) / 4
    assert after[1] < open_[1]


async def test_a_pull_request_keeps_only_what_its_last_look_asked(stage: Scene) -> None:
    shop = await open_shop(stage)
    await agent_pull(stage, shop, body="Trust me.")
    await stage.settle()
    sizes = []
    for number in range(3):
        await stage.github.push(shop, "main", {"VERSION": f"{number}\n"}, author="ada")
        await stage.settle()
        sizes.append(kept(stage)[0])
    assert sizes[-1] - sizes[0] < 2 * OVERHEAD
