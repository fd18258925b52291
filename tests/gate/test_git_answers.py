"""What git said about objects by their ids is asked once; what may change is asked again."""

from __future__ import annotations

import shutil
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from app.gate import git
from app.gate.git import GitFailed, GitObjects
from app.gate.git_answers import OVERHEAD, GitAnswers
from tests.gate.test_git import Clone

pytestmark = pytest.mark.anyio


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Git's commands, as they are run."""
    run_git, commands = git.run_git, []

    async def run(folder: Path, arguments: Any, **options: Any) -> Any:
        commands.append(arguments[0])
        return await run_git(folder, arguments, **options)

    monkeypatch.setattr(git, "run_git", run)
    return commands


def objects_of(clone: Clone, answers: GitAnswers) -> GitObjects:
    return GitObjects(clone.folder / ".git", answers)


async def everything(objects: GitObjects, one: str, other: str) -> list[object]:
    oid = await objects.entry_at(other, "src/a") or ""
    return [
        await objects.tree_of(other),
        await objects.parents_of(other),
        await objects.merge_bases(one, other),
        await objects.is_ancestor(other, one),
        await objects.diff(one, other),
        await objects.commits_between(one, other, 10),
        await objects.paths_of_each((one, other)),
        await objects.blob(oid, 100),
        await objects.blob(oid, 1),
        await objects.files_in(other, "src"),
    ]


async def test_the_same_is_asked_once(clone: Clone, asked: list[str]) -> None:
    one, other = clone.commit(src__a="1\n"), clone.commit(src__a="2\n")
    objects = objects_of(clone, GitAnswers())
    first = await everything(objects, one, other)
    assert len(asked) == 11
    assert await everything(objects, one, other) == first
    assert len(asked) == 11
    assert await everything(GitObjects(objects.folder), one, other) == first, "as it is without"


async def test_a_branch_is_asked_for_each_time(clone: Clone) -> None:
    objects = objects_of(clone, GitAnswers())
    first = clone.commit(a="1\n")
    assert await objects.merge_bases("HEAD", "HEAD") == (first,)
    second = clone.commit(a="2\n")
    assert await objects.merge_bases("HEAD", "HEAD") == (second,)


async def test_one_repository_says_nothing_of_another(clone: Clone, tmp_path: Path) -> None:
    answers = GitAnswers()
    oid = clone.commit(a="secret\n")
    await objects_of(clone, answers).parents_of(oid)
    other = tmp_path / "other.git"
    await git.init_bare(other)
    with pytest.raises(GitFailed):
        await GitObjects(other, answers).parents_of(oid)


async def test_whether_an_object_is_here_is_asked_each_time(clone: Clone) -> None:
    """A mirror may be deleted at any time."""
    objects = objects_of(clone, GitAnswers())
    oid = clone.commit(a="1\n")
    said = await objects.files_in(oid, ".")
    assert await objects.has(oid) and await objects.commit_of(oid) == oid
    shutil.rmtree(objects.folder / "objects")
    (objects.folder / "objects").mkdir()
    assert not await objects.has(oid)
    with pytest.raises(GitFailed):
        await objects.commit_of(oid)
    assert await objects.files_in(oid, ".") == said


async def test_a_failure_is_not_kept(clone: Clone) -> None:
    objects = objects_of(clone, GitAnswers())
    oid = clone.commit(a="1\n")
    packed = objects.folder / "objects"
    shutil.move(packed, packed.with_name("away"))
    packed.mkdir()
    with pytest.raises(GitFailed):
        await objects.files_in(oid, ".")
    packed.rmdir()
    shutil.move(packed.with_name("away"), packed)
    assert await objects.files_in(oid, ".")


async def test_a_long_answer_is_kept_in_less_than_its_length(clone: Clone) -> None:
    answers = GitAnswers()
    one, other = (clone.commit(**{f"src__module_{n}": f"{n * factor}\n" for n in range(200)}) for factor in (1, 3))
    raw, numstat = await objects_of(clone, answers).diff(one, other)
    assert numstat.count(b"\0") == 199 and answers.size < (len(raw) + len(numstat)) * 3 / 4


async def test_what_is_made_of_an_object_is_made_once(clone: Clone) -> None:
    objects = objects_of(clone, GitAnswers())
    oid, made = clone.commit(a="1\n"), list[int]()

    async def make() -> bytes:
        made.append(1)
        return b"made %d" % len(made)

    assert [await objects.made_once(oid, ("x",), make) for _ in range(2)] == [b"made 1"] * 2
    assert await objects.made_once(oid, ("y",), make) == b"made 2"
    assert await objects.made_once("HEAD", ("x",), make) == b"made 3"
    assert await objects.made_once("HEAD", ("x",), make) == b"made 4", "a name moves"
    assert await GitObjects(objects.folder).made_once(oid, ("x",), make) == b"made 5"


async def test_large_answers_are_not_kept(clone: Clone, asked: list[str]) -> None:
    objects = objects_of(clone, GitAnswers(limit_bytes=4 * (OVERHEAD + 200)))
    oid = clone.commit(**{token_hex(100): "1\n"})
    for _ in range(2):
        await objects.files_in(oid, ".")
    assert asked == ["ls-tree", "ls-tree"]
