"""Going back: what a revert of a landed change really does, and migrations that have no way back, by the whole gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.gate.changes import read_changes
from checks.diff import Diff
from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, agent_pull, open_shop
from tests.gate.test_git import Clone

pytestmark = pytest.mark.anyio


def _merged(clone: Clone) -> None:
    clone.git("merge", "--quiet", "--no-ff", "--no-edit", "agent/x")
    clone.git("revert", "--no-edit", "-m", "1", "HEAD")


def _squashed(clone: Clone) -> None:
    clone.git("merge", "--quiet", "--squash", "agent/x")
    clone.git("commit", "--quiet", "--message", "squashed")
    clone.git("revert", "--no-edit", "HEAD")


def _rebased(clone: Clone) -> None:
    tip = clone.git("rev-parse", "main")
    clone.git("rebase", "--quiet", "main", "agent/x")
    clone.git("checkout", "--quiet", "main")
    clone.git("merge", "--quiet", "--ff-only", "agent/x")
    for commit in clone.git("rev-list", f"{tip}..HEAD").split():
        clone.git("revert", "--no-edit", commit)


def _diverged(clone: Clone) -> tuple[str, str]:
    """A target that moved on and a branch with all that makes merges hard; their tips."""
    text = "".join(f"line {number}\n" for number in range(40))
    clone.commit(shop__cart_DOT_py=text, shop__old_DOT_py=text, gone_DOT_txt="x\n", run_DOT_sh="true\n")
    clone.git("checkout", "--quiet", "-b", "agent/x")
    clone.git("mv", "shop", "store")
    clone.commit(store__cart_DOT_py=text.replace("line 3\n", "line three\n"))
    (clone.folder / "link").symlink_to("run.sh")
    (clone.folder / "run.sh").chmod(0o755)
    (clone.folder / "bits").write_bytes(bytes(range(256)))
    clone.git("rm", "--quiet", "gone.txt")
    head = clone.commit(gone_DOT_txt__now_a_folder="y\n", new_DOT_py="\n")
    clone.git("checkout", "--quiet", "main")
    return clone.commit(shop__cart_DOT_py=text.replace("line 30\n", "line thirty\n")), head


@pytest.mark.parametrize("land_and_revert", [_merged, _squashed, _rebased])
async def test_a_revert_of_what_lands_brings_the_targets_files_back(
    tmp_path: Path, land_and_revert: Callable[[Clone], None]
) -> None:
    """What `rollback.revert` says without trying it each time, tried by git in all three ways of merging."""
    clone = Clone(tmp_path / "clone")
    tip, head = _diverged(clone)
    changes = await read_changes(clone.objects, tip, head)
    assert isinstance(changes.merge_diff, Diff)
    assert changes.merge_diff.files
    land_and_revert(clone)
    assert clone.git("rev-parse", "HEAD^{tree}") == clone.git("rev-parse", f"{tip}^{{tree}}")
    assert clone.git("rev-list", "--count", f"{tip}..HEAD") != "0"


OFF = POLICY.replace("'on'", "'off'") + "risk: {areas: {migration: {risk: medium}}}\n"
ONE_WAY = {"shop/sql/0002_notes.sql": "-- +goose Up\nCREATE TABLE notes (id INTEGER);\n"}
MEDIUM = BUNDLE.replace("level: low", "level: medium")


async def test_the_way_back_is_tried_and_said(stage: Scene) -> None:
    shop = await open_shop(stage, OFF)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "success"
    assert "`git revert` of what lands applies cleanly" in stage.summary(shop, pull, "evidence")


async def test_a_migration_without_its_way_back_is_refused(stage: Scene) -> None:
    shop = await open_shop(stage, OFF)
    pull = await agent_pull(stage, shop, files=ONE_WAY, body=MEDIUM)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    summary = stage.summary(shop, pull, "evidence")
    assert "rollback.migration" in summary
    assert "`shop/sql/0002_notes.sql` line 1" in summary


async def test_unless_a_person_accepts_what_is_lost(stage: Scene) -> None:
    shop = await open_shop(stage, OFF)
    step = "DROP TABLE notes, then restore from the last dump"
    lossy = MEDIUM.replace("data_loss: false", "data_loss: true").replace("git revert the merge commit", step)
    pull = await agent_pull(stage, shop, files=ONE_WAY, body=lossy.replace("strategy: revert", "strategy: manual"))
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert "lose data" in stage.summary(shop, pull, "review")
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "success"}
