"""Heads that came past their session, commits that hide something, and how the agent's session hears of it."""

from __future__ import annotations

import asyncio

import pytest

from app.gate.passing import MOST_COMMITS, read_passing_paths
from app.gate.sessions import LOOK, pushes_bringing
from app.proxy import ledger, sessions
from app.proxy.grant import Grant
from app.proxy.sessions import Wanted
from checks.snapshot import CommitPath
from checks.unread import Unread
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop
from tests.gate.test_trees import Repository, _diff, repository
from tests.github.state import Repository as Shop

__all__ = ["repository"]

pytestmark = pytest.mark.anyio

BRANCH = "refs/heads/agent/discount"


async def _session(stage: Scene, shop: Shop) -> Grant:
    wanted = Wanted(1, shop.id, "acme", "shop", BRANCH, "refs/heads/main", "claude", opened_by="ada", operator="ada")
    return (await sessions.open_session(stage.gate.database, wanted))[1]


async def _pushed(stage: Scene, grant: Grant, head: str) -> None:
    """As the proxy notes a push."""
    entry = await ledger.begin(stage.gate.database, grant, ledger.PUSH, ref=BRANCH, new_oid=head)
    assert isinstance(entry, int)
    await ledger.end(stage.gate.database, entry, "done")


async def test_a_head_that_came_past_its_session_fails_until_one_comes_through_it(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY + "agents:\n  freeze: true\n")
    grant = await _session(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "did not come through session" in stage.summary(shop, pull, "evidence")
    assert "@courier[bot] pushed it" in stage.summary(shop, pull, "evidence").replace("`", "")
    # The next push is told, once, and is refused until a person has looked.
    (told,) = [words for _, words in await sessions.unsaid(stage.gate.database, grant.session)]
    assert told.startswith(f"{pull.head_sha[:12]} failed origin:")
    session = await sessions.session(stage.gate.database, grant.session)
    assert session is not None
    assert session.frozen_because == told

    await sessions.thaw(stage.gate.database, grant.session)
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.2\n"}, author="courier[bot]")
    await _pushed(stage, grant, pull.head_sha)
    await stage.settle()
    assert pull.merged_at is not None


async def test_a_push_under_way_is_waited_for_and_only_its_end_counts(stage: Scene) -> None:
    shop, head = await open_shop(stage), "a" * 40
    grant = await _session(stage, shop)
    for outcome, brought in (("failed", 0), ("done", 1)):
        entry = await ledger.begin(stage.gate.database, grant, ledger.PUSH, ref=BRANCH, new_oid=head)
        assert isinstance(entry, int)
        asking = asyncio.create_task(pushes_bringing(stage.gate, shop.id, BRANCH, head))
        await asyncio.sleep(LOOK / 2)
        assert not asking.done()
        await ledger.end(stage.gate.database, entry, outcome)  # type: ignore[arg-type]
        assert len(await asking) == brought


async def test_a_session_ends_when_its_branch_becomes_a_guarded_one(stage: Scene) -> None:
    shop = await open_shop(stage)
    grant = await _session(stage, shop)
    await stage.settle()
    broken = {".github/mergegate.yml": "branches: 1\n"}
    await stage.github.push(shop, "main", broken, author="ada")
    await stage.settle()
    found = await sessions.session(stage.gate.database, grant.session)
    assert found is not None and found.live
    gated = {".github/mergegate.yml": POLICY + "branches: [main, 'agent/dis*']\n"}
    await stage.github.push(shop, "main", gated, author="ada")
    await stage.settle()
    found = await sessions.session(stage.gate.database, grant.session)
    assert found is not None and found.ended_because == "the policy now gates its branch"


async def test_a_session_ends_when_its_branch_becomes_the_default(stage: Scene) -> None:
    shop = await open_shop(stage)
    grant = await _session(stage, shop)
    await stage.github.push(shop, "agent/discount", {"a": "1"}, author="courier[bot]")
    await stage.settle()
    shop.default_branch = "agent/discount"
    await stage.github.push(shop, "main", {"b": "1"}, author="ada")  # every delivery tells of the default branch
    await stage.settle()
    found = await sessions.session(stage.gate.database, grant.session)
    assert found is not None and found.ended_because == "its branch is now the repository's default branch"


async def test_a_workflow_that_only_a_commit_in_between_holds_is_found(stage: Scene) -> None:
    shop = await open_shop(stage)
    await stage.github.push(
        shop, "agent/discount", {".github/workflows/steal.yml": "on: push\n"}, author="courier[bot]"
    )
    gone = {".github/workflows/steal.yml": None, "shop/discount.py": "RATE = 0.1\n"}
    await stage.github.push(shop, "agent/discount", gone, author="courier[bot]")
    pull = await stage.github.open_pull(shop, "agent/discount", "main", "Add discount", "", "courier[bot]")
    await stage.settle()
    summary = stage.summary(shop, pull, "evidence")
    assert "scope.commits" in summary
    assert ".github/workflows/steal.yml" in summary


async def test_what_commits_touch_is_what_git_log_says(repository: Repository) -> None:
    base = repository.commit({"a": "1\n", "kept": "1\n"})
    passing = repository.commit({"gone \u00e4": "2\n", "a": "2\n"})
    (repository.folder / "gone \u00e4").unlink()
    removed = repository.commit({"new": "1\n"})
    repository.git("checkout", "--quiet", "-b", "side", base)
    repository.commit({"side": "1\n"})
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-commit", "side")
    merge = repository.commit({"only in the merge": "1\n"})
    whole = _diff("a", "new", "side")
    found = await read_passing_paths(repository.objects, base, merge, whole)
    assert not isinstance(found, Unread)
    assert set(found) == {
        CommitPath(passing, "gone \u00e4"),
        CommitPath(removed, "gone \u00e4"),
        CommitPath(merge, "only in the merge"),
    }


async def test_too_many_commits_and_lost_objects_are_said(repository: Repository) -> None:
    base = repository.commit({"a": "1\n"})
    stream = "".join(
        f"commit refs/heads/main\ncommitter a <a@example.org> {number} +0000\ndata 1\nc\n"
        + (f"from {base}\n" if number == 0 else "")
        for number in range(MOST_COMMITS + 1)
    )
    repository.feed("fast-import", stream)
    head = repository.git("rev-parse", "main")
    assert await read_passing_paths(repository.objects, base, head, _diff()) == Unread("there are more than 250")
    assert isinstance(await read_passing_paths(repository.objects, base, "0" * 40, _diff()), Unread)
    assert isinstance(await read_passing_paths(repository.objects, Unread("x"), head, _diff()), Unread)
    assert isinstance(await read_passing_paths(repository.objects, base, head, Unread("x")), Unread)
