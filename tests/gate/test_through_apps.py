"""What an App writes in a person's name, with a token that this person once gave it, is no word of that person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.gate.scene import Scene
from tests.gate.test_approvals import STAYS, WAITS, code, reactions, waiting
from tests.gate.test_stories import GREEN
from tests.github.state import App, Comment, PullRequest, Repository

pytestmark = pytest.mark.anyio

Comes = Callable[[Scene, Repository, PullRequest, str, App], Awaitable[Comment]]


def helper(stage: Scene) -> App:
    """Somebody else's App, at which bob signed in."""
    app, _ = stage.github.register_app("helper", {"issues": "write"}, (), "http://helper.invalid/", "other-secret")
    return app


async def _delivered(stage: Scene, shop: Repository, pull: PullRequest, body: str, app: App) -> Comment:
    comment = await stage.github.comment(shop, pull.number, "bob", body, through=app)
    await stage.settle()
    return comment


async def _found(stage: Scene, shop: Repository, pull: PullRequest, body: str, app: App) -> Comment:
    """Its delivery was lost."""
    now = stage.github.world.now()
    comment = Comment(stage.github.world.new_id(), "bob", body, now, now, app_id=app.id)
    pull.issue.comments.append(comment)
    await stage.resync()
    await stage.settle()
    return comment


@pytest.mark.parametrize("comes", [_delivered, _found])
async def test_an_app_approves_and_overrides_nothing_in_a_persons_name(stage: Scene, comes: Comes) -> None:
    shop, pull = await waiting(stage, STAYS + "override: {users: [bob]}\n")
    app, letters = helper(stage), code(stage, shop, pull)
    said = [
        await comes(stage, shop, pull, words, app)
        for words in (
            f"/approve {letters}",
            f"/approve {pull.head_sha[:12]}",
            f"/override {pull.head_sha[:12]} it is urgent",
        )
    ]
    assert stage.verdict(shop, pull) == WAITS
    assert [reactions(one) for one in said] == [[], [], []]
    # The person's own words of the same text are theirs.
    await stage.github.comment(shop, pull.number, "bob", f"/approve {letters}")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN


async def test_nor_does_it_end_what_the_person_asked_for(stage: Scene) -> None:
    shop, pull = await waiting(stage)
    app, letters = helper(stage), code(stage, shop, pull)
    await stage.github.review(shop, pull.number, "bob", "REQUEST_CHANGES", "Not like this.")
    await stage.settle()
    await _delivered(stage, shop, pull, f"/approve {letters}", app)
    await _found(stage, shop, pull, f"/approve {letters}", app)
    assert "bob asked for changes" in stage.summary(shop, pull, "review")
    assert stage.verdict(shop, pull)["review"] != "success"


async def test_a_person_overrides_by_their_own_hand(stage: Scene) -> None:
    shop, pull = await waiting(stage, STAYS + "override: {users: [bob]}\n")
    await stage.github.comment(shop, pull.number, "bob", f"/override {pull.head_sha[:12]} it is urgent")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert "Overridden by bob: it is urgent" in stage.summary(shop, pull, "review")
