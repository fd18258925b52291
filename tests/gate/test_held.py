"""What a mirror was seen to hold is believed until its packs change, or it is gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.gate import held
from app.gate.git import GitObjects
from app.gate.held import Held, Packs, packs_of
from app.gate.mirror import Mirrors
from tests.databases import anyio_backend
from tests.gate.test_git import SHOP, Clone, clone, mirrors

__all__ = ["anyio_backend", "clone", "mirrors"]

pytestmark = pytest.mark.anyio

HERE = Path("/mirror")
NOW, LATER = Packs(1, 2, 3), Packs(1, 2, 4)


def test_only_what_was_seen_with_these_packs_is_held() -> None:
    seen = Held()
    assert not seen.has(HERE, NOW, ["a"])
    seen.add(HERE, NOW, ["a"])
    seen.add(HERE, NOW, ["b"])
    assert seen.has(HERE, NOW, ["a", "b"])
    assert not seen.has(HERE, NOW, ["a", "c"])
    assert not seen.has(HERE, LATER, ["a"])
    assert not seen.has(HERE, None, ["a"])
    assert not seen.has(Path("/other"), NOW, ["a"])
    seen.add(HERE, LATER, ["c"])
    assert (seen.has(HERE, LATER, ["c"]), seen.has(HERE, LATER, ["a"])) == (True, False)


def test_of_no_mirror_nothing_is_kept() -> None:
    seen = Held()
    seen.add(HERE, None, ["a"])
    assert not seen.has(HERE, None, ["a"])


def test_a_mirror_s_ids_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "MOST", 2)
    seen = Held()
    seen.add(HERE, NOW, ["a", "b"])
    seen.add(HERE, NOW, ["c"])
    assert (seen.has(HERE, NOW, ["c"]), seen.has(HERE, NOW, ["a"])) == (True, False)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What git was asked for."""
    questions, has = [], GitObjects.has

    async def noting(objects: GitObjects, *oids: str) -> bool:
        questions.append(oids)
        return await has(objects, *oids)

    monkeypatch.setattr(GitObjects, "has", noting)
    return questions


async def test_git_is_asked_once_for_what_is_there(
    clone: Clone, mirrors: Mirrors, asked: list[tuple[str, ...]]
) -> None:
    first = clone.commit(a="1\n")
    for _ in range(3):
        await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))
    assert asked == [(first,), (first,)], "before and after the fetch"


async def test_a_mirror_that_was_deleted_is_fetched_again(clone: Clone, mirrors: Mirrors) -> None:
    first = clone.commit(a="1\n")
    folder = (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).folder
    shutil.rmtree(folder)
    assert await (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).has(first)


async def test_what_is_in_packs_that_are_gone_is_fetched_again(clone: Clone, mirrors: Mirrors) -> None:
    first = clone.commit(a="1\n")
    folder = (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).folder
    packs = packs_of(folder)
    for file in (folder / "objects/pack").iterdir():
        file.unlink()
    os.utime(folder / "objects/pack", ns=(0, 0))  # in the same moment as the fetch, as a coarse clock tells it
    assert packs_of(folder) != packs
    assert await (await mirrors.objects(1, SHOP, refs=("refs/heads/main",), oids=(first,))).has(first)
